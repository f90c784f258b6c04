import FanfareBase

/// Bounds of job.
extension Limits {
    /// Requests in flight on one connection when the peer names no limit.
    ///
    /// More than APNs has ever advertised (1,500), so that it never decides there.
    package static let streamsPerConnection = 2000

    /// The rows whose own payloads are looked at for mistakes: a mistake is mostly in all of them.
    package static let payloadsLookedAtMax = 100

    /// The rows of a seed list: people who look at a notification, not a broadcast.
    package static let seedRowsMax: UInt64 = 1000

    /// The rows of it that are shown: as many as a terminal has room for.
    package static let seedRowsShownMax = 20

    /// The interval in which the reader's thread checks whether all of them have their outcomes, in
    /// milliseconds.
    package static let seedLookMilliseconds: Int64 = 50

    /// The most characters of a provider's reason that are shown of a row: the space behind the
    /// other columns.
    ///
    /// The report has the whole reason.
    package static let seedReasonShownMax = 80

    /// The longest sleep of the reader before it looks at the clock on the wall again.
    ///
    /// That clock may be set, or go on while the machine sleeps.
    package static let windowLookMax = Duration.seconds(60)

    /// The blocks on the way to the writer at which the lanes stop starting requests.
    ///
    /// Requests in flight still find room for their lines, so the bound is this plus those lines.
    package static func reportBlockCount(lanes: Int) -> Int { 4 * lanes + 4 }

    /// Places in the writer's queue: far more than blocks that requests in flight could fill.
    package static let reportQueueMax = 64 * 1024
}
