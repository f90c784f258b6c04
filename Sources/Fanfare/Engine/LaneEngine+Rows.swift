import FanfareBase
import FanfareCore

/// Taking up rows: from the batch into a request's place.
extension LaneEngine {
    /// The next request to send, or `nil` when there is none now.
    ///
    /// Those that were refused or have waited long enough come first, then the next good row.
    /// - Parameters:
    ///   - goesAlone: Its connection has one stream, and none in use.
    ///   - now: The time.
    /// - Returns: Its number.
    mutating func nextRequest(goesAlone: Bool = false, now: Instant) -> RequestID? {
        guard !isSharing else { return nextSharedRequest(goesAlone: goesAlone, now: now) }
        while let id = dispatcher.nextReady(now: now) {
            guard now >= dispatcher.request(id).notAfter else {
                renewRequest(id)
                return id
            }
            dispatcher.giveUp(id)
            reportGivenUp(id, now: now)
        }
        return dispatcher.mayTakeUp ? takeUpRow(goesAlone: goesAlone, now: now) : nil
    }

    /// Makes the request of a row anew that was on the wire before, where requests are made as a whole.
    private mutating func renewRequest(_ id: RequestID) {
        guard let maker = preparer.requestMaker,
            dispatcher.request(id).isRepeated || dispatcher.request(id).attempts > 0
        else { return }
        maker.renewRequest(of: &rows[id])
    }

    /// Gives the rows that have not started by `--until` their outcome, and those that come.
    mutating func skipLateRows(now: Instant) {
        guard stop == nil, now >= until else { return }
        report.lookAtWriter()
        if isSharing { unboardAll() }
        while !report.isBehind, let id = dispatcher.giveUpNext() { reportGivenUp(id, now: now) }
        while !report.isBehind, let id = takeUpRow(now: now) {
            reportSkipped(id, .deadlinePassed, now: now)
        }
    }

    /// Gives good rows their outcome where the provider is not asked about them.
    ///
    /// Some in each turn, because other lanes have the same thread.
    mutating func passRows(now: Instant) {
        hasRowsToPass = false
        guard mayStart(now: now) else { return }
        report.lookAtWriter()
        for _ in 0..<Limits.rowsPassedAtOnce {
            guard !report.isBehind, let id = takeUpRow(now: now) else { return }
            report.valid(rows[id], now: now)
            dispatcher.finished(id)
        }
        hasRowsToPass = true
    }

    /// Returns true if a request would start now if a connection had room.
    /// - Parameters:
    ///   - takesBatch: True if rows may be taken for that: not where no connection has room for
    ///     them.
    ///   - now: The time.
    /// - Returns: True if one would.
    mutating func hasRowsWaiting(takesBatch: Bool = true, now: Instant) -> Bool {
        guard mayStart(now: now) else { return false }
        if dispatcher.hasReady(now: now) || isSharing && groups.waitingCount > 0 { return true }
        return !report.isBehind && dispatcher.mayTakeUp
            && intake.hasRow(takesBatch: takesBatch, now: now)
    }

    /// Leaves rows that this lane cannot send to the others: it has no connection that answers.
    ///
    /// If a gateway takes fewer connections than there are lanes, the others finish the job. In
    /// good times another connection soon replaces the lost one, and the rows stay.
    mutating func handRowsBack(now: Instant) {
        guard isAsked, latency.count == 0 || dispatcher.patience.since != nil,
            settings.dispatch.lanes > 1, mayStart(now: now), intake.hasUntaken,
            !dispatcher.sendsRows
        else { return }
        intake.handBack()
    }

    /// Prepares the next row that can be sent; rows that cannot are reported on the way.
    /// - Parameters:
    ///   - goesAlone: True if the row goes on a connection that has one stream. Most of those had a
    ///     rejection, and wait for a success.
    ///   - now: The time.
    /// - Returns: The request's number, or `nil` when there is no row now.
    mutating func takeUpRow(goesAlone: Bool = false, now: Instant) -> RequestID? {
        guard intake.hasRow(now: now) else { return nil }
        let id = dispatcher.takeUp()
        rows.makePlace(for: id)
        while !report.isBehind {
            let place = intake.take(
                goesAlone: goesAlone, connections: connections.count,
                inFlight: dispatcher.inFlightCount, now: now)
            let isTaken = place.batch.use { batch in
                batch.fetch(place.index + 4)
                return takeUp(batch, place.index, as: id, now: now)
            }
            if isTaken { return id }
            guard intake.hasRow(now: now) else { break }
        }
        dispatcher.finished(id)
        return nil
    }

    /// - Returns: True to send the row; if not, no work is left for it.
    private mutating func takeUp(
        _ batch: RowBatch, _ index: Int, as id: RequestID, now: Instant
    ) -> Bool {
        let verdict = batch.verdicts.isEmpty ? .none : batch.verdicts[index]
        // Its line is in the report already, and counted with the run that wrote it; or it comes again.
        if verdict == .finished || verdict == .waiting { return false }
        report.tally.rowsRead += 1
        // A row that must not be sent is prepared, too: its own fault is reported first, since the
        // user can correct that. A fault by the rules of another provider does not matter.
        let lacksRoute = verdict.lacksRoute
        guard
            preparer.prepare(batch, index, lacksRoute: lacksRoute, into: &rows[id]) || lacksRoute
        else {
            report.invalid(rows[id], preparer, now: now)
            return false
        }
        switch verdict {
        case .none, .finished, .waiting: break
        case .inDoubt, .inDoubtHeld:
            return resumes(id, mayRepeat: verdict == .inDoubt, now: now)
        case .zoneUnknown:
            preparer.failZone(batch, index)
            report.invalid(rows[id], preparer, now: now)
            return false
        case .providerUnknown, .providerNotInJob, .tokenOfNoProvider:
            if let problem = verdict.problem { preparer.failRoute(problem, batch, index) }
            report.invalid(rows[id], preparer, now: now)
            return false
        case .duplicate, .suppressed, .late, .outsideWindow:
            if let problem = verdict.problem { report.skipped(rows[id], problem, now: now) }
            return false
        }
        // Most notifications bring no end of their own, and the job none.
        let hasNone = !rows[id].hasExpiration && jobExpiration == .distantFuture
        return hasNone || isInTime(id, now: now)
    }

    /// Returns true to send a row again that an earlier run may have sent; if not, it is reported.
    private mutating func resumes(_ id: RequestID, mayRepeat: Bool, now: Instant) -> Bool {
        // A notification after its expiration is of no use, and would only be a second one.
        let notAfter = min(until, expiration(of: rows[id]))
        if mayRepeat && settings.dispatch.resendsInDoubt && now < notAfter {
            dispatcher.wasTried(id, notAfter: notAfter)
            return true
        }
        report.interrupted(rows[id], now: now)
        return false
    }

    /// Returns true if a row may start before its notification expires; otherwise the row is
    /// reported.
    ///
    /// The provider would take the notification, accept it, and drop it.
    private mutating func isInTime(_ id: RequestID, now: Instant) -> Bool {
        let expiration = expiration(of: rows[id])
        guard now < expiration || now >= until else {
            report.skipped(rows[id], .expirationPassed, now: now)
            return false
        }
        if expiration < .distantFuture { dispatcher.expires(id, at: expiration) }
        return true
    }

    /// Ends the connections that have nothing to do until a window opens.
    mutating func closeIdleConnections(now: Instant) {
        guard environment.isInputAsleep, dispatcher.isIdle else { return }
        for index in connections.indices where connections[index]?.phase == .open {
            retire(index, because: "idle", now: now)
        }
    }

    /// True if every row of the input has been taken up.
    var hasNoMoreRows: Bool {
        !intake.hasUntaken && environment.isInputExhausted
    }
}
