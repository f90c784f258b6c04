/// The failure of a request to a PostgreSQL server, or of the way to it.
package struct PostgresError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// libpq is not installed.
        case noLibrary
        /// The server cannot be reached, or does not let us in; or the connection is gone.
        case connection
        /// The server refuses a statement.
        case statement
        /// Nothing came in time.
        case timeout
        /// The server warns that a write may not be where it should be.
        case warning
    }

    package let kind: Kind
    /// The words of the server or of the library, on one line.
    package let reason: String
    /// True if the server, or the check of its certificate, said no, and would say so again.
    ///
    /// libpq has no code for it, only words; those of a server that speaks another language are taken for a
    /// failure that may pass.
    package var isRefusal: Bool {
        guard kind == .connection else { return false }
        let passing = ["starting up", "shutting down", "recovery", "too many"]
        if reason.contains("certificate") { return true }
        return reason.contains("FATAL:") && !passing.contains { reason.contains($0) }
    }

    /// The five characters by which the server names a fault; empty without one.
    package let state: String

    /// True if the server says that it has no such database, schema, table or column.
    ///
    /// A server that has them never says so: it was lost, or made anew.
    package var saysThatNothingIsThere: Bool {
        ["3D000", "3F000", "42P01", "42703"].contains(state)
    }

    package init(_ kind: Kind, _ reason: String, state: String = "") {
        self.kind = kind
        self.reason = reason.split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            // The statement is ours, and a mark below its line says nothing on one line.
            .filter { !$0.hasPrefix("LINE ") && $0 != "^" }
            .joined(separator: "; ")
        self.state = state
    }
}
