package import FanfareBase

/// The time for which a lane puts up with a provider that answers, and gives no verdict on any row.
///
/// A verdict ends a row, or blames its device. A 503, a 429 for all devices, or a page of HTML is
/// none: the rows come again, so that nothing else would ever end such a job.
///
/// ```
///  calm ──► in vain, since then ──► over: the job stops
///   ▲            │
///   └── verdict ─┘
/// ```
///
/// Like `Patience` it is over with a refusal behind that time, not with the time.
package struct VerdictWatch: Sendable {
    /// The longest time without a verdict.
    private let later: Duration
    /// The same as long as nothing shows that this is the provider: a wrong address should be told soon.
    private let atStart: Duration
    /// The number of times that a row may be asked to wait.
    private let wishesMax: Int64
    /// The first and the last refusal since the last verdict; `nil` behind one.
    private var vain: (clock: TroubleClock, until: Instant)?
    /// The longest time that the provider has asked for since then, in nanoseconds.
    private var longestWish: Int64 = 0
    /// True if the provider itself has been heard.
    private var isKnown = false
    /// Verdicts so far.
    package private(set) var count: UInt64 = 0

    /// - Parameters:
    ///   - later: The longest time without a verdict.
    ///   - attemptsMax: The most times that a row is sent.
    package init(_ later: Duration, attemptsMax: Int) {
        self.later = later
        atStart = min(later, Limits.patienceAtStart)
        wishesMax = Int64(min(max(attemptsMax - 1, 0), Limits.wishesMax))
    }

    /// The time since which all answers were in vain; `nil` if the last one was not.
    package var since: Instant? { vain?.clock.since }

    /// The time for which that has been so, up to the last answer.
    package var lasted: Duration? {
        vain.map { .nanoseconds($0.until.nanoseconds(since: $0.clock.since)) }
    }

    /// The longest time for which it may be so, without the pauses that the provider has asked for.
    package var bound: Duration { isKnown ? later : atStart }

    /// True if it has been so for too long.
    ///
    /// The pauses that the provider asks for do not count against it. But a provider may ask for a
    /// second without end; so the bound is the time for which one row would wait at most, by the
    /// longest of its wishes.
    package var isOver: Bool {
        guard let vain else { return false }
        let end = vain.clock.since.advanced(by: bound)
        return vain.until >= end.advanced(byNanoseconds: longestWish * wishesMax)
    }

    /// Notes that the provider has answered a row with "later", or that something else has
    /// answered.
    /// - Parameters:
    ///   - wish: The pause that it has asked for.
    ///   - isForeign: True if the answer does not look like the provider's.
    ///   - now: The time.
    package mutating func refused(wish: Duration?, isForeign: Bool, now: Instant) {
        if !isForeign { isKnown = true }
        vain = (vain?.clock ?? TroubleClock(since: now), now)
        if let wish { longestWish = max(longestWish, wish.wholeNanoseconds) }
    }

    /// Notes that the provider has given a verdict on a row.
    package mutating func judged() {
        count &+= 1
        isKnown = true
        guard vain != nil else { return }
        vain = nil
        longestWish = 0
    }

    /// Notes that the process did not run for so many nanoseconds, which does not count against the
    /// provider.
    package mutating func stoodStill(for nanoseconds: Int64) {
        vain?.clock.stoodStill(for: nanoseconds)
    }

    /// Notes that there is nothing to send from now on: that time does not count against the
    /// provider.
    package mutating func rests(now: Instant) {
        vain?.clock.rests(now: now)
    }

    /// Notes that there is something to send.
    package mutating func works(now: Instant) {
        vain?.clock.works(now: now)
    }
}
