package import FanfareBase

/// A lane's opinion about what a provider that asks for time means: one row, or all of them.
///
/// On one machine the row that was answered waits, and all others go on. The provider that wants nothing of anybody
/// refuses those, too. So its time is for all when a row is refused that has started behind the last verdict, and some before it
/// were as well: after a flight in which nothing was taken. A quota of one group of devices, or a server of many that is
/// busy, lets others through meanwhile, and holds no worker up.
package struct WishRun: Sendable {
    /// The number of refusals behind a verdict that have to come together.
    static let count = 3

    private var lastVerdict = Instant.distantPast
    private var refusals = 0

    package init() {}

    /// Notes an answer that was the last word about its row.
    package mutating func judged(now: Instant) {
        lastVerdict = now
        refusals = 0
    }

    /// Notes an answer that asks for time.
    /// - Parameter started: The start of its request.
    /// - Returns: True if the provider means all rows.
    package mutating func asked(afterStart started: Instant) -> Bool {
        refusals = min(refusals + 1, Self.count)
        return refusals == Self.count && started > lastVerdict
    }
}
