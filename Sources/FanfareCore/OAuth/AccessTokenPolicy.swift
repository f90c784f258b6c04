package import FanfareBase

/// The policy that decides when to ask for an access token, and with which token requests go.
///
/// Unlike the token of APNs it belongs to the request: all requests take a new one from then on,
/// and those that were sent keep the old one. One policy serves all lanes of a route; at most one
/// of them asks.
///
/// ```
///          ┌──────────────── granted ───────────────┐
///          ▼                                        │
///       living ──► 80 % of its life ──► asking, and living until its end
///          │ called expired                         │ failed: asks again after a pause
///          ▼                                        │
///        none ──────────────────► asking ◄──────────┘
///          │ failed for good, three times before the first token, or for longer than patience lasts
///          ▼
///       refused
/// ```
///
/// Facts in, answers out, the time as an argument. The lane that asks has a time limit of its own,
/// and says `failed`.
package struct AccessTokenPolicy: Sendable {
    /// Tokens are counted: a request remembers which one it went with.
    package typealias Number = Int

    /// The access token for the next request.
    package enum Supply: Equatable, Sendable {
        /// The token with this number.
        case token(Number)
        /// None lives: all requests wait. `granted` releases them, all at once.
        case wait
        /// There will be none: the route stops.
        case refused
    }

    /// The reason why there is no new token.
    package enum Failure: Equatable, Sendable {
        /// Not now; perhaps the answer has asked for a time.
        case temporary(wish: Duration?)
        /// Asking again would not help: a key that was revoked, a clock that is wrong.
        case permanent
    }

    /// The consequence of a failure for requests.
    package enum FailureAction: Equatable, Sendable {
        /// The old token lives: they go on with it.
        case goOn
        /// They wait.
        case wait
        /// The route stops.
        case stop
    }

    /// The fate of a request that was refused because of its token.
    package enum ExpiryAction: Equatable, Sendable {
        /// It goes again with the token that `supply` names then; the attempt does not count.
        case sendAgain
        /// The token is fresh, and so was asked for in vain: the route stops.
        case stop
    }

    private struct Living {
        var askedAt: Instant
        /// The time to ask for the next one.
        var renewal: Instant
        /// The time from which nothing more is sent with it.
        var end: Instant
        /// True if it was asked for because the one before was called expired.
        var replacesExpired: Bool
    }

    private enum EffortState {
        case none
        case asking(since: Instant)
        case paused(until: Instant)
    }

    /// The number of the last token; no token has 0.
    private var number: Number = 0
    private var living: Living?
    private var effort = EffortState.none
    private var failures = 0
    /// True if asking again would not help.
    private var isHopeless = false
    private var wasCalledExpired = false
    /// The time since which there is none.
    private var lacking: Instant?
    /// The time when asking first failed since there is none.
    ///
    /// It is not the end of the last token: a machine may have slept then, or the question was on
    /// its way.
    private var vainSince: Instant?
    /// The time when asking first failed since the last token was granted.
    private var failingSince: Instant?
    private let patience: Duration

    /// - Parameter patience: The time for which asking may fail while there is no token.
    package init(patience: Duration) { self.patience = patience }

    // MARK: What requests go with

    /// Returns the token for a request that is sent now.
    package func supply(now: Instant) -> Supply {
        if let living, now < living.end { return .token(number) }
        return isHopeless ? .refused : .wait
    }

    /// Returns the end of the token that requests go with now; nil if there is none, or no such
    /// time.
    package func end(now: Instant) -> Instant? {
        guard let living, now < living.end, living.end < .distantFuture else { return nil }
        return living.end
    }

    /// Returns the time since which requests have had no token; nil while they have one, and before
    /// the first question.
    package func lackingSince(now: Instant) -> Instant? {
        guard let living else { return lacking }
        return now < living.end ? nil : living.end
    }

    // MARK: Trouble

    /// Returns the time for which asking has failed; nil if it did not the last time.
    package func failing(now: Instant) -> Duration? {
        failingSince.map { .nanoseconds(now.nanoseconds(since: $0)) }
    }

    /// Returns the time for which requests have waited because asking fails, and the patience with
    /// that.
    ///
    /// It returns nil while they have a token, and before the first one.
    package func waiting(now: Instant) -> (lasted: Duration, patience: Duration)? {
        guard number > 0, case .wait = supply(now: now), let vainSince else { return nil }
        return (.nanoseconds(now.nanoseconds(since: vainSince)), patience)
    }

    // MARK: Asking

    /// True if the caller is to ask for a token now; it then does so, and says how that ended.
    ///
    /// Call it only where there is something to send.
    package mutating func mayAsk(now: Instant) -> Bool {
        guard let due = nextAsk(now: now), due <= now else { return false }
        effort = .asking(since: now)
        if living == nil, lacking == nil { lacking = now }
        return true
    }

    /// Returns the time to ask for a token; nil while a question is open, and if it would not help.
    package func nextAsk(now: Instant) -> Instant? {
        if case .refused = supply(now: now) { return nil }
        let due = living?.renewal ?? now
        switch effort {
        case .none: return max(due, now)
        case .paused(let until): return max(due, until, now)
        case .asking: return nil
        }
    }

    /// Notes a new token: all requests go with it from now on.
    /// - Parameters:
    ///   - life: The time for which it may be used, counted from the question; nil if that is not
    ///     known.
    ///   - now: The time.
    /// - Returns: Its number.
    @discardableResult
    package mutating func granted(life: Duration?, now: Instant) -> Number {
        let asked: Instant
        switch effort {
        case .asking(let since): asked = since
        case .none, .paused: asked = now
        }
        number += 1
        let nanoseconds = life?.wholeNanoseconds
        // Requests that are under way at its end would be refused; the clocks of servers differ, too.
        let margin = nanoseconds.map { min($0 / 10, Limits.accessTokenMargin.wholeNanoseconds) }
        living = Living(
            askedAt: asked,
            renewal: nanoseconds.map { asked.advanced(byNanoseconds: $0 / 5 * 4) }
                ?? .distantFuture,
            end: nanoseconds.map { asked.advanced(byNanoseconds: $0 - (margin ?? 0)) }
                ?? .distantFuture,
            replacesExpired: wasCalledExpired)
        effort = .none
        failures = 0
        isHopeless = false
        wasCalledExpired = false
        lacking = nil
        vainSince = nil
        failingSince = nil
        return number
    }

    /// Notes that asking has brought no token.
    package mutating func failed(
        _ failure: Failure, now: Instant, using generator: inout SplitMix64
    ) -> FailureAction {
        if failures == 0 { failingSince = now }
        failures += 1
        let isEarly = failures < Limits.accessTokenTries
        var least = Duration.zero
        switch failure {
        case .permanent:
            isHopeless = true
        case .temporary(let wish):
            isHopeless = number == 0 && !isEarly || hasLostPatience(now: now)
            // A server that asks for more time than there is gets one more request.
            least = min(wish ?? .zero, patience)
        }
        let pause =
            isEarly && !isHopeless ? .seconds(1 << (failures - 1)) : Limits.accessTokenPause
        // A tenth more or less, so that jobs that began together do not ask together.
        let permille = Int64.random(in: 900...1100, using: &generator)
        let wait = max(pause.wholeNanoseconds / 1000 * permille, least.wholeNanoseconds)
        effort = .paused(until: now.advanced(byNanoseconds: wait))
        switch supply(now: now) {
        case .token: return .goOn
        case .wait: return .wait
        case .refused: return .stop
        }
    }

    /// True if asking has failed for too long.
    private mutating func hasLostPatience(now: Instant) -> Bool {
        if let living, now < living.end { return false }
        guard let vainSince else {
            vainSince = now
            return false
        }
        return now.nanoseconds(since: vainSince) >= patience.wholeNanoseconds
    }

    /// Notes that the process did not run for so many nanoseconds, in which no question could
    /// succeed.
    package mutating func stoodStill(for nanoseconds: Int64) {
        vainSince = vainSince?.advanced(byNanoseconds: nanoseconds)
        failingSince = failingSince?.advanced(byNanoseconds: nanoseconds)
    }

    /// Notes that a request was refused because its token is no longer taken.
    /// - Parameters:
    ///   - number: The token that it went with.
    ///   - now: The time.
    /// - Returns: The fate of the request. Each token is replaced once at most, however many
    ///   requests have it.
    package mutating func calledExpired(_ number: Number, now: Instant) -> ExpiryAction {
        guard let living, number == self.number else {
            return isHopeless && supply(now: now) == .refused ? .stop : .sendAgain
        }
        let age = now.nanoseconds(since: living.askedAt)
        let isFresh = age < Limits.accessTokenFresh.wholeNanoseconds
        self.living = nil
        lacking = now
        if isHopeless || living.replacesExpired && isFresh {
            isHopeless = true
            return .stop
        }
        wasCalledExpired = true
        // A token that was asked for already will be newer; a pause was for the old token.
        if case .paused = effort { effort = .none }
        return .sendAgain
    }
}

extension Limits {
    /// The rest of a token's life in which nothing more is sent with it, or a tenth of the life if
    /// that is less: as long as requests may take.
    static let accessTokenMargin = Duration.seconds(10)

    /// The tries to get a token, a second and two apart, before there is a longer pause; before the first
    /// token they are all.
    static let accessTokenTries = 3

    /// The pause between further tries: a token is renewed with a fifth of its life left, which is twelve
    /// minutes of an hour.
    static let accessTokenPause = Duration.seconds(30)

    /// The age below which a token that replaced an expired one cannot have expired itself.
    static let accessTokenFresh = Duration.seconds(60)
}
