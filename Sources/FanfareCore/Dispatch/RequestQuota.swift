package import FanfareBase

/// The requests that a provider still takes, by the count in its answers.
///
/// The provider has counted some of the requests in flight, and it is not known which. So a lane has
/// never more in flight than the last answer left: then none is one too many. When nothing is left the
/// lane waits for the provider's new quota.
package struct RequestQuota: Equatable, Sendable {
    /// The requests that the lane may have in flight until `until`.
    private(set) var left = 0
    /// The time at which there is a new quota; `nil` while no count is in force.
    private(set) var until: Instant?
    /// The number of lanes that share the quota.
    private let lanes: Int
    /// The longest wait that is kept, in nanoseconds.
    private let longest: Int64

    /// - Parameters:
    ///   - lanes: The number of lanes that share the quota.
    ///   - longest: The longest wait that is kept. A provider with a quota of a month may ask for more:
    ///     then its own refusals decide about the job.
    package init(lanes: Int, longest: Duration) {
        self.lanes = max(lanes, 1)
        self.longest = longest.wholeNanoseconds
    }

    /// Notes the count of an answer.
    /// - Parameters:
    ///   - remaining: The requests that the provider still takes, from all lanes.
    ///   - wait: The time until there are new ones.
    ///   - now: The time.
    /// - Returns: True if the lane waits from now on, and did not before.
    package mutating func heard(remaining: UInt64, for wait: Duration, now: Instant) -> Bool {
        let wasOver = isUsedUp
        let nanoseconds = wait.wholeNanoseconds
        guard nanoseconds > 0, nanoseconds <= longest else {
            until = nil
            return false
        }
        left = Int(clamping: remaining) / lanes
        until = now.advanced(byNanoseconds: nanoseconds)
        return isUsedUp && !wasOver
    }

    /// Forgets the count when there is a new quota.
    mutating func refresh(now: Instant) {
        if let until, until <= now { self.until = nil }
    }

    /// True if nothing may start.
    var isUsedUp: Bool { until != nil && left == 0 }

    /// Returns the wait that the number in an answer's field means.
    ///
    /// Providers mean either seconds from now or a time: one in seconds of UNIX time has ten digits, one in
    /// milliseconds thirteen.
    /// - Parameters:
    ///   - number: The number.
    ///   - now: The time, in milliseconds of UNIX time.
    /// - Returns: The wait; zero for a time that is past.
    package static func wait(_ number: UInt64, now: Int64) -> Duration {
        let number = Int64(clamping: number)
        if number >= 1_000_000_000_000 { return .milliseconds(max(number - now, 0)) }
        if number >= 1_000_000_000 { return .milliseconds(max(number * 1000 - now, 0)) }
        return .seconds(number)
    }
}

extension Dispatcher {
    /// Notes the provider's count of the requests that it still takes.
    /// - Parameters:
    ///   - remaining: The requests that it still takes.
    ///   - wait: The time until there are new ones.
    ///   - now: The time.
    /// - Returns: True if the lane waits from now on, and did not before.
    package mutating func heardQuota(remaining: UInt64, for wait: Duration, now: Instant) -> Bool {
        quota.heard(remaining: remaining, for: wait, now: now)
    }

    /// Returns the reason why no request may start on any connection; `nil` if there is none.
    package mutating func standstill(now: Instant) -> Limitation? {
        if isHeldByDoubts(now: now) { return .inFlightRefusals }
        quota.refresh(now: now)
        return quota.isUsedUp ? .pace : nil
    }
}
