import FanfareBase
import FanfareCore
import FanfareHTTP2

/// Outcomes: one line each, and the tally.
extension LaneEngine {
    /// Reports a row that was never sent.
    mutating func reportInvalid(_ id: RequestID, now: Instant) {
        var result = unsafe RowResult(.invalid)
        unsafe result.reason = preparer.problem.bytes
        // Counted without the line number, so that like comes to like.
        unsafe tally.record(unsent: .invalid, reason: preparer.problemKind.bytes, count: 1)
        append(id, result, now: now)
    }

    /// Reports a row that an earlier run may have sent, and that must not be sent twice.
    mutating func reportInterrupted(_ id: RequestID, now: Instant) {
        let reason: StaticString = "interrupted"
        var result = unsafe RowResult(.unknown)
        unsafe result.reason = reason.bytes
        result.attempts = 1
        unsafe result.apnsID = rows[id].bytes.bytes(rows[id].apnsID)
        unsafe tally.record(
            .unknown, status: 0, reason: result.reason, index: .unlisted, attempts: 1)
        interruptedCount += 1
        append(id, result, now: now)
    }

    /// Keeps what an attempt has told, in case there is no other.
    mutating func remember(_ attempt: Attempt, of id: RequestID, now: Instant) {
        guard attempt.isCounted else { return }
        rows[id].remember(
            attempt, latency: now.nanoseconds(since: dispatcher.request(id).startedAt))
    }

    /// Reports a row for which the time is over, with what its last attempt has told, and forgets it.
    mutating func reportGivenUp(_ id: RequestID, now: Instant) {
        let request = dispatcher.request(id)
        observer.leftUnfinished(id, request, now: now)
        guard request.attempts > 0 else {
            return reportSkipped(id, now < until ? .expirationPassed : .deadlinePassed, now: now)
        }
        let last = rows[id].lastAnswer
        var attempt = Attempt()
        attempt.class = last.class
        attempt.status = last.status
        unsafe attempt.reason = rows[id].bytes.bytes(last.reason)
        unsafe attempt.apnsID = rows[id].bytes.bytes(last.apnsID)
        report(id, attempt, now: request.startedAt.advanced(byNanoseconds: last.latencyNanoseconds))
    }

    /// Reports a row that was not started in time, and forgets it.
    mutating func reportSkipped(_ id: RequestID, _ problem: RowProblem, now: Instant) {
        appendSkipped(id, problem, now: now)
        dispatcher.finished(id)
    }

    /// Reports a row that was not started in time.
    mutating func appendSkipped(_ id: RequestID, _ problem: RowProblem, now: Instant) {
        var result = unsafe RowResult(problem.outcome)
        unsafe result.reason = problem.text.bytes
        unsafe tally.record(unsent: problem.outcome, reason: problem.text.bytes, count: 1)
        append(id, result, now: now)
    }

    /// Reports a row whose last attempt has ended, and forgets it.
    mutating func report(_ id: RequestID, _ attempt: Attempt, now: Instant) {
        let request = dispatcher.request(id)
        var result = unsafe RowResult(attempt.class.outcome)
        // "Not processed" is true of the last attempt only.
        if request.wasInDoubt && (result.outcome == .failed || result.outcome == .throttled) {
            result.outcome = .unknown
        }
        result.status = attempt.status
        unsafe result.reason = attempt.reason
        result.attempts = request.attempts
        result.latencyNanoseconds = now.nanoseconds(since: request.startedAt)
        if request.hasStarted {
            result.sentAtMilliseconds = wall.milliseconds(at: request.startedAt)
        }
        if case .unregistered = result.outcome {
            result.unregisteredAtMilliseconds = attempt.timestamp
        }
        result.isOwnID = unsafe attempt.apnsID.isEmpty
        unsafe result.apnsID =
            attempt.apnsID.isEmpty
            ? rows[id].bytes.bytes(rows[id].apnsID) : attempt.apnsID
        unsafe tally.record(
            result.outcome, status: result.status, reason: result.reason,
            index: attempt.class.reasonIndex, attempts: result.attempts)
        append(id, result, now: now)
        dispatcher.finished(id)
    }

    private mutating func append(_ id: RequestID, _ result: RowResult, now: Instant) {
        guard settings.preparation.hasReport else { return }
        let isFull = currentBlock(now: now).use { block in
            addRecords(of: id, result, to: block)
            return block.append(row: rows[id].number) { lines in
                unsafe report.appendLine(
                    prefix: rows[id].bytes.bytes(rows[id].reportPrefix), result: result,
                    suffix: rows[id].bytes.bytes(rows[id].reportSuffix), into: &lines)
            }
        }
        if isFull { submitBlock() }
    }

    /// What a row leaves beside the report: its token if that is dead, its text if it was given up.
    private mutating func addRecords(
        of id: RequestID, _ result: RowResult, to block: ReportBlock
    ) {
        if case .unregistered = result.outcome {
            block.addUnregistered { lines in
                unsafe unregistered?.append(
                    token: rows[id].bytes.bytes(rows[id].token),
                    unregisteredAt: result.unregisteredAtMilliseconds, into: &lines)
            }
        }
        if !result.outcome.isDefinite, !rows[id].text.isEmpty {
            unsafe block.addRetryRow(rows[id].bytes.bytes(rows[id].text))
        }
    }

    private mutating func currentBlock(now: Instant) -> Held<ReportBlock> {
        if let block { return block }
        let new = Held(environment.emptyBlock())
        block = new
        blockStarted = now
        return new
    }

    /// Hands the current block to the writer.
    mutating func submitBlock() {
        guard let block, block.use({ !$0.rows.isEmpty }) else { return }
        self.block = nil
        environment.submit(block.release())
        isReportBehind = environment.isReportBehind
    }

    /// A finished row should not wait for its block to become full.
    mutating func submitBlockIfOld(now: Instant) {
        if block != nil, now >= blockStarted.advanced(by: Limits.reportDelay) { submitBlock() }
    }
}
