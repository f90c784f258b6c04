import FanfareBase
import FanfareCore

/// Requests of several rows: the service says which may go together, and how many.
///
/// To the dispatcher such a request is that of its first row. The others are held meanwhile, each in its own
/// place, and end with it: each has an outcome, a mark and an attempt of its own.
extension LaneEngine {
    /// The next request to send, or `nil` when there is none now.
    mutating func nextSharedRequest(goesAlone: Bool, now: Instant) -> RequestID? {
        guard paysForFellows() else { return nil }
        while let ids = nextGroup(goesAlone: goesAlone, now: now) {
            if let first = assemble(ids) { return first }
        }
        return nil
    }

    /// Returns true if all rows that went with others have their permits of the pace.
    private mutating func paysForFellows() -> Bool {
        while owedPermits > 0, hasPermit() {
            pace.started()
            owedPermits -= 1
        }
        return owedPermits == 0 && hasPermit()
    }

    /// The rows of the next request.
    private mutating func nextGroup(goesAlone: Bool, now: Instant) -> [RequestID]? {
        if dispatcher.asksWithOneRow {
            return (groups.takeOne() ?? nextRow(goesAlone: goesAlone, now: now)).map { [$0] }
        }
        if let rows = groups.takeClosed() { return rows }
        while groups.hasRoom {
            guard let id = nextRow(goesAlone: goesAlone, now: now) else {
                return groups.takeOldest(
                    now: now, isLast: hasNoMoreRows || environment.isInputAsleep)
            }
            let key = unsafe rows[id].bytes.bytes(rows[id].shareKey)
            if let full = unsafe groups.add(id, key, now: now) { return full }
        }
        return groups.takeOldest(now: now, isLast: true)
    }

    /// The next row, which is held until it goes.
    private mutating func nextRow(goesAlone: Bool, now: Instant) -> RequestID? {
        while let id = dispatcher.nextReady(now: now) {
            guard now >= dispatcher.request(id).notAfter else {
                dispatcher.board(id)
                return id
            }
            dispatcher.giveUp(id)
            reportGivenUp(id, now: now)
        }
        return dispatcher.mayTakeUp ? takeUpRow(goesAlone: goesAlone, now: now) : nil
    }

    /// Makes one request of rows.
    /// - Returns: The first one, whose request it is; `nil` when they go in two requests.
    private mutating func assemble(_ ids: [RequestID]) -> RequestID? {
        // The same rows make the same request, however they have come back.
        let ids = inOrder(ids)
        guard let first = ids.first, let maker = preparer.requestMaker else { return nil }
        let fellows = Array(ids.dropFirst())
        let others = fellows.map { id in
            unsafe FellowRow(
                number: rows[id].number, token: rows[id].bytes.bytes(rows[id].token),
                values: rows[id].bytes.bytes(rows[id].values))
        }
        guard maker.makeRequest(of: &rows[first], with: others) || fellows.isEmpty else {
            groups.halve(ids)
            return nil
        }
        guard !fellows.isEmpty else { return first }
        // Before a byte of it can leave, as that of the first one.
        for id in fellows { marks?.set(rows[id].number) }
        if !settings.pacesRequests { owedPermits += fellows.count }
        groups.board(fellows, on: first)
        return first
    }

    /// The same rows in the order of the input, in which they mostly are.
    private func inOrder(_ ids: [RequestID]) -> [RequestID] {
        var last: UInt64 = 0
        for id in ids {
            guard rows[id].number > last else {
                return ids.sorted { rows[$0].number < rows[$1].number }
            }
            last = rows[id].number
        }
        return ids
    }

    /// A request has to wait for room, with all rows that were to go on it.
    mutating func postpone(_ id: RequestID) {
        dispatcher.postponed(id)
        guard isSharing, let fellows = groups.takeFellows(of: id) else { return }
        for fellow in fellows {
            unmark(fellow)
            dispatcher.postponed(fellow)
        }
        if !settings.pacesRequests { owedPermits = max(owedPermits - fellows.count, 0) }
    }

    /// Rows that wait for others do so no longer: nothing starts any more.
    mutating func unboardAll() {
        for id in groups.takeAll() { dispatcher.postponed(id) }
    }

    // MARK: Ends

    /// Ends the attempts of a request's rows, but for its first one.
    /// - Returns: True if no work is left for the first one either.
    mutating func fellowsEnded(
        of id: RequestID, _ attempt: Attempt, on index: Int, now: Instant
    ) -> Bool {
        guard let fellows = groups.takeFellows(of: id) else { return false }
        if attempt.isAnswer, reader.splits {
            split(id, fellows, attempt, on: index, now: now)
            return true
        }
        let started = dispatcher.request(id).startedAt
        for (place, fellow) in fellows.enumerated() {
            let own =
                attempt.isAnswer
                ? reader.readShared(place + 1, like: attempt, rows[fellow], now: now) : attempt
            fellowEnded(fellow, own, started: started, now: now)
        }
        return false
    }

    private mutating func fellowEnded(
        _ id: RequestID, _ attempt: Attempt, started: Instant, now: Instant
    ) {
        if attempt.isCounted { attemptOutcomes[attempt.class.outcome] += 1 }
        let action = dispatcher.sharedAttemptEnded(
            id, started: started, attempt.end, notAfter: lastStart(of: id, after: attempt),
            now: now)
        settle(id, attempt, attempt.class.job, action, now: now)
    }

    /// Sends rows again in two requests, which a refusal has proved not to have been sent.
    private mutating func split(
        _ id: RequestID, _ fellows: [RequestID], _ attempt: Attempt, on index: Int, now: Instant
    ) {
        let action = dispatcher.attemptEnded(id, .dismissed, now: now)
        dispatcher.patience.answered()
        dispatcher.board(id)
        for row in [id] + fellows { unmark(row) }
        groups.halve([id] + fellows)
        if case .retire = attempt.class.connection { retire(index, because: "answer", now: now) }
        if case .close = action.connection { sayGoodbye(index, now: now) }
    }
}
