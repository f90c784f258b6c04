import FanfareSQLite

/// The memory that databases may take in a program which is the only user of SQLite in its process.
package enum DatabaseMemory {
    /// Bounds it from now on, however long the values of a hostile file are.
    ///
    /// The library does not call it: its process is another program's.
    package static func boundProcess() { SQLiteDatabase.limitProcess() }
}
