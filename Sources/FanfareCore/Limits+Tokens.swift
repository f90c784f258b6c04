/// Bounds of what is remembered of tokens: for `--deduplicate` and `--suppress`.
extension Limits {
    /// The memory of one set of tokens.
    ///
    /// 14.2 million at 16 bytes, filled to 85 %. It is taken as it is needed: 10 million are 190 to
    /// 215 MB.
    package static let tokenSetBytesMax = 256 * 1024 * 1024

    /// The parts into which a survey of all rows divides their tokens.
    ///
    /// One part at a time has to fit into a set: 256 of them are 3.6 billion different tokens.
    package static let surveyParts = 256

    /// Tokens of a part that are kept before they go to the file: 4096 × 24 bytes × 256 = 24 MiB.
    package static let surveyBlockTokens = 4096

    /// The rows that a survey takes.
    ///
    /// What it finds is at most a bit for each row, 250 MB, and its file 24 bytes, 48 GB.
    package static let surveyRowsMax: UInt64 = 2_000_000_000
}
