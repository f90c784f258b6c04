/// The failure of a request to a PostgreSQL server, or of the way to it.
package struct PostgresError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// libpq is not installed.
        case noLibrary
        /// The address cannot be read.
        case address
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
    /// True if a new try would be refused as well.
    ///
    /// All that is not known to be so may pass: a server that starts, ends, or has no room for one more connection.
    package var isRefusal: Bool {
        let group = String(state.prefix(2))
        return switch kind {
        case .noLibrary, .address: true
        case .timeout, .warning: false
        case .connection:
            // Authorization, no such database, no right to connect, or a setting that the server does not know.
            ["28", "3D", "42"].contains(group)
                || Self.refusals.contains { reason.contains($0) } || reason.hasPrefix("invalid ")
        case .statement:
            // The way to the server, a standby, a deadlock, no room, a lock, an operator, or the disk.
            !["08", "25", "40", "53", "55", "57", "58"].contains(group)
        }
    }

    /// The words of libpq, which has no state for what it finds itself.
    ///
    /// It speaks English where no program asks for another language.
    private static let refusals = [
        "no password supplied", "certificate", "does not support SSL", "channel binding",
        "authentication method",
    ]

    /// The five characters by which the server names a fault; empty without one.
    package let state: String

    /// True if the server says that it has no such database, schema, table or column.
    ///
    /// A server that has them never says so: it was lost, or made anew.
    package var saysThatNothingIsThere: Bool {
        ["3D000", "3F000", "42P01", "42703"].contains(state)
    }

    /// The failure of an attempt to connect.
    /// - Parameter words: The words of libpq: `FATAL:  28P01: password authentication failed`, with the server's own place
    ///   in a line behind it.
    package init(connecting words: String) {
        var state = ""
        var lines: [String] = []
        for line in words.split(whereSeparator: \.isNewline) where !line.hasPrefix("LOCATION:") {
            if let found = Self.state(in: line) {
                // Of several servers the last one counts: libpq went on from the others.
                state = found.state
                lines.append(found.rest)
            } else {
                lines.append(String(line))
            }
        }
        self.init(.connection, lines.joined(separator: "\n"), state: state)
    }

    /// Takes the state out of a line; `nil` if it has none.
    private static func state(in line: Substring) -> (state: String, rest: String)? {
        let bytes = Array(line.utf8)
        for start in bytes.indices.dropLast(9)
        where bytes[start...].starts(with: ":  ".utf8)
            && bytes[(start + 8)...].starts(with: ": ".utf8)
        {
            let state = bytes[start + 3..<start + 8]
            let isState = state.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
            }
            guard isState else { continue }
            let rest = bytes[..<(start + 3)] + bytes[(start + 10)...]
            return (String(decoding: state, as: UTF8.self), String(decoding: rest, as: UTF8.self))
        }
        return nil
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
