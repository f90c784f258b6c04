import FanfareBase
import FanfareCore

/// Rows that get their outcome.
extension LaneEngine {
    /// Keeps the facts of an attempt, in case there is no other.
    mutating func remember(_ attempt: Attempt, of id: RequestID, now: Instant) {
        guard attempt.isCounted else { return }
        var answer = PreparedRow.LastAnswer()
        answer.class = attempt.class
        answer.status = attempt.status
        answer.latencyNanoseconds = now.nanoseconds(since: dispatcher.request(id).startedAt)
        unsafe rows[id].remember(answer, reason: attempt.reason, messageID: attempt.messageID)
    }

    /// Reports a row whose time is over, with the facts of its last attempt, and forgets it.
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
        unsafe attempt.messageID = rows[id].bytes.bytes(last.messageID)
        let ended = request.startedAt.advanced(byNanoseconds: last.latencyNanoseconds)
        reportEnded(id, attempt, now: ended)
    }

    /// Reports a row that was not started in time, and forgets it.
    mutating func reportSkipped(_ id: RequestID, _ problem: RowProblem, now: Instant) {
        report.skipped(rows[id], problem, now: now)
        dispatcher.finished(id)
    }

    /// Reports a row whose last attempt has ended, and forgets it.
    mutating func reportEnded(_ id: RequestID, _ attempt: Attempt, now: Instant) {
        report.ended(rows[id], dispatcher.request(id), attempt, now: now)
        dispatcher.finished(id)
    }
}
