internal import CSQLite
internal import FanfareBase

/// A connection to a database file.
///
/// Use from one thread at a time, which is why it may cross threads unchecked.
@safe
package final class SQLiteDatabase: @unchecked Sendable {
    /// The purpose for which the file is opened.
    package enum Access: Sendable {
        /// To read the file; nothing of it is ever changed.
        case reading
        /// To make a new file, which no other process knows of yet: without a journal and without
        /// waiting for the disk. `synchronize` it when it is whole.
        case building
    }

    let connection: OpaquePointer
    /// A function that is called now and then while SQLite works; see `init`.
    private let cancellation: Pinned<@Sendable () -> Bool>

    /// The version of the library, such as `3.40.1`.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }

    /// Bounds the memory of all databases of this process: for programs that are the only users of SQLite in it
    /// (sqlite.org/c3ref/hard_heap_limit64.html).
    package static func limitProcess() {
        sqlite3_hard_heap_limit64(Int64(Limits.sqliteProcessBytesMax))
    }

    /// True if a file begins as SQLite's do.
    package static func isDatabase(head: some Collection<UInt8>) -> Bool {
        head.starts(with: "SQLite format 3\0".utf8)
    }

    /// Opens a file.
    /// - Parameters:
    ///   - path: The file.
    ///   - access: The purpose for which the file is opened.
    ///   - patience: The longest wait for another process's lock, in milliseconds.
    ///   - isCancelled: Asked while SQLite works; if it returns true, the work ends with
    ///     `interrupted`.
    /// - Throws: `SQLiteError` when the file cannot be opened. A file that is no database fails at
    ///   the first reading.
    package init(
        _ path: String, _ access: Access, patience: Int32,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(SQLiteError) {
        cancellation = Pinned(isCancelled)
        // A name with a colon in front is not a file to SQLite.
        let name = path.hasPrefix(":") ? "./" + path : path
        let flags =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .building: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let connection = unsafe opened, code == SQLITE_OK else {
            let told = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) }
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: code, told ?? "no memory")
        }
        unsafe self.connection = connection
        unsafe sqlite3_busy_timeout(connection, patience)
        unsafe sqlite3_limit(
            connection, SQLITE_LIMIT_LENGTH, Int32(Limits.sqliteValueBytesMax))
        // No statement of ours names another file, and a name in one is from anywhere.
        unsafe sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
        if access == .reading { limitStatements() }
        // A hostile file's views and triggers get no more than ordinary functions.
        _ = unsafe fanfare_sqlite_distrust_schema(connection)
        _ = unsafe fanfare_sqlite_refuse_quoted_text(connection)
        unsafe sqlite3_progress_handler(
            connection, Limits.sqliteStepsPerLook,
            { userData in
                unsafe Pinned<@Sendable () -> Bool>.withValue(behind: userData) { isCancelled in
                    isCancelled() ? 1 : 0
                }
            }, cancellation.userData)
        // Rows that do not fit into the cache are sorted on the disk.
        try execute(
            "PRAGMA temp_store = FILE", "PRAGMA cache_size = -\(Limits.sqliteCacheBytes / 1024)")
        if access == .reading {
            // Cells of a damaged page are looked at before they are used.
            try execute("PRAGMA cell_size_check = ON")
        } else {
            try execute("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
        }
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// Limits the statements: a file may come from anywhere, and its views are SQL that is run.
    ///
    /// The number of columns stays SQLite's own, 2,000: such a table is not to be read, but the
    /// file beside it is.
    ///
    /// sqlite.org/security.html
    private func limitStatements() {
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_SQL_LENGTH, Limits.sqliteTextBytesMax),
            (SQLITE_LIMIT_EXPR_DEPTH, Limits.sqliteExpressionDepthMax),
            (SQLITE_LIMIT_COMPOUND_SELECT, Limits.sqliteCompoundMax),
            (SQLITE_LIMIT_VDBE_OP, Limits.sqliteInstructionsMax),
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, Limits.sqlitePatternBytesMax),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, value) in limits { unsafe sqlite3_limit(connection, limit, value) }
    }

    /// Lets rows of so many values have no more memory than a row may have.
    package func limitValues(columns: Int) {
        limitValues(
            bytes: min(Limits.sqliteValueBytesMax, Limits.sqliteRowBytesMax / max(columns, 1)))
    }

    func limitValues(bytes: Int) {
        unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(bytes))
    }

    /// Runs statements whose rows are of no interest.
    /// - Parameter statements: The statements; a text that has more than one is refused.
    /// - Throws: The error of the first one that fails.
    package func execute(_ statements: String...) throws(SQLiteError) {
        for sql in statements {
            let statement = try SQLiteStatement(sql, in: self)
            while try statement.step() {}
        }
    }

    /// Returns the connection's error for a result code.
    func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, unsafe String(cString: sqlite3_errmsg(connection)))
    }
}
