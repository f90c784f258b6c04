package import FanfareBase

/// A limit on the retries of a lane, so that they do not add to a provider's troubles.
///
/// It is a bucket of tokens, one for each retry. Each row's first attempt puts a share of a token
/// in, a retry takes one out, and one that gets its row done puts it back: the budget bounds work
/// in vain. With a share of 20 % the bucket runs dry when more than about a third of all attempts
/// fail.
///
/// A retry that finds no token waits. The lane does not give it up, because a batch would rather be
/// late than burn its rows in an outage. So that waiting ends even if no first attempts are left,
/// tokens also trickle in with time. Meanwhile the waiting rows keep the lane from taking up new
/// ones (see `Limits.backingOffMax`), the lane falls back to the trickle's pace, and when the
/// provider answers again the tokens that come back let the pace grow with each round trip.
///
/// A provider that answers retries with "too many requests" has a smaller scale: the trickle slows down as long as it
/// does, once for each flight of retries, and with each retry that gets its row done it is twice as fast again. It
/// stays fast enough to notice soon when the provider takes one: see `Limits.retriesPerPeriod`.
///
/// https://finagle.github.io/blog/2016/02/08/retry-budgets/, gRPC A6 "Throttling Retry Attempts".
package struct RetryBudget: Sendable {
    /// A token in the unit that is counted in.
    private static let token: Int64 = 1_000_000

    private let perFirstAttempt: Int64
    private var tokens = RetryBudget.token * Limits.retryBudgetFloor
    /// The time up to which the trickle is in `tokens`.
    private var trickledUntil = Instant(nanoseconds: 0)
    /// The number of times that the trickle takes its usual time.
    private var slowness: Int64 = 1
    /// The time at which it has slowed down: a retry that was under way then says nothing new.
    private var slowedAt = Instant.distantPast
    /// Retries that were too many since then.
    private var tooMany = 0
    /// True if the last answer to a retry was that there are too many.
    private var wasLastTooMany = false
    /// The time at which a retry has got its row done behind one that was too many.
    private var takenAt: Instant?
    /// The time between two such retries, in nanoseconds; `nil` as long as there were none.
    private var period: Int64?

    /// - Parameter share: Retries per first attempt.
    package init(share: Double) {
        perFirstAttempt = Int64(share * Double(Self.token))
    }

    /// Notes that a row is on the wire for the first time.
    package mutating func firstAttemptStarted() {
        tokens = min(tokens + perFirstAttempt, Self.token * Limits.retryBudgetMax)
    }

    /// Takes a token for a retry, if there is one.
    package mutating func take(now: Instant) -> Bool {
        trickle(now: now)
        guard tokens >= Self.token else { return false }
        tokens -= Self.token
        return true
    }

    /// Notes that a retry was answered with "too many requests".
    /// - Parameters:
    ///   - started: The time when it started.
    ///   - now: The time.
    package mutating func wasTooMany(started: Instant, now: Instant) {
        wasLastTooMany = true
        guard started >= slowedAt else { return }
        tooMany += 1
        guard tooMany == Limits.retriesPerSlowing else { return }
        trickle(now: now)
        tooMany = 0
        slowedAt = now
        slowness = min(slowness * 2, slownessMax)
    }

    /// Notes that a retry has got its row done.
    package mutating func giveBack(now: Instant) {
        if wasLastTooMany {
            wasLastTooMany = false
            if let takenAt { period = now.nanoseconds(since: takenAt) }
            takenAt = now
        }
        if slowness > 1 {
            trickle(now: now)
            slowness = min(max(slowness / 2, 1), slownessMax)
        }
        tooMany = 0
        tokens = min(tokens + Self.token, Self.token * Limits.retryBudgetMax)
    }

    /// The most that the trickle may slow down now.
    private var slownessMax: Int64 {
        let longest = period.map { $0 / Limits.retriesPerPeriod } ?? .max
        return min(max(longest / Limits.retryTrickle.wholeNanoseconds, 1), Limits.retrySlownessMax)
    }

    /// True while it slows retries down.
    package var isSlowed: Bool { slowness > 1 }

    /// Returns the time when there will be a token, which may be now.
    package func nextToken(now: Instant) -> Instant {
        guard tokens < Self.token else { return now }
        let missing = (Self.token - tokens) * Self.unitNanoseconds * slowness
        return max(now, trickledUntil.advanced(byNanoseconds: missing))
    }

    /// The time in which the trickle usually brings the smallest part of a token.
    private static let unitNanoseconds = Limits.retryTrickle.wholeNanoseconds / token

    private mutating func trickle(now: Instant) {
        let room = Self.token * Limits.retryBudgetFloor - tokens
        let unit = Self.unitNanoseconds * slowness
        let units = max(now.nanoseconds(since: trickledUntil), 0) / unit
        guard units < room else {
            tokens += max(room, 0)
            trickledUntil = now
            return
        }
        tokens += units
        // Only what has been counted: a lane that asks often would else never get anything.
        trickledUntil = trickledUntil.advanced(byNanoseconds: units * unit)
    }
}
