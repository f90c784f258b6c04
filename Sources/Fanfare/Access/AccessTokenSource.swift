import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS
import Synchronization

/// The access tokens of a route: requested when the route begins, and renewed while it lasts.
///
/// One thread requests them, and sleeps in between. A token belongs to the connections that open
/// while it is the newest one. `AccessTokenPolicy` decides when to request one.
final class AccessTokenSource: CredentialSource {
    private struct State {
        var policy: AccessTokenPolicy
        var generator: SplitMix64
        /// The newest token; also one that no longer serves, for a connection that was on its way.
        var credential: Credential?
        /// The number of the token that was last handed out.
        var lastGranted = 0
        /// The reason why there is no token, or no newer one.
        var reason: Statement?
        /// Tries in vain, one behind the other.
        var failures = 0
        var hasBegun = false

        func supply(now: Instant) -> CredentialSupply {
            switch policy.supply(now: now) {
            case .token: return .ready
            case .wait: return .wait
            case .refused: return .refused(reason ?? "there is no access token")
            }
        }

        mutating func failed(
            _ failure: AccessTokenPolicy.Failure, _ reason: Statement, now: Instant
        ) {
            failures += 1
            let action = policy.failed(failure, now: now, using: &generator)
            let isGivenUp = action == .stop && failure != .permanent
            self.reason = isGivenUp ? "\(reason) (asked \(failures) times)" : reason
        }
    }

    /// Makes the client of token services, on the thread that uses it.
    typealias AskerMaker = @Sendable (TokenInterruption) -> TokenOrigin.Ask

    private let origin: TokenOrigin
    private let makeAsker: AskerMaker
    private let now: @Sendable () -> Instant
    private let unixSeconds: @Sendable () -> Int64
    /// The time between looks at an origin that gets tokens without being asked.
    private let look: Duration
    private let state: Mutex<State>
    /// Wakes the thread.
    private let alarm: Alarm
    private let interruption = TokenInterruption()
    /// Ends when the thread waits for nothing any more.
    private let isDone = Alarm()

    /// Tokens that a service is asked for.
    /// - Parameters:
    ///   - origin: The service, and what it is shown.
    ///   - patience: The time for which requests may fail in the midst of a job.
    ///   - seed: The seed of the random numbers.
    ///   - way: Returns the way to an endpoint; asked here for all that credentials are shown to.
    /// - Throws: The errors of `way`.
    convenience init(
        asking origin: TokenOrigin, patience: Duration, seed: UInt64,
        way: (Endpoint) throws(FanfareError) -> ServiceWay
    ) throws(FanfareError) {
        var ways: [ServiceWay] = []
        for endpoint in origin.endpoints { ways.append(try way(endpoint)) }
        let unixSeconds: @Sendable () -> Int64 = { WallClock.milliseconds / 1000 }
        self.init(origin, patience: patience, seed: seed, unixSeconds: unixSeconds) {
            [ways] interruption in
            TokenAsker(ways: ways, unixSeconds: unixSeconds, interruption: interruption).ask
        }
    }

    /// Creates a source of tokens that another program writes to a file.
    /// - Parameters:
    ///   - tokenFile: The file, which is read here, and again when it has changed or the provider
    ///     calls its token expired.
    ///   - patience: The time for which it may be unreadable in the midst of a job.
    ///   - seed: The seed of the random numbers.
    ///   - look: The time between looks at it.
    /// - Throws: `FanfareError` with code `input` or `configuration` when there is no token in it.
    convenience init(
        tokenFile: String, patience: Duration, seed: UInt64,
        look: Duration = Limits.tokenFileLook
    ) throws(FanfareError) {
        self.init(
            .file(try TokenFile(tokenFile)), patience: patience, seed: seed, look: look
        ) { _ in
            { _, _ in preconditionFailure("BUG: a file that asks a token service") }
        }
    }

    /// - Parameters:
    ///   - origin: The origin of the tokens.
    ///   - patience: The time for which requests may fail in the midst of a job.
    ///   - seed: The seed of the random numbers.
    ///   - look: The time between looks at a file.
    ///   - now: The clock.
    ///   - unixSeconds: The wall clock.
    ///   - alarm: The alarm that wakes the thread.
    ///   - makeAsker: Makes the client of token services.
    init(
        _ origin: TokenOrigin, patience: Duration, seed: UInt64,
        look: Duration = Limits.tokenFileLook,
        now: @escaping @Sendable () -> Instant = { MachineClock.now },
        unixSeconds: @escaping @Sendable () -> Int64 = { WallClock.milliseconds / 1000 },
        alarm: Alarm = Alarm(), makeAsker: @escaping AskerMaker
    ) {
        self.origin = origin
        self.makeAsker = makeAsker
        self.look = look
        self.now = now
        self.unixSeconds = unixSeconds
        self.alarm = alarm
        state = Mutex(
            State(
                policy: AccessTokenPolicy(patience: patience), generator: SplitMix64(seed: seed)))
    }

    // MARK: Calls from lanes

    var supply: CredentialSupply {
        let now = self.now()
        return state.withLock { $0.supply(now: now) }
    }

    var trouble: CredentialTrouble? {
        let now = self.now()
        return state.withLock { state in
            guard let lasted = state.policy.failing(now: now), let reason = state.reason else {
                return nil
            }
            let waiting = state.policy.waiting(now: now).map {
                CredentialTrouble.Waiting(lasted: $0.lasted, patience: $0.patience)
            }
            return CredentialTrouble(lasted: lasted, waiting: waiting, reason: reason)
        }
    }

    func grant() throws(TLSError) -> Credential {
        try state.withLock { state throws(TLSError) in
            guard var credential = state.credential else {
                throw .invalidValue("there is no access token yet")
            }
            credential.isNew = credential.number != state.lastGranted
            state.lastGranted = credential.number
            return credential
        }
    }

    func judged(
        _ verdict: ResponseClass.Credential, _ credential: Credential
    ) -> CredentialAction {
        guard verdict == .renew else { return .goOn }
        let now = self.now()
        let action = state.withLock { state -> CredentialAction in
            switch state.policy.calledExpired(credential.number, now: now) {
            case .sendAgain:
                return .replace
            case .stop:
                let reason =
                    state.reason
                    ?? "the provider takes the access tokens of \(origin.name) for expired when they "
                    + "are new: \(origin.suspicion)"
                state.reason = reason
                return .stop(reason)
            }
        }
        alarm.ring()
        return action
    }

    // MARK: The thread

    func begin(_ changed: @escaping @Sendable () -> Void) throws(FanfareError) {
        do throws(SystemError) {
            // It ends by itself: its last act may take as long as the look-up of a name.
            try WorkerThread(name: "access token") { [self] in run(changed) }.detach()
        } catch {
            throw FanfareError(.configuration, Statement(error.description))
        }
        state.withLock { $0.hasBegun = true }
    }

    func end() {
        alarm.end()
        interruption.end()
        if state.withLock({ $0.hasBegun }) { _ = isDone.sleep(until: .distantFuture) }
    }

    private func run(_ changed: () -> Void) {
        var origin = self.origin
        let ask = makeAsker(interruption)
        var told = CredentialSupply.wait
        while !alarm.hasEnded {
            if mayAsk() {
                let asked = unixSeconds()
                // One request, or two of them.
                let end = now().advanced(by: Limits.tokenAnswerTime * 2)
                let answer = origin.next(now: asked, ask)
                noteStandstill(after: end)
                guard !alarm.hasEnded else { break }
                take(answer, asked: asked)
                told = supply
                changed()
            } else if let token = origin.newer() {
                take(.granted(token), asked: unixSeconds())
                told = supply
                changed()
            } else if told != supply {
                // It has come to its end, or was called expired for good.
                told = supply
                changed()
            }
            guard waitForWork(watching: origin.isWatched) else { break }
        }
        withExtendedLifetime(ask) { isDone.end() }
    }

    private func mayAsk() -> Bool {
        let now = self.now()
        return state.withLock { $0.policy.mayAsk(now: now) }
    }

    /// Sleeps until there is something to do.
    /// - Parameter isWatched: True if the origin is to be looked at now and then.
    /// - Returns: False when there never will be.
    private func waitForWork(watching isWatched: Bool) -> Bool {
        let now = self.now()
        var due = state.withLock { state in
            min(
                state.policy.nextAsk(now: now) ?? .distantFuture,
                state.policy.end(now: now) ?? .distantFuture)
        }
        if isWatched { due = min(due, now.advanced(by: look)) }
        let goesOn = due <= now || alarm.sleep(until: due)
        noteStandstill(after: due)
        return goesOn && !alarm.hasEnded
    }

    /// Excuses the time in which the process stood still or the machine slept.
    /// - Parameter end: The moment when the wait or the request should have ended.
    private func noteStandstill(after end: Instant) {
        let late = now().nanoseconds(since: end)
        guard late > Limits.standstill.wholeNanoseconds else { return }
        state.withLock { $0.policy.stoodStill(for: late) }
    }

    private func take(_ answer: TokenAnswer, asked: Int64) {
        let now = self.now()
        state.withLock { state in
            switch answer {
            case .granted(let token):
                let number = state.policy.granted(life: token.life, now: now)
                state.credential = Credential(
                    text: token.text, issuedAt: asked, life: token.life, number: number)
                state.reason = nil
                state.failures = 0
            case .temporary(let reason, let wish):
                state.failed(.temporary(wish: wish), reason, now: now)
            case .permanent(let reason):
                state.failed(.permanent, reason, now: now)
            }
        }
    }
}

extension AccessToken {
    /// As requests carry it.
    fileprivate var text: String {
        unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
