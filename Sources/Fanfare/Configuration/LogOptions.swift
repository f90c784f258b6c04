/// What is logged of a job, and where.
public struct LogOptions: Sendable, Equatable {
    /// How much is logged.
    public enum Level: String, Sendable, CaseIterable {
        /// What ends the job before its rows do.
        case error
        /// What goes wrong and is got over, too.
        case warning
        /// What there is to know of a job that goes well, too.
        case info
        /// What is of use to a person who looks for a fault, too.
        case debug
    }

    /// The file, to whose end the events go, each as a JSON object on a line; `-` is standard output.
    public var path: String
    /// How much is logged.
    public var level = Level.info
    /// The connection whose frames are logged, counted by the job's dials from 1; `nil` for none.
    public var framesOfConnection: Int?

    /// A log with the default level.
    public init(path: String) {
        self.path = path
    }
}
