/// The settings of a job's log.
public struct LogOptions: Sendable, Equatable {
    /// The level of detail; each level includes the ones before it.
    public enum Level: String, Sendable, CaseIterable {
        /// Events that end the job early.
        case error
        /// Problems that the job overcomes, too.
        case warning
        /// Facts about a job that goes well, too.
        case info
        /// Details for finding a fault, too.
        case debug
    }

    /// The file, to whose end the events go, each as a JSON object on a line; `-` is standard output.
    public var path: String
    /// The level of detail.
    public var level = Level.info
    /// The connection whose frames are logged, counted by the job's dials from 1; `nil` for none.
    public var framesOfConnection: Int?

    /// A log with the default level.
    public init(path: String) {
        self.path = path
    }
}
