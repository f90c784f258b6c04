package import FanfareBase

/// Connections: when to open one, and when one has to go.
extension Dispatcher {
    /// The number of places for connections: numbers below it name a connection.
    ///
    /// It grows with the number of connections that are wanted.
    package var connectionPlaces: Int { connections.count }

    /// The number of connections that are wanted, and the reason.
    package var connectionDemand: ConnectionDemand { demand }

    /// Makes places for the connections that are wanted.
    mutating func makePlaces() {
        // As many may be on their way out as are wanted: a graceful GOAWAY on all of them.
        while connections.count < 2 * demand.target {
            connections.append(ConnectionRecord(cap: settings.streamsPerConnection))
        }
    }

    /// Looks whether more connections would help.
    /// - Parameters:
    ///   - times: The uses of the lane's time so far.
    ///   - answers: The number of requests answered so far.
    ///   - now: The time.
    package mutating func reviewDemand(times: LimitTimes, answers: UInt64, now: Instant) {
        refreshCalm()
        guard demand.isOpen else { return }
        if let moment = heldUpAt, now >= moment { demand.isHeldUp() }
        demand.look(
            ConnectionDemand.View(
                times: times, answers: answers, inFlight: inFlightCount,
                isSettled: lacking <= demand.target / Limits.connectionsMeasuredPerLack
                    && calmLimit == nil),
            now: now)
        makePlaces()
    }

    /// The time from which each connection is held up by its one request, for so long that other rows should
    /// not wait for it; `nil` if one is free, or more than one request goes there.
    private var heldUpAt: Instant? {
        guard demand.target < demand.most else { return nil }
        var latest: Instant?
        for index in connections.indices {
            if connections[index].isConnecting { return nil }
            guard connections[index].takesRequests else { continue }
            guard connections[index].isSerial, let oldest = oldestStart(on: index) else {
                return nil
            }
            latest = max(latest ?? oldest, oldest)
        }
        return latest?.advanced(by: Limits.serialPatience)
    }

    /// Sets the most connections that may be wanted.
    package mutating func boundConnections(to most: Int) { demand.bound(to: most) }

    /// Wants one connection, as at the beginning.
    package mutating func beginConnectionsAnew() { demand.beginAnew() }

    /// Wants one connection less, of several.
    package mutating func wantOneLess() { demand.shrink() }

    /// A time in which nothing can be under way.
    package struct Rest: Equatable, Sendable {
        /// Its end.
        package var until: Instant
        /// True if rows wait for a dial, and not for their next attempt.
        package var isForDial: Bool
    }

    /// Finds the time in which nothing can be under way, as rows wait for their next attempt or for a dial.
    /// - Parameters:
    ///   - hasUntaken: True if there are rows that were not taken up.
    ///   - now: The time.
    /// - Returns: The time; `nil` if anything is under way, or may be at once.
    package func rest(hasUntaken: Bool, now: Instant) -> Rest? {
        guard !isUnderWay else { return nil }
        var end = now
        if !hasReady(now: now), !hasUntaken || !mayTakeUp {
            let next = min(
                waiting.nextDue ?? .distantFuture, waiting.nextToken(now: now) ?? .distantFuture)
            guard next < .distantFuture else { return nil }
            end = next
        }
        if let moment = doubts.until { end = max(end, moment) }
        // One that has requests left starts them now.
        if quota.isUsedUp, let moment = quota.until { end = max(end, moment) }
        var rest = Rest(until: end, isForDial: false)
        if !connections.contains(where: \.takesRequests), let dial = dialler.nextDial(now: now),
            dial > end
        {
            rest = Rest(until: dial, isForDial: true)
        }
        return rest.until > now ? rest : nil
    }

    /// True if a request is in flight, or a connection on its way.
    package var isUnderWay: Bool {
        inFlightCount > 0 || connections.contains(where: \.isConnecting)
    }

    /// Returns the earliest time since which the peer can owe anything: a connection, an answer, or leave to ask.
    ///
    /// For requests in flight that is any time: they may have been refused and sent again many times.
    /// - Parameter dialed: The time at which a connection was dialed; `nil` while its name is looked up.
    /// - Returns: The time; `nil` if it owes nothing.
    package func owedSince(dialed: (_ connection: Int) -> Instant?) -> Instant? {
        guard inFlightCount == 0 else { return .distantPast }
        var first: Instant?
        for index in connections.indices {
            let since =
                connections[index].isConnecting ? dialed(index) : connections[index].uselessSince
            if let since, since < first ?? .distantFuture { first = since }
        }
        return first
    }

    /// The connections that are wanted and of no use yet: not dialed, not up, or not answered.
    private var lacking: Int { demand.target - connections.count { $0.isOpen && $0.hasAnswered } }

    package func window(of connection: Int) -> InFlightWindow { connections[connection].window }

    /// The record of a connection, looked at where it is: to copy one costs more than the look.
    package subscript(connection connection: Int) -> ConnectionRecord {
        _read { yield connections[connection] }
    }

    /// Returns the requests that may start on a connection now.
    package func room(on connection: Int) -> Int {
        // A request that goes alone is followed by nothing until its end.
        guard suspect < 0 else { return 0 }
        var room = connections[connection].room
        if quota.until != nil { room = min(room, max(quota.left - inFlightCount, 0)) }
        // Behind a run of answers in doubt one row asks for all, and so does a route's first one.
        guard doubts.until == nil, !isUnproven else { return inFlightCount == 0 ? min(room, 1) : 0 }
        guard settings.isAdaptive else { return room }
        return min(room, max(adaptive.limit - inFlightCount, 0))
    }

    /// True if rows are sent now, or with the next answer: a connection has room, or has answered.
    package var sendsRows: Bool {
        connections.indices.contains {
            connections[$0].takesRequests
                && (room(on: $0) > 0
                    || connections[$0].hasAnswered && connections[$0].window.limit > 0)
        }
    }

    /// Returns the connection to open now, if one is missing; it counts as dialed.
    package mutating func nextDial(now: Instant) -> Int? {
        guard dialler.mayDial(now: now), wanted > 0, !isProbing else { return nil }
        guard let place = connections.firstIndex(where: \.isUnused) else { return nil }
        connections[place].dialStarted(now: now)
        dialler.started(now: now)
        return place
    }

    /// True if one connection asks, for all of them, if the provider answers again.
    private var isProbing: Bool {
        settings.givesWay && patience.since != nil
            && connections.contains { $0.takesRequests && $0.window.isProbing }
    }

    /// Returns a connection that has taken too long to be set up, TLS included.
    package func overdueDial(now: Instant) -> Int? {
        connections.firstIndex {
            guard case .connecting(let since) = $0.state else { return false }
            return now >= since.advanced(byNanoseconds: settings.connectTimeoutNanoseconds)
        }
    }

    /// Notes that a dial began later than it was wanted.
    /// - Returns: True if that is later than what was known.
    package mutating func dialBegan(_ connection: Int, at beginning: Instant) -> Bool {
        connections[connection].dialBegan(at: beginning)
    }

    private var wanted: Int { demand.target - live }

    private var live: Int { connections.count { $0.isConnecting || $0.isOpen } }

    /// Notes that a connection is up.
    /// - Parameters:
    ///   - connection: The number of the connection.
    ///   - signed: The time when its token was signed; nil without one.
    ///   - life: The time for which its token may be used, if that is known.
    ///   - isSerial: True if it has one request in flight at a time and no PING: HTTP/1.1.
    ///   - now: The time.
    package mutating func connected(
        _ connection: Int, tokenSigned signed: Instant? = nil, tokenLife life: Duration? = nil,
        isSerial: Bool = false, now: Instant
    ) {
        let capacity = capacitySeen
        connections[connection].connected(
            startsAlone: settings.firstRequestAlone
                || settings.givesWay && patience.since != nil,
            calm: calmLimit, capacity: capacity, isSerial: isSerial,
            allowance: habit.allowance(),
            age: settings.age.moments(
                opened: now, tokenSigned: signed, life: life, using: &generator))
        dialler.succeeded()
    }

    /// The most that a connection was seen to take where its peer refuses streams: the next one need not learn it
    /// anew.
    private var capacitySeen: Int? {
        connections.lazy.filter(\.isUp).compactMap(\.window.capacity?.limit).max()
    }

    /// Returns a connection that has to go now for its age.
    ///
    /// Its token is about to end, or it is old and its replacement is up, or it is old and there is
    /// nothing to send.
    ///
    /// An old connection with rows to send goes on until another one has taken its place.
    /// - Parameters:
    ///   - hasLoad: True if there is anything to send.
    ///   - now: The time.
    /// - Returns: The connection to retire, or `nil` when none has to go now.
    package mutating func nextToRetire(hasLoad: Bool, now: Instant) -> Int? {
        for index in connections.indices {
            switch connections[index].look(atAge: now) {
            case .goOn:
                continue
            case .retire:
                return index
            case .leave:
                guard hasLoad else { return index }
                if connections[index].isOpen { connections[index].leave() }
            }
        }
        guard wanted <= 0 else { return nil }
        // As many are up as there should be, without those that leave.
        let areAllUp = !connections.contains(where: \.isConnecting)
        return areAllUp ? connections.firstIndex(where: \.isLeaving) : nil
    }

    /// A connection that has to go now, because it was tried and is of no use: see `ConnectionDemand`.
    package var surplus: Int? {
        let open = connections.count(where: \.isOpen)
        return open > demand.target ? connections.lastIndex(where: \.isOpen) : nil
    }

    /// Stops dials for a while, since the provider has had too many tokens.
    package mutating func pauseDials(until moment: Instant) {
        dialler.pause(until: moment)
    }

    /// Notes a peer's limit, which bounds its own connection and nothing else.
    ///
    /// It goes down and up again with single answers, and the lane learns from those how much the
    /// provider can take.
    package mutating func settingsReceived(on connection: Int, maxConcurrentStreams: UInt32) {
        connections[connection].settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
    }

    /// Starts no more requests on a connection.
    /// - Returns: The action for it.
    package mutating func retire(_ connection: Int) -> ConnectionRecord.RetireAction {
        connections[connection].retire()
    }

    /// Notes that a peer has said with a whole answer that it closes the connection.
    ///
    /// Nothing else has its connections dialed more often: not what we close, for its age or because an
    /// answer is too long, and no GOAWAY.
    package mutating func closedByPeer(_ connection: Int) {
        if connections[connection].isSerial { dialler.closedInOrder() }
    }

    /// Notes that a transport is gone, after all its requests were taken off.
    /// - Parameters:
    ///   - connection: The number of its connection.
    ///   - isFailure: True if the peer or the network ended it, and not we.
    ///   - isCut: True if its peer has ended it with requests on it that are in doubt now.
    ///   - now: The time.
    /// - Returns: The action: whether another dial makes sense.
    package mutating func lost(
        _ connection: Int, isFailure: Bool, isCut: Bool = false, now: Instant
    ) -> Dialler.FailureAction {
        let record = connections[connection]
        if record.isConnecting { dialler.ended() }
        connections[connection].lost()
        if record.hasKeptHabit {
            // It has done what its server does, though it may have ended it before us.
            habit.kept(record.allowance)
            if record.isSerial { dialler.closedInOrder() }
            return .tryAgain
        }
        if isFailure, record.hasAnswered { dialler.cut() }
        // A server that says GOAWAY says which requests it leaves. Where a row is cut off once more, the reason may be
        // the row, and not a number.
        if isCut, !record.isDismissed, !record.hasLostAgain, let dialled = record.dialledAt {
            habit.cut(after: record.answerCount, dialled: dialled, now: now)
        }
        // A GOAWAY before any answer is a refusal too, however politely the connection ends.
        guard isFailure || record.isDismissed, !record.hasAnswered else { return .tryAgain }
        // That was the row, and not the provider: nothing waits longer for it.
        guard !record.carriesSuspect else { return .tryAgain }
        demand.refused(live: live, now: now)
        let action = dialler.failed(now: now, using: &generator)
        // A provider that takes one connection and refuses the others is no reason to give up, unless
        // nothing may be sent on that one.
        let hasUseful = connections.contains { $0.takesRequests && $0.window.limit > 0 }
        guard !hasUseful else { return .tryAgain }
        if record.wasTried(now: now) { patience.troubled(now: now) }
        return action
    }

    /// Notes that a connection's peer has refused a request, or reset it.
    ///
    /// Fewer requests end resets that come of too many, as they end refusals, and each reset costs
    /// a row: hence the window takes resets for refusals. A request that goes alone does not tell
    /// how many are too many.
    /// - Parameters:
    ///   - connection: The number of the connection.
    ///   - isInDoubt: True if the peer may have acted on the request.
    ///   - now: The time.
    /// - Returns: True if the connection should be left, because it does nothing else: another one
    ///   asks after a pause, with one request.
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

    /// True if the lane should leave a connection on which a request has gone wrong, because others
    /// have for a while.
    package func isSerious(now: Instant) -> Bool {
        settings.givesWay && patience.isSerious(now: now)
    }

    /// True if a connection has answered nothing since the start of a request there that has waited
    /// for as long as it may: the server behind it does not answer, though it lives.
    package func isMute(_ connection: Int, since started: Instant) -> Bool {
        settings.givesWay && connections[connection].answeredAt <= started
    }

    /// Leaves a connection that lives and answers nothing: the next one is dialed after a pause,
    /// and begins with one request.
    package mutating func isLeft(now: Instant) {
        _ = dialler.failed(now: now, using: &generator)
    }

    // MARK: Time

    /// Returns the time of the next action that is due even if nothing happens until then.
    package func nextDeadline(now: Instant) -> Instant? {
        var next = Instant.distantFuture
        // A retry that is due already waits for room, and room comes with an event.
        if let due = waiting.nextDue, due > now { next = due }
        if let end = doubts.until, end > now { next = min(next, end) }
        if let end = quota.until, end > now { next = min(next, end) }
        if let end = unprovenUntil, end > now { next = min(next, end) }
        if let token = waiting.nextToken(now: now), token > now { next = min(next, token) }
        for index in connections.indices {
            let oldest = oldestStart(on: index)
            next = min(next, connections[index].deadline(oldest: oldest, settings))
        }
        if let moment = heldUpAt, moment > now { next = min(next, moment) }
        if wanted > 0, let dial = dialler.nextDial(now: now) { next = min(next, dial) }
        return next == .distantFuture ? nil : next
    }
}
