import FanfareBase

/// Bounds of engine.
extension Limits {
    /// The permits that a lane takes at once: one lock in 64 requests, and at 10,000 a second 6 ms of
    /// the rate that others do without for the length of a turn.
    package static let permitsPerLease = 64

    /// The most bytes of `id` and the carried columns of one row together.
    ///
    /// Every request in flight keeps them, so they need a bound of their own.
    package static let carriedBytesMax = 16 * 1024

    /// The bytes that a place for a prepared row keeps allocated.
    ///
    /// A payload and a request's header fit.
    package static let preparedRowBytesKept = 8 * 1024

    /// The longest row that is sent when rows are kept for `--retry-rows`.
    ///
    /// It is kept with its request in flight. A payload has at most 5 KiB, which in CSV is 10 KiB at
    /// the worst (every byte a quote), so this leaves as much again for other columns five times.
    package static let retryRowBytesMax = 64 * 1024

    /// The rows that a lane looks at in a turn where their provider is not asked about them.
    ///
    /// About 2 ms, for which the lanes of other providers on the same thread wait.
    package static let rowsPassedAtOnce = 1024

    /// The time that a finished row's line may wait to be written.
    ///
    /// Rows whose lines wait when the process is killed are in doubt for the next run.
    package static let reportDelay = Duration.milliseconds(100)
}
