package import FanfareBase
package import FanfareCore

/// The stage of a load test, for people who watch it.
package struct LoadStage: Sendable, Equatable {
    /// A rate that a search for the knee has tried.
    package struct Try: Sendable, Equatable {
        /// Requests a second.
        package var rate: Double
        /// True if the service kept the bounds.
        package var isKept: Bool

        package init(rate: Double, isKept: Bool) {
            self.rate = rate
            self.isKept = isKept
        }
    }

    /// The step that runs, from 1 on; 0 before the first one.
    package var number = 0
    /// The number of steps; `nil` for a search, which ends when it knows enough.
    package var count: Int?
    /// The load of the step; `nil` before the first step.
    package var load: LoadSchedule.Load?
    /// The start of the step.
    package var started = Instant(nanoseconds: 0)
    /// The length of each step, in nanoseconds; `nil` if a number of requests ends it.
    package var length: Int64?
    /// The number of requests that ends it; `nil` where the time does.
    package var requests: Int64?
    /// Requests that had ended before the step, and those of them that were answered well.
    package var before = (ended: UInt64(0), good: UInt64(0))
    /// The rates that a search has tried, in its order.
    package var tries: [Try] = []

    package init() {}

    /// Notes that a step has begun.
    /// - Parameters:
    ///   - schedule: The step's schedule.
    ///   - before: The sums of the steps before.
    ///   - now: The time.
    mutating func begin(_ schedule: LoadSchedule, after before: ProgressCounts, at now: Instant) {
        number += 1
        load = schedule.load
        started = now
        length = schedule.length == .max ? nil : schedule.length
        requests = schedule.countMax == .max ? nil : schedule.countMax
        self.before = (before.finished, before.outcomes[.accepted])
    }

    package static func == (left: LoadStage, right: LoadStage) -> Bool {
        left.number == right.number && left.count == right.count && left.load == right.load
            && left.started == right.started && left.length == right.length
            && left.requests == right.requests && left.before == right.before
            && left.tries == right.tries
    }
}
