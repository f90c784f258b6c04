import FanfareBase
import FanfareCore

/// A job without a result, because it could not begin or go on.
package struct JobFailure: Sendable {
    /// The version of `json`.
    ///
    /// Members may be added under the same version.
    package static let schema = "fanfare.failure/1"

    /// The command that has failed, such as `send`.
    package var command: String
    /// The name of the job for people; `nil` if it has none.
    package var name: String?
    /// The remark about the job; `nil` if there is none.
    package var note: String?
    /// UNIX time.
    package var milliseconds: Int64
    package var exitCode: Int32
    /// The fault, its place and its remedy, in sentences.
    package var error: String

    /// Collects the facts.
    package init(command: String, milliseconds: Int64, exitCode: Int32, error: String) {
        self.command = command
        self.milliseconds = milliseconds
        self.exitCode = exitCode
        self.error = error
    }

    /// The failure as a JSON document.
    package var json: String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            writer.member("command", command)
            if let name { writer.member("name", name) }
            if let note { writer.member("note", note) }
            writer.member("failed_at", TimestampWriter.string(milliseconds: milliseconds))
            writer.member("exit_code", exitCode)
            writer.member("error", error)
        }
    }
}
