/// Bounds of seed lists.
extension Limits {
    /// The rows of a seed list: people who look at a notification, not a broadcast.
    package static let seedRowsMax: UInt64 = 1000

    /// The rows of it that are shown: as many as a terminal has room for.
    package static let seedRowsShownMax = 20

    /// How often the reader's thread looks whether all of them have their outcomes, in
    /// milliseconds.
    package static let seedLookMilliseconds: Int64 = 50

    /// The characters of a provider's reason that are shown of a row: what fits on a line behind the
    /// other columns.
    ///
    /// The report has all of it.
    package static let seedReasonShownMax = 80
}
