package import FanfareBase
import FanfareCore
import Synchronization

/// The project that all connections and threads of a simulator send for: its account and its quota.
package final class SimulatedProject: Sendable {
    private struct State {
        var account: SimulatedAccount?
        /// The start of the minute whose requests are counted.
        var minuteStart: Instant?
        var requests: UInt64 = 0
    }

    private let id: String
    private let quota: UInt64?
    private let state = Mutex(State())

    /// - Parameter configuration: The configuration of the simulated service.
    package init(_ configuration: FCMConfiguration) {
        id = configuration.projectID
        quota = configuration.quotaPerMinute
    }

    /// The project's service account, if one was asked for.
    package var account: SimulatedAccount? { state.withLock { $0.account } }

    /// The project's service account, which is made when it is first asked for: most simulators need none.
    /// - Returns: The same each time.
    /// - Throws: `SimulatorError`.
    package func makeAccount() throws(SimulatorError) -> SimulatedAccount {
        if let account { return account }
        let made = try SimulatedAccount(projectID: id)
        return state.withLock { state in
            let account = state.account ?? made
            state.account = account
            return account
        }
    }

    /// Takes a request out of the project's quota, which is full again each minute after the first request.
    /// - Parameter now: The time.
    /// - Returns: True if there was one left.
    package func spend(now: Instant) -> Bool {
        guard let quota else { return true }
        return state.withLock { state in
            let minute = Limits.simulatorQuotaNanoseconds
            var start = state.minuteStart ?? now
            let age = now.nanoseconds(since: start)
            if age >= minute {
                start = start.advanced(byNanoseconds: age / minute * minute)
                state.requests = 0
            }
            state.minuteStart = start
            guard state.requests < quota else { return false }
            state.requests += 1
            return true
        }
    }

    /// Returns the time that a client has to wait for a quota that is used up.
    /// - Parameter now: The time.
    /// - Returns: The seconds until the next minute begins, rounded up.
    package func secondsToQuota(now: Instant) -> UInt64 {
        state.withLock { state in
            let age = now.nanoseconds(since: state.minuteStart ?? now)
            let left = Limits.simulatorQuotaNanoseconds - age
            return UInt64(max(left + 999_999_999, 0) / 1_000_000_000)
        }
    }
}
