/// When connections are opened, and when it is given up.
///
/// Frequent connects are treated as abuse by APNs, and a server that closes at once must not be
/// dialled 23,000 times a second (hatoo/oha#363): a few dials at a time, back-off after failures.
package struct DialPolicy: Sendable, Equatable {
    /// Dials at the same time, per lane.
    package var concurrentMax = 4
    /// The wait after a failed dial; doubles with each further failure, with jitter.
    package var backOff = RetryPolicy(
        attemptsMax: .max, firstDelay: .milliseconds(250), delayMax: .seconds(10))
    /// Failed dials in a row after which the lane gives up when it never had a connection: a wrong
    /// address should be told within seconds.
    package var failuresMaxAtStart = 4
    /// The same once there was a connection: a provider that restarts deserves more patience.
    ///
    /// With the back-off above this is about a minute.
    package var failuresMaxLater = 12

    package init() {}
}

/// The dials of a lane: facts in, "now" or "not yet" out.
package struct Dialler: Sendable {
    private let policy: DialPolicy
    private var failures = 0
    private var notBefore = Instant(nanoseconds: .min)
    private var hasConnected = false
    package private(set) var dialling = 0

    package init(policy: DialPolicy) {
        self.policy = policy
    }

    /// Whether a dial may start now.
    package func mayDial(now: Instant) -> Bool {
        // After a failure one dial at a time shows whether the provider is back.
        dialling < (failures > 0 ? 1 : policy.concurrentMax) && now >= notBefore
    }

    /// When the next dial may start, if that is a matter of time.
    package func nextDial(now: Instant) -> Instant? {
        notBefore > now ? notBefore : nil
    }

    package mutating func started() {
        dialling += 1
    }

    package mutating func succeeded() {
        dialling -= 1
        hasConnected = true
    }

    /// A dial ended without a connection: it failed, or we no longer wanted it.
    package mutating func ended() {
        dialling -= 1
    }

    /// A connection has done some work: the provider is really there.
    ///
    /// Not at `succeeded`, because a server that accepts and closes at once would be dialled without
    /// a pause.
    package mutating func provedUseful() {
        failures = 0
    }

    package enum FailureAction: Equatable, Sendable {
        case tryAgain
        case giveUp
    }

    /// A dial failed, or a connection was lost before it had answered anything.
    package mutating func failed(
        now: Instant, using generator: inout SplitMix64
    ) -> FailureAction {
        // Connections that begin side by side fail side by side, and that is one failure.
        guard now >= notBefore else { return .tryAgain }
        failures += 1
        let bound = hasConnected ? policy.failuresMaxLater : policy.failuresMaxAtStart
        guard failures < bound else { return .giveUp }
        let delay = policy.backOff.jitteredDelay(afterFailures: failures, using: &generator)
        // Half the bound at least: full jitter may say zero, and that is no pause.
        let least = policy.backOff.firstDelay.wholeNanoseconds / 2
        notBefore = now.advanced(byNanoseconds: max(delay, least))
        return .tryAgain
    }
}
