/// One source of rows.
public enum RowInput: Sendable, Equatable {
    /// The file at a path.
    case file(String)
    /// Standard input, such as a pipe.
    case standardInput
    /// Rows that are in memory already, with their name in messages.
    case memory([UInt8], name: String)
    /// Rows of a SQLite database: the file at a path, and which of its rows.
    ///
    /// Columns go by their names. `NULL` is a missing value, a BLOB is its bytes in hexadecimal.
    case sqlite(String, SQLiteSelection)
    /// Rows that a sequence gives, as ``PushJob`` takes them; read once, as a pipe is.
    case sequence(RowSequence)
    /// Rows as `fanfare generate` writes them, as CSV with a header, without an end: for load tests.
    ///
    /// Equal seeds give equal rows. Their tokens are of the provider's form.
    case generated(seed: UInt64, provider: Provider = .apns)

    /// The name to use in messages.
    public var name: String {
        switch self {
        case .file(let path), .sqlite(let path, _): path
        case .standardInput: "standard input"
        case .memory(_, let name): name
        case .generated: "generated rows"
        case .sequence: RowSequence.name
        }
    }

    /// True if its rows are values, and no text of a user.
    var isSequence: Bool {
        if case .sequence = self { true } else { false }
    }

    /// True if its rows are those of a database.
    var isDatabase: Bool {
        if case .sqlite = self { true } else { false }
    }
}

/// A selection of rows of a SQLite database.
public enum SQLiteSelection: Sendable, Equatable {
    /// All rows of a table or view, in the order of their row ids where they have them.
    case table(String)
    /// The rows that a single `SELECT` gives, in its order.
    case query(String)
}
