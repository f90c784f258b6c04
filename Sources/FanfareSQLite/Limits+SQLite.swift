import FanfareBase

/// Bounds of databases.
extension Limits {
    /// The page cache of a connection; rows and indexes are sorted in pieces of this size, too.
    ///
    /// A bound for the whole process is one for its other users of SQLite as well: see `sqliteProcessBytesMax`.
    package static let sqliteCacheBytes = 32 * 1024 * 1024

    /// The memory of SQLite in a process that is ours alone.
    ///
    /// A view computes all columns of what it cannot flatten, and a hostile one may have many long ones, of which none is
    /// wanted: no bound of a single value holds that. Three connections of honest databases take some 100 MiB.
    package static let sqliteProcessBytesMax = 192 * 1024 * 1024

    /// The longest value that SQLite may hand out or take.
    ///
    /// A row of more than 1 MiB is invalid; the library does not even look at longer values,
    /// because they would cost memory before our own check.
    package static let sqliteValueBytesMax = 16 * 1024 * 1024

    /// The most bytes that the values of one row of a query may take in SQLite.
    ///
    /// SQLite has all of them ready before it hands out the first: the longest value is this
    /// divided by the number of columns.
    package static let sqliteRowBytesMax = 512 * 1024 * 1024

    /// The parts of a compound SELECT; SQLite's own bound is 500.
    package static let sqliteCompoundMax: Int32 = 50

    /// The instructions of a statement, 100 bytes each; SQLite's own bound is 250 million.
    package static let sqliteInstructionsMax: Int32 = 250_000

    /// The longest SQL, of a query or of a view in the file: SQLite has long taken as much.
    package static let sqliteTextBytesMax: Int32 = 1_000_000

    /// The depth of an expression: one of 500 terms; SQLite's own bound is 1,000.
    package static let sqliteExpressionDepthMax: Int32 = 500

    /// The longest pattern of LIKE and GLOB, whose time grows with its square.
    package static let sqlitePatternBytesMax: Int32 = 1000

    /// The steps of SQLite's machine between two looks whether its result is still wanted: well below
    /// a millisecond.
    package static let sqliteStepsPerLook: Int32 = 10_000
}
