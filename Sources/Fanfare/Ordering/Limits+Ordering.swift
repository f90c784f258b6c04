import FanfareBase

/// Bounds of ordering.
extension Limits {
    /// The bytes of lines that are read ahead to be put in order, with their bookkeeping.
    ///
    /// They are some 120,000 lines of 190 bytes: more than a job has in flight, so that only rows
    /// are late in its report that have waited for another attempt or for their hour.
    package static let orderingWindowBytes = 24 * 1024 * 1024

    /// Late lines that are kept in memory; beyond that they go to a file, in sorted runs.
    ///
    /// A hundredth of 10 million lines is 19 MB.
    package static let orderingLateBytes = 24 * 1024 * 1024

    /// The number of runs of about one length at which they are merged into a longer one.
    ///
    /// 64 runs of 24 MiB are 1.5 GiB, and 64 of those 96 GiB.
    package static let orderingRunsMax = 64

    /// The block that is read of a run at a time: 64 runs of three lengths have 12 MiB.
    package static let orderingRunBlockBytes = 64 * 1024

    /// One line of a report that is put in order.
    ///
    /// A row has 1 MiB at most, and a byte of it becomes six at most (`\u0001`).
    package static let orderingLineBytesMax = 16 * 1024 * 1024
}
