/// What a lane sends next and where, and what becomes of a request when its attempt ends.
///
/// Knows requests and connections by number only: no bytes, no sockets, no clock. The lane's engine
/// tells it facts and does what it answers; the simulation does the same on a virtual clock.
///
/// A request is always in exactly one place:
/// ```
///  taken up ──► in flight ──► finished
///      │        ▲      │
///      └► ready ┘◄─────┤ provably unprocessed
///            ▲         ▼
///            └── backing off: answered with "later"
/// ```
package struct Dispatcher: ~Copyable {
    private let settings: DispatchSettings
    private(set) var requests = RequestTable()
    private var ready = RequestList()
    private var retries = RetryQueue()
    /// By connection, in the order in which the requests started: the first one is the oldest.
    private var inFlight: [RequestList]
    private var connections: [ConnectionStateMachine]
    private var hasAnswered: [Bool]
    private var dialledAt: [Instant]
    private var dialler: Dialler
    private var generator: SplitMix64

    package private(set) var inFlightCount = 0

    package init(settings: DispatchSettings, seed: UInt64) {
        self.settings = settings
        // As many may be on their way out as are wanted: a graceful GOAWAY on all of them.
        let places = 2 * settings.connections
        inFlight = Array(repeating: RequestList(), count: places)
        connections = Array(
            repeating: ConnectionStateMachine(cap: settings.streamsPerConnection), count: places)
        hasAnswered = Array(repeating: false, count: places)
        dialledAt = Array(repeating: .distantFuture, count: places)
        dialler = Dialler(policy: settings.dial)
        generator = SplitMix64(seed: seed)
    }

    // MARK: Requests

    /// Takes up a row.
    ///
    /// Next it is `started`, `postponed` or `finished`.
    package mutating func takeUp() -> RequestID {
        requests.take()
    }

    /// An earlier run of the job may have sent a row just taken up: that was an attempt too.
    package mutating func wasTried(_ id: RequestID) {
        requests[id].attempts += 1
    }

    /// A request has to wait for room: a row just taken up gets behind those that are ready, and one
    /// that was ready already keeps its place.
    package mutating func postponed(_ id: RequestID) {
        if requests[id].phase == .held { becomeReady(id) }
    }

    /// The request that has been ready longest; those whose back-off is over become ready first.
    package mutating func nextReady(now: Instant) -> RequestID? {
        while let due = retries.popDue(now: now) {
            requests[due].phase = .ready
            requests.append(due, to: &ready)
        }
        return ready.first >= 0 ? ready.first : nil
    }

    /// A request went on the wire of a connection.
    package mutating func started(_ id: RequestID, on connection: Int, now: Instant) {
        if requests[id].phase == .ready { requests.remove(id, from: &ready) }
        requests[id].phase = .inFlight
        requests[id].connection = Int32(truncatingIfNeeded: connection)
        requests[id].attempts += 1
        requests[id].startedAt = now
        requests.append(id, to: &inFlight[connection])
        connections[connection].requestStarted()
        inFlightCount += 1
    }

    package func request(_ id: RequestID) -> Request { requests[id] }

    package enum EndedAction: Equatable, Sendable {
        /// The row has its outcome: report it, then call `finished`.
        case report
        /// It will be sent again; nothing to do.
        case later
    }

    /// An attempt has ended, and its end says what may be done.
    /// - Returns: What becomes of the request, and whether its connection is to be closed.
    package mutating func attemptEnded(
        _ id: RequestID, _ end: AttemptEnd, now: Instant
    ) -> (request: EndedAction, connection: ConnectionStateMachine.RequestEndedAction) {
        let connection = Int(requests[id].connection)
        requests.remove(id, from: &inFlight[connection])
        inFlightCount -= 1
        let wasAnswered = end.isAnswer
        if wasAnswered && !hasAnswered[connection] {
            hasAnswered[connection] = true
            dialler.provedUseful()
        }
        let action = connections[connection].requestEnded(wasAnswered: wasAnswered)
        return (disposition(of: id, end, now: now), action)
    }

    private mutating func disposition(
        of id: RequestID, _ end: AttemptEnd, now: Instant
    ) -> EndedAction {
        switch end {
        case .answeredFinally, .inDoubt:
            requests[id].phase = .held
            return .report
        case .answeredLater(let retryAfter):
            requests[id].refusals = 0
            return backOff(id, retryAfter: retryAfter, now: now)
        case .answeredElsewhere:
            // Answered, but the answer is about the connection: at once, yet it counts.
            guard Int(requests[id].attempts) < settings.retry.attemptsMax else {
                requests[id].phase = .held
                return .report
            }
            becomeReady(id)
            return .later
        case .unprocessed:
            return sendAgain(id, now: now)
        }
    }

    /// Proof that nothing happened: at once, and no attempt counted.
    ///
    /// A peer that refuses the same request again and again gets the pauses of a retry, and in the
    /// end the row is given up.
    private mutating func sendAgain(_ id: RequestID, now: Instant) -> EndedAction {
        requests[id].attempts -= 1
        requests[id].refusals += 1
        let refusals = Int(requests[id].refusals)
        guard refusals < settings.refusalsMax else {
            requests[id].phase = .held
            return .report
        }
        guard refusals > settings.refusalsAtOnce else {
            becomeReady(id)
            return .later
        }
        let delay = settings.retry.jitteredDelay(
            afterFailures: refusals - settings.refusalsAtOnce, using: &generator)
        enterBackOff(id, due: now.advanced(byNanoseconds: delay))
        return .later
    }

    private mutating func backOff(
        _ id: RequestID, retryAfter: Duration?, now: Instant
    ) -> EndedAction {
        let delay = settings.retry.delay(
            afterAttempts: Int(requests[id].attempts), retryAfter: retryAfter, using: &generator)
        guard let delay else {
            requests[id].phase = .held
            return .report
        }
        enterBackOff(id, due: now.advanced(byNanoseconds: delay))
        return .later
    }

    private mutating func enterBackOff(_ id: RequestID, due: Instant) {
        requests[id].phase = .backingOff
        retries.insert(id, due: due)
    }

    private mutating func becomeReady(_ id: RequestID) {
        requests[id].phase = .ready
        requests.append(id, to: &ready)
    }

    /// The row is reported; its number is free for another.
    package mutating func finished(_ id: RequestID) {
        requests.release(id)
    }

    /// Gives up a request that is ready or backing off, because the job stops.
    /// - Returns: Its number, already released, or `nil` when there is none left.
    package mutating func abandonNext() -> RequestID? {
        if ready.first >= 0 {
            let id = ready.first
            requests.remove(id, from: &ready)
            requests.release(id)
            return id
        }
        guard let id = retries.popFirst() else { return nil }
        requests.release(id)
        return id
    }

    /// The oldest request on a connection whose time for an answer is over.
    package func overdue(on connection: Int, now: Instant) -> RequestID? {
        let oldest = inFlight[connection].first
        guard oldest >= 0 else { return nil }
        return now >= deadline(of: oldest) ? oldest : nil
    }

    /// The oldest request on a connection, for sweeping one that is lost.
    package func oldest(on connection: Int) -> RequestID? {
        let oldest = inFlight[connection].first
        return oldest >= 0 ? oldest : nil
    }

    private func deadline(of id: RequestID) -> Instant {
        requests[id].startedAt.advanced(byNanoseconds: settings.timeoutNanoseconds)
    }

    /// Whether another row may be taken up: rows that wait are bounded.
    package var mayTakeUp: Bool {
        ready.count == 0 && retries.count < settings.backingOffMax
    }

    /// No request is left anywhere.
    package var isIdle: Bool { requests.count == 0 }

    /// Requests taken up and not finished.
    package var unfinishedCount: Int { requests.count }

    package var waitingCount: Int { retries.count }

    // MARK: Connections

    /// The number of places for connections: numbers below it name a connection.
    package var connectionPlaces: Int { connections.count }

    package func state(of connection: Int) -> ConnectionStateMachine.State {
        connections[connection].state
    }

    package func window(of connection: Int) -> InFlightWindow { connections[connection].window }

    /// The requests that may start on a connection now.
    package func room(on connection: Int) -> Int { connections[connection].room }

    /// The connection to open now, if one is missing; it counts as dialled.
    package mutating func nextDial(now: Instant) -> Int? {
        guard dialler.mayDial(now: now), wanted > 0 else { return nil }
        guard let place = connections.firstIndex(where: { $0.state == .unused }) else { return nil }
        connections[place].dialStarted()
        dialler.started()
        dialledAt[place] = now
        hasAnswered[place] = false
        return place
    }

    /// A connection that has taken too long to be set up, TLS included.
    package func overdueDial(now: Instant) -> Int? {
        connections.indices.first {
            connections[$0].state == .connecting && now >= dialDeadline(of: $0)
        }
    }

    private func dialDeadline(of connection: Int) -> Instant {
        dialledAt[connection].advanced(byNanoseconds: settings.connectTimeoutNanoseconds)
    }

    private var wanted: Int {
        var live = 0
        for connection in connections
        where connection.state == .connecting || connection.state == .open { live += 1 }
        return settings.connections - live
    }

    package mutating func connected(_ connection: Int) {
        connections[connection].connected(startsAlone: settings.firstRequestAlone)
        dialler.succeeded()
    }

    package mutating func settingsReceived(on connection: Int, maxConcurrentStreams: UInt32) {
        connections[connection].settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
    }

    package mutating func retire(_ connection: Int) -> ConnectionStateMachine.RetireAction {
        return connections[connection].retire()
    }

    /// A transport is gone, after all its requests were taken off.
    /// - Parameters:
    ///   - connection: Whose transport it was.
    ///   - isFailure: The peer or the network ended it, not we.
    ///   - now: The time.
    /// - Returns: Whether another dial makes sense.
    package mutating func lost(
        _ connection: Int, isFailure: Bool, now: Instant
    ) -> Dialler.FailureAction {
        if connections[connection].state == .connecting { dialler.ended() }
        connections[connection].lost()
        guard isFailure, !hasAnswered[connection] else { return .tryAgain }
        let action = dialler.failed(now: now, using: &generator)
        // A provider that takes one connection and refuses the others is no reason to give up.
        let hasOpen = connections.contains { $0.state == .open }
        return hasOpen ? .tryAgain : action
    }

    // MARK: Time

    /// When something has to be done even if nothing happens until then.
    package func nextDeadline(now: Instant) -> Instant? {
        var next = Instant.distantFuture
        // What is due already waits for room, and room comes with an event.
        if let due = retries.nextDue, due > now { next = due }
        for list in inFlight where list.first >= 0 {
            next = min(next, deadline(of: list.first))
        }
        for index in connections.indices where connections[index].state == .connecting {
            next = min(next, dialDeadline(of: index))
        }
        if wanted > 0, let dial = dialler.nextDial(now: now) { next = min(next, dial) }
        return next == .distantFuture ? nil : next
    }
}
