package import FanfareBase

/// One connection of a lane, as decisions only: its state, the requests that may start, and its
/// end.
///
/// ```
///  unused ──► connecting ──► open ──► leaving ──► draining ──► unused
///                 │            │         │           │           ▲
///                 └────────────┴─────────┴── lost ───┴───────────┘
/// ```
/// The parts that change with each request or each read lie beside the state, where they are
/// changed in place; the rest goes with the state, and ends with it.
package struct ConnectionRecord: Sendable {
    package enum State: Sendable {
        /// No transport. May become `connecting`.
        case unused
        /// TCP and TLS are being set up; in the clear the peer's SETTINGS are to come, too. May become `open`, `unused`.
        case connecting(since: Instant)
        /// Requests may start, as far as the window allows. May become `leaving`, `draining`,
        /// `unused`.
        case open(Life)
        /// The same, until its replacement is up. May become `draining`, `unused`.
        case leaving(Life)
        /// Running requests may finish, none may start. May become `unused`.
        case draining(Life)
    }

    /// The facts about a connection that is up.
    package struct Life: Sendable {
        /// The time when it was dialed.
        var dialled: Instant
        /// The time when it has to make room.
        var age: ConnectionAgePolicy.Moments
        /// The watch over its peer's life; `nil` in HTTP/1.1, where we cannot ask a peer for a sign
        /// of life.
        var silence: SilenceWatch?
        /// The time since which the peer has allowed no stream at all while rows were waiting.
        var uselessSince: Instant?
    }

    package private(set) var state: State = .unused
    package private(set) var window: InFlightWindow
    /// The requests on it, in the order in which they started: the first one is the oldest.
    var inFlight = RequestList()
    /// The time of its last answer; `.distantPast` for one that has not answered.
    private(set) var answeredAt = Instant.distantPast
    /// The time of the last bytes of the peer.
    private(set) var receivedAt = Instant.distantPast
    /// True if it has one request in flight at a time: HTTP/1.1.
    private(set) var isSerial = false
    /// The requests that were sent there.
    private(set) var requestCount = 0
    /// The requests that it has answered.
    package private(set) var answerCount = 0
    /// The requests that it gets: see `ServingHabit`.
    private(set) var allowance = Int.max
    /// True if the request on it may be what ends connections: then its end says nothing of the peer.
    package var carriesSuspect = false
    /// True if it was cut with a row on its way that had been on its way at an earlier cut.
    var hasLostAgain = false
    /// The last id that the newest GOAWAY of the peer has named; `nil` without one.
    package private(set) var lastGoAway: Int32?
    /// The time since which the transport has not taken everything, if so.
    private var fullSince: Instant?
    /// The time since which TLS takes nothing, because the peer is in the middle of a message of
    /// its own.
    private var heldSince: Instant?

    private let cap: Int

    /// - Parameter cap: Our own limit of requests in flight on the connection.
    package init(cap: Int) {
        self.cap = cap
        window = InFlightWindow(cap: cap, isProbing: true)
    }

    // MARK: Up

    mutating func dialStarted(now: Instant) {
        guard case .unused = state else { preconditionFailure("BUG: dial while \(state)") }
        self = ConnectionRecord(cap: cap)
        state = .connecting(since: now)
    }

    /// Notes that it began to be dialed later than it was wanted.
    /// - Returns: True if that is later than what was known.
    mutating func dialBegan(at beginning: Instant) -> Bool {
        guard case .connecting(let since) = state, since < beginning else { return false }
        state = .connecting(since: beginning)
        return true
    }

    /// Notes that the transport is up, and that HTTP/2 is spoken there.
    /// - Parameters:
    ///   - startsAlone: One request first, until it is answered: token authentication, or trouble.
    ///   - calm: The limit that ENHANCE_YOUR_CALM has left to the connections before it; `nil`
    ///     without one.
    ///   - capacity: The number that the peer was seen to take on others; `nil` if it takes all it
    ///     allows.
    ///   - isSerial: True if it has one request in flight at a time and no PING: HTTP/1.1.
    ///   - allowance: The requests that it gets: see `ServingHabit`.
    ///   - age: The times when it has to make room.
    mutating func connected(
        startsAlone: Bool, calm: Int?, capacity: Int?, isSerial: Bool = false,
        allowance: Int = .max, age: ConnectionAgePolicy.Moments
    ) {
        guard case .connecting(let dialled) = state else {
            preconditionFailure("BUG: connected while \(state)")
        }
        self.isSerial = isSerial
        self.allowance = allowance
        let silence = isSerial ? nil : SilenceWatch()
        state = .open(Life(dialled: dialled, age: age, silence: silence))
        guard !isSerial else {
            window = InFlightWindow(cap: 1, isProbing: startsAlone)
            return window.settingsReceived(maxConcurrentStreams: 1)
        }
        window = InFlightWindow(
            cap: cap, isProbing: startsAlone, calm: calm, capacity: capacity)
    }

    mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        window.settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
    }

    /// Notes that the peer has said GOAWAY; a later one may name a lower id.
    package mutating func goAwayReceived(last: Int32) {
        lastGoAway = min(lastGoAway ?? .max, last)
    }

    /// Notes that bytes have arrived.
    package mutating func received(now: Instant) {
        receivedAt = now
    }

    /// Notes the reasons that keep bytes from leaving.
    /// - Parameters:
    ///   - isFull: True if the transport has not taken everything.
    ///   - isHeld: True if TLS takes nothing, because the peer is in the middle of a message of its
    ///     own.
    ///   - now: The time.
    package mutating func blocked(isFull: Bool, isHeld: Bool, now: Instant) {
        fullSince = isFull ? fullSince ?? now : nil
        heldSince = isHeld ? heldSince ?? now : nil
    }

    /// Notes that the peer has ended a stream because there are too many.
    mutating func calmed() {
        window.calmed()
    }

    /// Notes that the peer has refused a stream that it allowed.
    mutating func refused() {
        window.refused()
    }

    // MARK: Requests

    /// The requests that may start now.
    var room: Int { takesRequests ? min(window.room, allowance - requestCount) : 0 }

    /// True if it has got all the requests that its peer is known to answer.
    var isUsedUp: Bool { requestCount >= allowance }

    /// True if it has answered all the requests that it was to get.
    var hasKeptHabit: Bool { answerCount >= allowance }

    /// The time when it was dialed; `nil` before it is up.
    var dialledAt: Instant? {
        switch state {
        case .unused, .connecting: nil
        case .open(let life), .leaving(let life), .draining(let life): life.dialled
        }
    }

    var takesRequests: Bool {
        switch state {
        case .open, .leaving: true
        case .unused, .connecting, .draining: false
        }
    }

    mutating func requestStarted() {
        precondition(takesRequests, "BUG: request started while \(state)")
        window.opened()
        requestCount += 1
    }

    package enum RequestEndedAction: Equatable, Sendable {
        case goOn
        /// It was draining, and this was its last request.
        case close
    }

    /// Notes that a request has left the connection.
    /// - Parameter answeredAt: The time when the provider answered it, so that a probe has done its
    ///   work; `nil` without an answer.
    /// - Returns: The fate of the connection.
    mutating func requestEnded(answeredAt: Instant?) -> RequestEndedAction {
        window.closed()
        if let answeredAt {
            window.answered()
            answerCount += 1
            self.answeredAt = answeredAt
        }
        return isDraining && window.inFlight == 0 ? .close : .goOn
    }

    package var hasAnswered: Bool { answeredAt > .distantPast }

    /// True if the peer has said GOAWAY.
    package var isDismissed: Bool { lastGoAway != nil }

    // MARK: Down

    package enum RetireAction: Equatable, Sendable {
        /// Nothing is in flight: close it now.
        case close
        /// It closes by itself with its last request.
        case drain
        /// It was on its way out already.
        case none
    }

    /// Notes that it has become old: it goes on until another one has taken its place.
    mutating func leave() {
        guard case .open(let life) = state else {
            preconditionFailure("BUG: asked to leave while \(state)")
        }
        state = .leaving(life)
    }

    /// Starts no more requests on this connection: GOAWAY, an old token, or the end of the job.
    mutating func retire() -> RetireAction {
        switch state {
        case .unused, .draining:
            return .none
        case .connecting:
            return .close
        case .open(let life), .leaving(let life):
            state = .draining(life)
            return window.inFlight == 0 ? .close : .drain
        }
    }

    /// Notes that the transport is gone.
    ///
    /// The caller has taken off all requests in flight before.
    mutating func lost() {
        precondition(window.inFlight == 0, "BUG: a lost connection still has requests in flight")
        state = .unused
    }

    /// True if it was of use, or should have been: a server may close an idle connection.
    func wasTried(now: Instant) -> Bool {
        switch state {
        case .unused, .connecting: true
        case .open(let life), .leaving(let life), .draining(let life):
            requestCount > 0 || window.limit == 0
                || now < life.dialled.advanced(by: Limits.connectionTrial)
        }
    }
}

// MARK: By the clock

extension ConnectionRecord {
    /// The consequence of a connection's age.
    package enum AgeAction: Sendable {
        case goOn
        /// It may go on until it is replaced.
        case leave
        /// Nothing more is sent there.
        case retire
    }

    /// Returns the action for a connection that may be too old, by itself or by its token.
    func look(atAge now: Instant) -> AgeAction {
        switch state {
        case .unused, .connecting, .draining: .goOn
        case .open(let life), .leaving(let life):
            isUsedUp || now >= life.age.end ? .retire : now >= life.age.replacement ? .leave : .goOn
        }
    }

    /// True if anything was heard of the peer since a moment.
    ///
    /// Bytes of that very moment came before it could cause anything.
    package func hasHeard(since moment: Instant) -> Bool { receivedAt > moment }

    /// Returns the action for a peer that may be dead, as far as we can tell.
    package mutating func lookAtSilence(oldest: Instant?, now: Instant) -> SilenceWatch.Action {
        var action = SilenceWatch.Action.wait
        withLife { life, received in
            action = life.silence?.look(oldest: oldest, received: received, now: now) ?? .wait
        }
        return action
    }

    /// True if its peer is asked for a sign of life when it is silent.
    package var watchesSilence: Bool {
        switch state {
        case .unused, .connecting: false
        case .open(let life), .leaving(let life), .draining(let life): life.silence != nil
        }
    }

    /// True if its peer allows no stream now, and nothing is in flight that could end.
    package var isShut: Bool { window.inFlight == 0 && isUp && window.limit == 0 }

    /// True if its peer allows no stream now, or has allowed none when it was looked at last.
    package var mayBeUseless: Bool { isShut || isMarkedUseless }

    /// True if its peer has allowed no stream for too long.
    /// - Parameters:
    ///   - keepsRows: True if it is shut while rows wait.
    ///   - now: The time.
    /// - Returns: True if it is of no use.
    package mutating func isUseless(keepsRows: Bool, now: Instant) -> Bool {
        guard keepsRows || isMarkedUseless else { return false }
        var isUseless = false
        withLife { life, _ in
            guard keepsRows else {
                life.uselessSince = nil
                return
            }
            let since = life.uselessSince ?? now
            life.uselessSince = since
            isUseless = now >= since.advanced(by: Limits.noStreamsMax)
        }
        return isUseless
    }

    private var isMarkedUseless: Bool { uselessSince != nil }

    /// The time since which its peer has allowed no stream while rows were waiting; `nil` if it does.
    package var uselessSince: Instant? {
        switch state {
        case .unused, .connecting: nil
        case .open(let life), .leaving(let life), .draining(let life): life.uselessSince
        }
    }

    /// Returns the time at which it is given up because nothing can be sent there; `nil` while
    /// something can.
    ///
    /// With nothing in flight no request would ever time out there, and none can start. Reading
    /// goes on meanwhile: a peer that cannot write may not read either, and then both would wait.
    package func blockedEnd(timeoutNanoseconds: Int64) -> Instant? {
        (fullSince ?? heldSince)?.advanced(byNanoseconds: timeoutNanoseconds)
    }

    /// True if nothing could be sent there for as long as an answer may take.
    package func isBlockedForLong(_ settings: DispatchSettings, now: Instant) -> Bool {
        blockedEnd(timeoutNanoseconds: settings.timeoutNanoseconds).map { now >= $0 } ?? false
    }

    /// Returns the time at which it has to be looked at even if nothing happens until then;
    /// `.distantFuture` if never.
    /// - Parameters:
    ///   - oldest: The time when its oldest request started; `nil` without one.
    ///   - settings: The settings with its times.
    /// - Returns: The moment.
    func deadline(oldest: Instant?, _ settings: DispatchSettings) -> Instant {
        var next = blockedEnd(timeoutNanoseconds: settings.timeoutNanoseconds) ?? .distantFuture
        let life: Life
        switch state {
        case .unused:
            return .distantFuture
        case .connecting(let since):
            return min(next, since.advanced(byNanoseconds: settings.connectTimeoutNanoseconds))
        case .open(let open):
            life = open
            next = min(next, life.age.end, life.age.replacement)
        case .leaving(let leaving):
            life = leaving
            next = min(next, life.age.end)
        case .draining(let draining):
            life = draining
        }
        if let oldest {
            next = min(next, oldest.advanced(byNanoseconds: settings.timeoutNanoseconds))
            let silence = life.silence?.deadline(oldest: oldest, received: receivedAt)
            next = min(next, silence ?? .distantFuture)
        }
        if let since = life.uselessSince {
            next = min(next, since.advanced(by: Limits.noStreamsMax))
        }
        return next
    }

    private mutating func withLife(_ body: (inout Life, _ receivedAt: Instant) -> Void) {
        switch state {
        case .unused, .connecting: break
        case .open(var life):
            body(&life, receivedAt)
            state = .open(life)
        case .leaving(var life):
            body(&life, receivedAt)
            state = .leaving(life)
        case .draining(var life):
            body(&life, receivedAt)
            state = .draining(life)
        }
    }
}

// MARK: States by name

extension ConnectionRecord {
    package var isUnused: Bool { if case .unused = state { true } else { false } }
    var isConnecting: Bool { if case .connecting = state { true } else { false } }
    /// Without one that has got all its requests: the next one is dialed while it answers the last.
    var isOpen: Bool { if case .open = state { !isUsedUp } else { false } }
    var isLeaving: Bool { if case .leaving = state { true } else { false } }
    package var isDraining: Bool { if case .draining = state { true } else { false } }

    /// True if HTTP/2 is spoken there.
    package var isUp: Bool {
        switch state {
        case .unused, .connecting: false
        case .open, .leaving, .draining: true
        }
    }
}
