/// The bounds of reading and writing SQLite databases.
extension Limits {
    /// The page cache of a connection; rows and indexes are sorted in pieces of this size, too.
    ///
    /// There is no bound for the whole process: it would be one for its other users of SQLite as well.
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
