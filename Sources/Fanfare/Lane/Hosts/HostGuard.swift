import FanfareBase
import FanfareCore

/// The bounds on the outcomes of one host that rows name.
///
/// The usual bounds hold for each host by itself: otherwise a single one that is silent, or that has many rows,
/// could stop the rows of all the others.
struct HostGuard {
    private var rule: StopRule

    /// - Parameter bounds: The bounds; none where they hold for all hosts together.
    init(_ bounds: [Threshold]) { rule = StopRule(bounds) }

    /// True if anything is watched now.
    var isWatching: Bool { rule.isWatching }

    /// Looks at the host's outcomes.
    /// - Parameters:
    ///   - counts: Its outcomes so far.
    ///   - rowCount: The rows of the route, when all have been read: the host has no more.
    /// - Returns: The reason to give the host up, if a bound is crossed.
    mutating func check(_ counts: OutcomeCounts, rowCount: UInt64?) -> JobStop? {
        guard let crossed = rule.check(counts, rowCount: rowCount) else { return nil }
        return JobStop(
            .refused,
            "\(counts[crossed.outcome]) of its \(crossed.base(of: counts)) rows so far are "
                + "\(crossed.outcome.name)")
    }
}
