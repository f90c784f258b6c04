internal import CSQLite
internal import FanfareBase

/// The failure of something that SQLite was asked to do.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The reasons that callers decide by.
    package enum Kind: Equatable, Sendable {
        case notADatabase
        /// Its pages contradict each other.
        case damaged
        case cannotOpen
        /// Another process has it for itself.
        case locked
        case noSpace
        case noMemory
        /// The caller has wanted the end of it.
        case interrupted
        /// The SQL is wrong, or does not fit to the database.
        case statement
        /// A value is longer than values may be.
        case tooLong
        /// A row contradicts a promise of a table.
        case constraint
        /// Any other reason, which is in `message`.
        case other
    }

    package var kind: Kind
    /// The fault, and the remedy where there is one.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Translates a result code.
    /// - Parameters:
    ///   - code: The code, extended or not.
    ///   - told: The connection's message for the code.
    init(code: Int32, _ told: String) {
        switch code & 0xFF {
        case SQLITE_NOTADB:
            self.init(.notADatabase, "it is no SQLite database, or an encrypted one")
        case SQLITE_CANTOPEN:
            self.init(
                .cannotOpen,
                "SQLite cannot open it (\(told)): with a write-ahead log its folder must be writable"
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                .locked,
                "another process is writing to it; try again when that is done, or read a copy "
                    + "(sqlite3 FILE \"VACUUM INTO 'copy.db'\")")
        case SQLITE_FULL: self.init(.noSpace, "no space left for it, or for SQLite's sorting")
        case SQLITE_NOMEM: self.init(.noMemory, "it takes more memory than SQLite is given here")
        case SQLITE_INTERRUPT: self.init(.interrupted, "interrupted")
        case SQLITE_CORRUPT: self.init(.damaged, "the database is damaged: \(told)")
        case SQLITE_TOOBIG:
            self.init(
                .tooLong,
                "a value is longer than \(Limits.sqliteValueBytesMax >> 20) MiB, or than its share of "
                    + "\(Limits.sqliteRowBytesMax >> 20) MiB for all columns")
        case SQLITE_CONSTRAINT: self.init(.constraint, told)
        // The second one where a wrong name was the first thing to be looked for.
        case SQLITE_ERROR, SQLITE_SCHEMA: self.init(.statement, told)
        default: self.init(.other, told)
        }
    }
}
