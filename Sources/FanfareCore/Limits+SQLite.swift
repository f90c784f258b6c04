/// The bounds of reading and writing SQLite databases.
extension Limits {
    /// The memory that SQLite may have in the process, all connections together: room for the cache of
    /// a database that is built, for sorting, and for the largest values.
    package static let sqliteHeapBytes = 128 * 1024 * 1024

    /// The page cache of a database that is built; its indexes are sorted in pieces of this size, too.
    package static let sqliteCacheBytes = 32 * 1024 * 1024

    /// The longest value that SQLite may hand out or take.
    ///
    /// A row of more than 1 MiB is invalid; beyond this the job stops, because it costs memory before
    /// anybody has seen it.
    package static let sqliteValueBytesMax = 16 * 1024 * 1024

    /// How long somebody else's lock on a database is waited for.
    package static let sqlitePatienceMilliseconds: Int32 = 5000

    /// The steps of SQLite's machine between two looks whether its result is still wanted: well below
    /// a millisecond.
    package static let sqliteStepsPerLook: Int32 = 10_000
}
