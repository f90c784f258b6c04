import FanfareBase

/// The counts and measurements of a load test: each lane has them, and they are added up.
///
/// Only requests that were due in the measured time count, each in exactly one place:
/// started = answered + failed + unfinished.
package struct LoadFigures: Sendable {
    package private(set) var started: UInt64 = 0
    /// Answers by their status.
    package private(set) var statuses: [UInt16: UInt64] = [:]
    /// Requests that ended without an answer, by why.
    package private(set) var failures: [String: UInt64] = [:]
    /// The requests in flight when the test was broken off.
    package private(set) var unfinished: UInt64 = 0
    /// Due, and never started.
    package private(set) var unstarted: UInt64 = 0

    /// The times from the moment when a request went on the wire to the end of its answer.
    package private(set) var service = LatencyHistogram()
    /// The times from the moment when it was due.
    package private(set) var response = LatencyHistogram()
    package private(set) var timeline = LoadTimeline()

    /// Answers that came within the measured time, whenever their requests were due.
    package var answeredInTime: UInt64 = 0
    /// Starts that were late.
    package private(set) var lateStarts: UInt64 = 0
    /// The late starts that this machine was to blame for: the server had room.
    package private(set) var ownLateStarts: UInt64 = 0

    /// Creates figures of nothing.
    package init() {}

    /// The answers of any status.
    package var answered: UInt64 { statuses.values.reduce(0, +) }

    /// The requests that ended without an answer.
    package var failed: UInt64 { failures.values.reduce(0, +) }

    /// Answers of 400 and above.
    package var refused: UInt64 { statuses.reduce(0) { $1.key >= 400 ? $0 + $1.value : $0 } }

    /// The requests that were not answered, or with 400 and above.
    package var errors: UInt64 { refused + failed + unfinished + unstarted }

    /// The requests that were due.
    package var due: UInt64 { started + unstarted }

    /// The errors' share of the requests that were due; 0 without any.
    package var errorShare: Double {
        due == 0 ? 0 : Double(errors) / Double(due)
    }

    /// Checks that each request is in one place.
    /// - Returns: `nil` if each is, and the fault if not.
    package func identityViolation() -> String? {
        guard started != answered + failed + unfinished else { return nil }
        return "\(started) requests were started, but \(answered) answered, \(failed) failed and "
            + "\(unfinished) unfinished"
    }

    // MARK: Facts

    /// Counts a request that has started.
    /// - Parameters:
    ///   - moment: In nanoseconds from the beginning of the measured time.
    ///   - lateness: The time since it was due, in nanoseconds.
    ///   - isOwn: True if the server had room for it before.
    package mutating func started(at moment: Int64, lateness: Int64, isOwn: Bool) {
        started += 1
        timeline.add(at: moment, .init(started: 1))
        guard lateness >= Limits.lateStart.wholeNanoseconds else { return }
        lateStarts += 1
        if isOwn { ownLateStarts += 1 }
    }

    /// Counts a request that was answered.
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - service: The nanoseconds since it went on the wire.
    ///   - response: The nanoseconds since it was due.
    ///   - moment: The moment in nanoseconds from the beginning of the measured time.
    package mutating func answered(
        _ status: UInt16, service: Int64, response: Int64, at moment: Int64
    ) {
        let isListed = statuses[status] != nil || statuses.count < Limits.loadStatusesMax
        statuses[isListed ? status : Self.otherStatus(status), default: 0] += 1
        self.service.record(nanoseconds: service)
        self.response.record(nanoseconds: response)
        timeline.add(
            at: moment,
            .init(answered: 1, errors: status >= 400 ? 1 : 0, responseMax: response))
    }

    /// Counts a request that ended without an answer.
    /// - Parameters:
    ///   - kind: The reason.
    ///   - waited: For a request whose time ran out, the time that it was on the wire and due: the
    ///     least that its answer would have taken.
    ///   - moment: The moment in nanoseconds from the beginning of the measured time.
    package mutating func failed(
        _ kind: String, waited: (service: Int64, response: Int64)?, at moment: Int64
    ) {
        let isListed = failures[kind] != nil || failures.count < Limits.loadFailureKindsMax
        failures[isListed ? kind : "other", default: 0] += 1
        if let waited {
            service.record(nanoseconds: waited.service)
            response.record(nanoseconds: waited.response)
        }
        timeline.add(at: moment, .init(errors: 1, responseMax: waited?.response ?? 0))
    }

    /// Counts a request that was in flight when the test was broken off.
    package mutating func leftUnfinished(waited: (service: Int64, response: Int64)) {
        unfinished += 1
        service.record(nanoseconds: waited.service)
        response.record(nanoseconds: waited.response)
    }

    /// Counts the requests of an open loop that were due in the measured time and did not start, with
    /// the time that they had waited.
    ///
    /// Requests start in the order in which they are due, so these are the last ones.
    /// - Parameters:
    ///   - schedule: The moments when they were due.
    ///   - due: The number of all requests that were due, those of the warm-up included.
    ///   - end: The end of their wait, in nanoseconds from the beginning.
    package mutating func leftUnstarted(_ schedule: LoadSchedule, due: Int64, until end: Int64) {
        let first = schedule.count(before: schedule.warmUp)
        let count = max(0, due - first - Int64(started))
        guard count > 0 else { return }
        unstarted += UInt64(count)
        let step = max(1, count / Limits.unstartedSteps)
        var next = due - count
        while next < due {
            let some = min(step, due - next)
            let waited = end - schedule.due(next + some / 2)
            response.record(nanoseconds: waited, count: UInt64(some))
            next += some
        }
    }

    /// Adds another lane's figures.
    package mutating func merge(_ other: LoadFigures) {
        started += other.started
        statuses.merge(other.statuses, uniquingKeysWith: +)
        failures.merge(other.failures, uniquingKeysWith: +)
        unfinished += other.unfinished
        unstarted += other.unstarted
        service.merge(other.service)
        response.merge(other.response)
        timeline.merge(other.timeline)
        answeredInTime += other.answeredInTime
        lateStarts += other.lateStarts
        ownLateStarts += other.ownLateStarts
    }

    /// Returns the status that stands for one too many: the first of its hundred.
    private static func otherStatus(_ status: UInt16) -> UInt16 { status / 100 * 100 }
}
