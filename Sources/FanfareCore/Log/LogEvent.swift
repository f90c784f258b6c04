package import FanfareBase

/// The weight of an event, the heaviest first.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable {
    /// The job ends before its rows do.
    case error
    /// Something went wrong that the job gets over.
    case warning
    /// The progress of a job that goes well.
    case info
    /// Details for a person who looks for a fault.
    case debug

    /// The name in options and in the log.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Something that has happened to a job, for its log.
///
/// It never has a device token, a payload or a credential.
package struct LogEvent: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case text(String)
        case statement(Statement)
        case whole(Int64)
        case real(Double)
    }

    /// The name of the event: a word in the past tense, such as `connection_opened`.
    package var name: StaticString
    package var level: LogLevel
    /// Unix time.
    package var milliseconds: Int64
    /// The lane that it happened to; `nil` for the whole job.
    package var lane: Int?
    /// The number of the job's connection: its dial, counted from 1.
    package var connection: Int?
    /// The other facts, in the order in which they are written.
    package var fields: [Field]

    package struct Field: Equatable, Sendable {
        package var name: StaticString
        package var value: Value

        /// Makes a text of at most `Limits.logTextBytesMax` bytes: some are a provider's.
        package init(_ name: StaticString, _ text: String) {
            self.name = name
            value = .text(Self.cut(text))
        }

        /// Makes a statement, cut like a text when the line is written.
        package init(_ name: StaticString, _ statement: Statement) {
            self.name = name
            value = .statement(statement)
        }

        package init(_ name: StaticString, _ number: some BinaryInteger) {
            self.name = name
            value = .whole(Int64(clamping: number))
        }

        package init(_ name: StaticString, _ number: Double) {
            self.name = name
            value = .real(number)
        }

        package static func == (left: Field, right: Field) -> Bool {
            left.name.description == right.name.description && left.value == right.value
        }

        fileprivate static func cut(_ text: String) -> String {
            let isLong = text.utf8.count > Limits.logTextBytesMax
            return isLong ? String(text.prefix(Limits.logTextBytesMax / 4)) + "…" : text
        }
    }

    package init(
        _ name: StaticString, _ level: LogLevel, milliseconds: Int64, lane: Int? = nil,
        connection: Int? = nil, _ fields: [Field] = []
    ) {
        self.name = name
        self.level = level
        self.milliseconds = milliseconds
        self.lane = lane
        self.connection = connection
        self.fields = fields
    }

    package static func == (left: LogEvent, right: LogEvent) -> Bool {
        left.name.description == right.name.description && left.level == right.level
            && left.milliseconds == right.milliseconds && left.lane == right.lane
            && left.connection == right.connection && left.fields == right.fields
    }

    /// Returns a provider's reason as it may stand in a log: a word of letters, as all of APNs'
    /// are.
    ///
    /// Any other text is `other`: a proxy in between might give back a token.
    package static func reason(_ bytes: some Collection<UInt8>) -> String {
        let isWord =
            bytes.count <= Limits.logReasonBytesMax
            && bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        return isWord ? String(decoding: bytes, as: UTF8.self) : "other"
    }

    /// Returns the line of the log: a JSON object, with its end.
    /// - Parameter naming: The way in which settings are named.
    /// - Returns: The line.
    package func line(_ naming: Naming = .members) -> String {
        JSONWriter.document(isOneLine: true) { writer in
            writer.member("time", TimestampWriter.string(milliseconds: milliseconds))
            writer.member("level", level.name)
            writer.member("event", name.description)
            if let lane { writer.member("lane", lane) }
            if let connection { writer.member("connection", connection) }
            for field in fields {
                let name = field.name.description
                switch field.value {
                case .text(let text): writer.member(name, text)
                case .statement(let statement):
                    writer.member(name, Field.cut(statement.text(naming)))
                case .whole(let number): writer.member(name, number)
                case .real(let number): writer.member(name, number)
                }
            }
        }
    }
}
