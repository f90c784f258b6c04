package import FanfareBase

/// Connections: when to open one, and when one has to go.
extension Dispatcher {
    /// The number of places for connections: numbers below it name a connection.
    ///
    /// It grows with the number of connections that are wanted.
    package var connectionPlaces: Int { connections.count }

    /// How many connections are wanted, and why.
    package var connectionDemand: ConnectionDemand { demand }

    /// Makes places for the connections that are wanted.
    mutating func makePlaces() {
        // As many may be on their way out as are wanted: a graceful GOAWAY on all of them.
        while connections.count < 2 * demand.target {
            inFlight.append(RequestList())
            connections.append(ConnectionStateMachine(cap: settings.streamsPerConnection))
            answeredAt.append(.distantPast)
            dialledAt.append(.distantFuture)
            ages.append(.init(replacement: .distantFuture, end: .distantFuture))
            isDismissed.append(false)
            hasRequests.append(false)
        }
    }

    /// Looks whether more connections would help.
    /// - Parameters:
    ///   - times: What the lane's time went into so far.
    ///   - answers: Requests answered so far.
    ///   - now: The time.
    package mutating func reviewDemand(times: LimitTimes, answers: UInt64, now: Instant) {
        refreshCalm()
        guard demand.isOpen else { return }
        let areProven = connections.indices.allSatisfy {
            switch connections[$0].state {
            case .unused, .draining, .leaving: true
            case .connecting: false
            case .open: hasAnswered($0)
            }
        }
        demand.look(
            ConnectionDemand.View(
                times: times, answers: answers, inFlight: inFlightCount,
                isSettled: areProven && wanted <= 0 && calmLimit == nil),
            now: now)
        makePlaces()
    }

    func hasAnswered(_ connection: Int) -> Bool {
        answeredAt[connection] > .distantPast
    }

    package func state(of connection: Int) -> ConnectionStateMachine.State {
        connections[connection].state
    }

    package func window(of connection: Int) -> InFlightWindow { connections[connection].window }

    /// The requests that may start on a connection now.
    package func room(on connection: Int) -> Int {
        let room = connections[connection].room
        guard settings.isAdaptive else { return room }
        return min(room, max(adaptive.limit - inFlightCount, 0))
    }

    /// Whether rows are sent now, or with the next answer: a connection has room, or has answered.
    package var sendsRows: Bool {
        connections.indices.contains {
            connections[$0].takesRequests
                && (room(on: $0) > 0 || hasAnswered($0) && connections[$0].window.limit > 0)
        }
    }

    /// The connection to open now, if one is missing; it counts as dialled.
    package mutating func nextDial(now: Instant) -> Int? {
        guard dialler.mayDial(now: now), wanted > 0, !isProbing else { return nil }
        guard let place = connections.firstIndex(where: { $0.state == .unused }) else { return nil }
        connections[place].dialStarted()
        dialler.started(now: now)
        dialledAt[place] = now
        answeredAt[place] = .distantPast
        isDismissed[place] = false
        hasRequests[place] = false
        return place
    }

    /// Whether one connection asks, for all of them, if the provider answers again.
    private var isProbing: Bool {
        settings.givesWay && patience.since != nil
            && connections.contains { $0.takesRequests && $0.window.isProbing }
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

    private var wanted: Int { demand.target - live }

    private var live: Int {
        var live = 0
        for connection in connections
        where connection.state == .connecting || connection.state == .open { live += 1 }
        return live
    }

    /// A connection is up.
    /// - Parameters:
    ///   - connection: Which.
    ///   - signed: When its token was signed; nil without one.
    ///   - now: The time.
    package mutating func connected(
        _ connection: Int, tokenSigned signed: Instant? = nil, now: Instant
    ) {
        let capacity = capacitySeen
        connections[connection].connected(
            startsAlone: settings.firstRequestAlone
                || settings.givesWay && patience.since != nil,
            calm: calmLimit, capacity: capacity)
        ages[connection] = settings.age.moments(
            opened: now, tokenSigned: signed, using: &generator)
        dialler.succeeded()
    }

    /// The most that a connection was seen to take where its peer refuses streams: the next one need not learn it
    /// anew.
    private var capacitySeen: Int? {
        connections.lazy.filter { $0.state != .unused && $0.state != .connecting }
            .compactMap(\.window.capacity?.limit).max()
    }

    /// A connection that has to go now: its token is about to end, or it is old and its replacement
    /// is up, or it is old and there is nothing to send.
    ///
    /// One that is old with rows to send goes on until another one has taken its place.
    /// - Parameters:
    ///   - hasLoad: Whether there is anything to send.
    ///   - now: The time.
    /// - Returns: The connection to retire, or `nil` when none has to go now.
    package mutating func nextToRetire(hasLoad: Bool, now: Instant) -> Int? {
        if let surplus { return surplus }
        for index in connections.indices where connections[index].takesRequests {
            if now >= ages[index].end { return index }
            guard now >= ages[index].replacement else { continue }
            guard hasLoad else { return index }
            if connections[index].state == .open { connections[index].leave() }
        }
        guard wanted <= 0 else { return nil }
        // As many are up as there should be, without those that leave.
        let areAllUp = !connections.contains { $0.state == .connecting }
        return areAllUp ? connections.firstIndex { $0.state == .leaving } : nil
    }

    /// A connection that was tried and is of no use: see `ConnectionDemand`.
    private var surplus: Int? {
        let open = connections.count { $0.state == .open }
        return open > demand.target ? connections.lastIndex { $0.state == .open } : nil
    }

    /// The provider has had too many tokens: no connection for a while.
    package mutating func pauseDials(until moment: Instant) {
        dialler.pause(until: moment)
    }

    /// A peer's limit bounds its own connection and nothing else: it comes down and goes up again with
    /// single answers, and what the provider can take is learned from those.
    package mutating func settingsReceived(on connection: Int, maxConcurrentStreams: UInt32) {
        connections[connection].settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
    }

    /// No more requests on a connection.
    /// - Parameters:
    ///   - connection: Which.
    ///   - byPeer: Whether the peer has said GOAWAY.
    /// - Returns: What is to be done with it.
    package mutating func retire(
        _ connection: Int, byPeer: Bool = false
    ) -> ConnectionStateMachine.RetireAction {
        if byPeer { isDismissed[connection] = true }
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
        let wasConnecting = connections[connection].state == .connecting
        if wasConnecting { dialler.ended() }
        // A server may close what is idle: no request was waiting for an answer there.
        let wasTried =
            wasConnecting || hasRequests[connection]
            || connections[connection].window.limit == 0
            || now < dialledAt[connection].advanced(by: Limits.connectionTrial)
        connections[connection].lost()
        // A GOAWAY before any answer is a refusal too, however politely the connection ends.
        guard isFailure || isDismissed[connection], !hasAnswered(connection) else {
            return .tryAgain
        }
        demand.refused(live: live, now: now)
        let action = dialler.failed(now: now, using: &generator)
        // A provider that takes one connection and refuses the others is no reason to give up, unless
        // nothing may be sent on that one.
        let hasUseful = connections.contains { $0.takesRequests && $0.window.limit > 0 }
        guard !hasUseful else { return .tryAgain }
        if wasTried { patience.troubled(now: now) }
        return action
    }

    /// Whether the peer has said GOAWAY on a connection.
    package func isDismissed(_ connection: Int) -> Bool { isDismissed[connection] }

    /// A connection's peer has refused a request, or reset it.
    ///
    /// Resets that come of too many requests end with fewer, as refusals do, and each one costs a row: hence the
    /// window takes them for refusals. A request that goes alone says nothing of how many are too many.
    /// - Parameters:
    ///   - connection: Which.
    ///   - isInDoubt: Whether it may have acted on the request.
    ///   - now: The time.
    /// - Returns: Whether the connection should be left, because it does nothing else: another one asks
    ///   after a pause, with one request.
    package mutating func refusesOrResets(
        on connection: Int, isInDoubt: Bool, now: Instant
    ) -> Bool {
        if isInDoubt {
            if !connections[connection].window.isProbing { adaptive.refused(now: now) }
            patience.reset(now: now)
        } else {
            patience.troubled(now: now)
        }
        return isSerious(now: now)
    }

    /// Whether a connection on which a request has gone wrong should be left, because others have for a
    /// while.
    package func isSerious(now: Instant) -> Bool {
        settings.givesWay && patience.isSerious(now: now)
    }

    /// Whether a connection has answered nothing since a request started there that has waited for as long
    /// as it may: what stands behind it does not answer, though it lives.
    package func isMute(_ connection: Int, since started: Instant) -> Bool {
        settings.givesWay && answeredAt[connection] <= started
    }

    /// A connection that lives and answers nothing is left: the next one is dialled after a pause, and
    /// begins with one request.
    package mutating func isLeft(now: Instant) {
        _ = dialler.failed(now: now, using: &generator)
    }

    // MARK: Time

    /// When something has to be done even if nothing happens until then.
    package func nextDeadline(now: Instant) -> Instant? {
        var next = Instant.distantFuture
        // What is due already waits for room, and room comes with an event.
        if let due = retries.nextDue, due > now { next = due }
        if overBudget.first >= 0 {
            let token = budget.nextToken(now: now)
            if token > now { next = min(next, token) }
        }
        for list in inFlight where list.first >= 0 {
            next = min(next, deadline(of: list.first))
        }
        for index in connections.indices where connections[index].state == .connecting {
            next = min(next, dialDeadline(of: index))
        }
        for index in connections.indices where connections[index].takesRequests {
            next = min(next, ages[index].end)
            if connections[index].state == .open { next = min(next, ages[index].replacement) }
        }
        if wanted > 0, let dial = dialler.nextDial(now: now) { next = min(next, dial) }
        return next == .distantFuture ? nil : next
    }
}
