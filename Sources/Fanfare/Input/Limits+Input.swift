import FanfareBase

/// Bounds of input.
extension Limits {
    /// The rows among which a rehearsal looks for duplicates without being asked to.
    ///
    /// Their set fits into a cache, so that it costs nothing that could be noticed.
    package static let censusRows: UInt64 = 65_536

    /// The memory of that set.
    package static let censusBytesMax = 2 * 1024 * 1024

    /// The columns of a query: with 2 MiB for each the row is as large as it may be.
    ///
    /// Of a table only the columns are read that are wanted.
    package static let sqliteQueryColumnsMax = 256

    /// The parts into which a survey of all rows divides their tokens.
    ///
    /// One part at a time has to fit into a set: 256 of them are 3.6 billion different tokens.
    package static let surveyParts = 256

    /// Tokens of a part that are kept before they go to the file: 4096 × 24 bytes × 256 = 24 MiB.
    package static let surveyBlockTokens = 4096

    /// The rows that a survey takes.
    ///
    /// Its result is at most a bit for each row, 250 MB, and its file 24 bytes, 48 GB.
    package static let surveyRowsMax: UInt64 = 2_000_000_000

    /// The bytes to read at once in the search for an input's format and header.
    package static let headReadBytes = 64 * 1024
}
