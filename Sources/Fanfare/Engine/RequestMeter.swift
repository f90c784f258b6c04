import FanfareBase
import FanfareCore

/// Measures the requests of one lane of a load test.
///
/// The lane's thread uses it until it ends, and the thread that started the lane reads it
/// afterward, which is why it may cross threads unchecked.
final class RequestMeter: @unchecked Sendable {
    private let clock: LoadClock
    private let schedule: LoadSchedule
    /// The CPU time of this thread, in nanoseconds.
    private let processorTime: @Sendable () -> Int64
    private(set) var figures = LoadFigures()
    /// The way of requests to a file of their own; `nil` for none.
    private let trail: RequestTrail?

    /// The times at which requests were due, by their numbers.
    private var dues: [Instant] = []
    /// True if the lane was left without room for a request at the end of its last turn.
    private var wasFull = true
    private var isAborted = false

    /// The CPU time and the moment at the beginning and at the end of the measurement.
    private var busySince: (processor: Int64, at: Instant)?
    private var busyUntil: (processor: Int64, at: Instant)?
    /// The time of the last answer, from the beginning.
    private(set) var lastAnswer: Int64 = 0
    /// The time of the lane's end, from the beginning.
    private(set) var endedAt: Int64 = 0

    init(
        _ clock: LoadClock, trail: RequestTrail? = nil,
        processorTime: @escaping @Sendable () -> Int64
    ) {
        self.clock = clock
        self.trail = trail
        schedule = clock.schedule
        self.processorTime = processorTime
    }

    /// CPU time of the lane in the measured time, in nanoseconds.
    var processorNanoseconds: Int64 {
        guard let busySince, let busyUntil else { return 0 }
        return busyUntil.processor - busySince.processor
    }

    /// The busy share of one core, from 0 to 1.
    var busyShare: Double {
        guard let busySince, let busyUntil else { return 0 }
        let time = busyUntil.at.nanoseconds(since: busySince.at)
        return time > 0 ? Double(processorNanoseconds) / Double(time) : 0
    }

    // MARK: Facts

    /// Notes that a request went on the wire.
    /// - Parameters:
    ///   - id: Its number in the lane.
    ///   - due: The time at which it was due.
    ///   - now: The time at which it went.
    func started(_ id: RequestID, due: Instant, now: Instant) {
        while dues.count <= Int(id) { dues.append(due) }
        dues[Int(id)] = due
        guard isMeasured(due) else { return }
        figures.started(
            at: sinceWarmUp(now), lateness: now.nanoseconds(since: due), isOwn: !wasFull)
    }

    /// A request has ended; one that a GOAWAY sends back goes on.
    func ended(_ id: RequestID, _ attempt: Attempt, started: Instant, now: Instant) {
        let due = dues[Int(id)]
        if attempt.isAnswer {
            let elapsed = clock.elapsed(now)
            lastAnswer = max(lastAnswer, elapsed)
            if schedule.isMeasured(elapsed) { figures.answeredInTime += 1 }
        }
        guard isMeasured(due) else { return }
        let waited = waited(since: started, due: due, now)
        if attempt.isAnswer {
            figures.answered(
                attempt.status, service: waited.service, response: waited.response,
                at: sinceWarmUp(now))
            trail?.add(started: started, waited, status: attempt.status)
        } else if isAborted {
            figures.leftUnfinished(waited: waited)
            trail?.add(started: started, waited, status: 0, failure: Self.unfinished)
        } else {
            let kind = unsafe String(decoding: attempt.reason, as: UTF8.self)
            figures.failed(
                kind, waited: attempt.ending.isTimeout ? waited : nil, at: sinceWarmUp(now))
            trail?.add(started: started, waited, status: 0, failure: kind)
        }
    }

    /// A request that a GOAWAY has sent back does not start again: the test is broken off.
    func leftUnfinished(_ id: RequestID, started: Instant, now: Instant) {
        let due = dues[Int(id)]
        guard isMeasured(due) else { return }
        let waited = waited(since: started, due: due, now)
        figures.leftUnfinished(waited: waited)
        trail?.add(started: started, waited, status: 0, failure: Self.unfinished)
    }

    /// The failure of a request that was in flight when the test was broken off.
    private static let unfinished = "unfinished"

    /// Notes that the lane has started as many requests as it could.
    /// - Parameters:
    ///   - isFull: No connection had room for more.
    ///   - now: The time of its turn.
    func turned(isFull: Bool, now: Instant) {
        wasFull = isFull
        trail?.turned(now: now)
        let elapsed = clock.elapsed(now)
        if busySince == nil && elapsed >= schedule.warmUp { busySince = (processorTime(), now) }
        if busyUntil == nil && elapsed >= schedule.length { busyUntil = (processorTime(), now) }
    }

    /// The lane waits for no answer any longer.
    func aborted() {
        isAborted = true
    }

    /// The lane has come to its end.
    func finished(now: Instant) {
        endedAt = clock.elapsed(now)
        trail?.submit()
        if busySince != nil && busyUntil == nil { busyUntil = (processorTime(), now) }
    }

    /// Returns the time that a request was on the wire, and the time since it was due.
    private func waited(
        since started: Instant, due: Instant, _ now: Instant
    ) -> (service: Int64, response: Int64) {
        let service = now.nanoseconds(since: started)
        // A lane stamps the requests of a record alike, just before the last of them were due.
        return (service, max(now.nanoseconds(since: due), service))
    }

    private func isMeasured(_ moment: Instant) -> Bool {
        schedule.isMeasured(clock.elapsed(moment))
    }

    private func sinceWarmUp(_ moment: Instant) -> Int64 {
        clock.elapsed(moment) - schedule.warmUp
    }
}

extension AttemptCause {
    /// True if the time for the answer was over: the request would have taken longer still.
    fileprivate var isTimeout: Bool {
        switch self {
        case .late, .lateUnsent, .silent: true
        case .answered, .refusedStream, .aboveGoAway, .lostBelowGoAway, .reset, .malformed,
            .endedBefore, .endedWithin, .endedWithinText, .lostAfter, .aborted:
            false
        }
    }
}
