package import FanfareBase

/// The rule by which connections are opened, and given up.
///
/// APNs treats frequent connects as abuse, and no client should dial a server that closes at once
/// 23,000 times a second (hatoo/oha#363): a few dials at a time, back-off after failures.
package struct DialPolicy: Sendable, Equatable {
    /// Dials at the same time, per lane.
    package var concurrentMax = 4
    /// The wait after a failed dial; doubles with each further failure, with jitter.
    package var backOff = RetryPolicy(
        attemptsMax: .max, firstDelay: .milliseconds(250), delayMax: .seconds(10))
    /// Failed dials in a row after which the lane gives up when it never had a connection: a wrong
    /// address should be told within seconds.
    ///
    /// Once it had one, `Patience` decides.
    package var failuresMaxAtStart = 4

    package init() {}
}

/// The dials of a lane: facts in, "now" or "not yet" out.
package struct Dialler: Sendable {
    private let policy: DialPolicy
    private var failures = 0
    private var notBefore = Instant(nanoseconds: .min)
    private var hasConnected = false
    package private(set) var dialling = 0

    /// The dials that may start now as far as their rate goes.
    private var earned: Int
    private let earnedMax: Int
    private var interval = Limits.dialInterval
    private var answers = 0
    private var countedUntil = Instant(nanoseconds: 0)

    /// - Parameters:
    ///   - policy: Its numbers.
    ///   - connections: The number of connections that are wanted: so many, and a few more, may be
    ///     dialed without having been earned.
    package init(policy: DialPolicy, connections: Int) {
        self.policy = policy
        earnedMax = connections + policy.concurrentMax
        earned = earnedMax
    }

    /// True if a dial may start now.
    package func mayDial(now: Instant) -> Bool {
        // After a failure one dial at a time shows whether the provider is back.
        dialling < (failures > 0 ? 1 : policy.concurrentMax) && now >= notBefore
            && (earned > 0 || now >= nextEarned)
    }

    /// Returns the time of the next dial, if it depends on time alone.
    package func nextDial(now: Instant) -> Instant? {
        let next = earned > 0 ? notBefore : max(notBefore, nextEarned)
        return next > now ? next : nil
    }

    private var nextEarned: Instant { countedUntil.advanced(by: interval) }

    package mutating func started(now: Instant) {
        dialling += 1
        let interval = interval.wholeNanoseconds
        let intervals = max(now.nanoseconds(since: countedUntil), 0) / interval
        earned = Int(min(Int64(earnedMax), Int64(earned) + intervals)) - 1
        countedUntil =
            earned + 1 < earnedMax
            ? countedUntil.advanced(byNanoseconds: intervals * interval) : now
    }

    /// Notes that a request was answered, which is the purpose of connections.
    package mutating func answered() {
        answers += 1
        guard answers == Limits.answersPerDial else { return }
        answers = 0
        earned = min(earned + 1, earnedMax)
    }

    /// Notes that a peer has answered on a connection with one request at a time, and has said with the
    /// answer that it takes no other one there: it wants to be dialed for what follows.
    package mutating func closedInOrder() {
        interval = Limits.dialIntervalInOrder
    }

    /// Notes that a connection which had answered was cut, by its peer or by the network: the rate of dials is
    /// that for all again.
    package mutating func cut() {
        interval = Limits.dialInterval
    }

    /// Stops dials for a while: the provider has asked for one connection less, not for another
    /// one.
    package mutating func pause(until moment: Instant) {
        notBefore = max(notBefore, moment)
    }

    package mutating func succeeded() {
        dialling -= 1
        hasConnected = true
    }

    /// Notes that a dial ended without a connection: it failed, or we no longer wanted it.
    package mutating func ended() {
        dialling -= 1
    }

    /// Notes that a connection has done some work: the provider is really there.
    ///
    /// `succeeded` is too early for that, because a server that accepts and closes at once would be
    /// dialed without a pause.
    package mutating func provedUseful() {
        failures = 0
    }

    package enum FailureAction: Equatable, Sendable {
        case tryAgain
        case giveUp
    }

    /// Notes that a dial failed, or that a connection was lost before it had answered anything.
    package mutating func failed(
        now: Instant, using generator: inout SplitMix64
    ) -> FailureAction {
        // Connections that begin side by side fail side by side, and that is one failure.
        guard now >= notBefore else { return .tryAgain }
        failures += 1
        interval = Limits.dialInterval
        // Half the bound at least: full jitter may say zero, and that is no pause. Also before it is
        // given up: a lane goes on where others are answered.
        let delay = policy.backOff.halfJitteredDelay(afterFailures: failures, using: &generator)
        notBefore = now.advanced(byNanoseconds: delay)
        return hasConnected || failures < policy.failuresMaxAtStart ? .tryAgain : .giveUp
    }
}
