import FanfareBase
package import FanfareCore

/// Something that has happened to a job, as its log tells it.
///
/// It never has a device token, a payload or a credential.
public struct JobEvent: Sendable, Hashable, CustomStringConvertible {
    /// The name of the event: a word in the past tense, such as `connection_opened`.
    public let name: String
    /// The weight of the event: ``LogOptions/Level/info`` or heavier.
    public let level: LogOptions.Level
    /// The moment of the event, in milliseconds of UNIX time.
    public let milliseconds: Int64
    /// The lane that it happened to; `nil` for the whole job.
    public let lane: Int?
    /// The number of the job's connection: its dial, counted from 1; `nil` if it is about no connection.
    public let connection: Int?
    /// The other facts, in the order in which the log has them.
    public let fields: [Field]

    /// A fact about an event.
    public struct Field: Sendable, Hashable {
        /// The name of the fact, as the log has it.
        public let name: String
        /// The value of the fact.
        public let value: Value
    }

    /// The value of a fact.
    public enum Value: Sendable, Hashable, CustomStringConvertible {
        /// A word or a sentence.
        case text(String)
        /// A whole number.
        case integer(Int64)
        /// Any other number.
        case number(Double)

        /// The value as text.
        public var description: String {
            switch self {
            case .text(let text): text
            case .integer(let number): String(number)
            case .number(let number): String(number)
            }
        }
    }

    /// The event on one line: `connection_opened connection=1 address=17.188.1.2`.
    public var description: String {
        var words = [name]
        if let lane { words.append("lane=\(lane)") }
        if let connection { words.append("connection=\(connection)") }
        words += fields.map { "\($0.name)=\($0.value)" }
        return words.joined(separator: " ")
    }

    /// The same event for those outside of the package.
    package init(_ event: LogEvent) {
        name = event.name.description
        level =
            switch event.level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            case .debug: .debug
            }
        milliseconds = event.milliseconds
        lane = event.lane
        connection = event.connection
        fields = event.fields.map { field in
            let value: Value =
                switch field.value {
                case .text(let text): .text(text)
                case .statement(let statement): .text(statement.text(.members))
                case .whole(let number): .integer(number)
                case .real(let number): .number(number)
                }
            return Field(name: field.name.description, value: value)
        }
    }
}
