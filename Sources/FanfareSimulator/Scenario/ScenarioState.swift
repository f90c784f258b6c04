package import FanfareBase
import FanfareCore

/// A scenario at work: its rules and their counts.
package struct ScenarioState {
    /// The properties of a request that rules test.
    package struct Request {
        /// The connection's number, from 1.
        package var connection: UInt64
        /// The request's number on its connection, from 1.
        package var numberOnConnection: UInt64
        /// The connection's age in nanoseconds.
        package var connectionAge: Int64
        package var now: Instant
        package var service: SimulatedService
        /// True if it is about a further row of a request that others have decided about: only rules for
        /// the outcomes of rows apply to it.
        var isFurtherRow = false

        package init(
            connection: UInt64, numberOnConnection: UInt64, connectionAge: Int64, now: Instant,
            service: SimulatedService = .apns
        ) {
            self.connection = connection
            self.numberOnConnection = numberOnConnection
            self.connectionAge = connectionAge
            self.now = now
            self.service = service
        }
    }

    private struct Counters {
        /// Requests that have met all of the rule's other conditions.
        var met: UInt64 = 0
        /// The time of the next request at the rule's rate, in the clock's nanoseconds, for each
        /// member of the rate's scope.
        var due: [UInt64: Double] = [:]
    }

    package let scenario: Scenario
    private var counters: [Counters]
    private var attempts: [UInt64: UInt64] = [:]
    private let countsAttempts: Bool

    package init(_ scenario: Scenario) {
        self.scenario = scenario
        counters = Array(repeating: Counters(), count: scenario.rules.count)
        countsAttempts = scenario.countsAttempts
    }

    /// True if there is no rule to apply.
    package var isEmpty: Bool { counters.isEmpty }

    /// Looks for the first rule that matches, and counts the request.
    /// - Returns: The rule's index, or nil if the request is an ordinary one.
    package mutating func rule(
        for request: Request, token: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let attempt = unsafe countsAttempts ? countAttempt(token) : 0
        for index in counters.indices where unsafe matches(index, request, token, attempt) {
            return index
        }
        return nil
    }

    private mutating func matches(
        _ index: Int, _ request: Request, _ token: UnsafeBufferPointer<UInt8>, _ attempt: UInt64
    ) -> Bool {
        if request.isFurtherRow {
            guard case .outcome = scenario.rules[index].action.stream else { return false }
        }
        let condition = scenario.rules[index].condition
        // A rule applies to requests for access tokens only if it names their service.
        if let service = condition.service, service != request.service { return false }
        if condition.service == nil && request.service == .oauth { return false }
        if condition.afterRequests >= request.numberOnConnection { return false }
        if condition.afterNanoseconds > request.connectionAge { return false }
        if let connections = condition.connections, !connections.contains(request.connection) {
            return false
        }
        if let attempts = condition.attempts, !attempts.contains(attempt) { return false }
        if unsafe !Self.hasPrefix(token, condition.tokenPrefix) { return false }
        if let fraction = condition.fraction, unsafe !fraction.contains(TokenHash.place(of: token))
        {
            return false
        }
        if condition.everyNth > 0 {
            counters[index].met += 1
            if counters[index].met % condition.everyNth != 0 { return false }
        }
        guard let limit = condition.rateLimit else { return true }
        let key: UInt64 =
            switch limit.scope {
            case .all: 0
            case .connection: request.connection
            case .token: unsafe TokenHash.value(of: token)
            }
        return isAbove(limit, index, key, Double(request.now.nanoseconds))
    }

    /// The generic cell rate algorithm: a request is due one interval after the one before it, and
    /// may come early by the burst.
    ///
    /// Of tokens and connections beyond a bound none is ever above its rate.
    private mutating func isAbove(
        _ limit: Scenario.RateLimit, _ index: Int, _ key: UInt64, _ now: Double
    ) -> Bool {
        let known = counters[index].due[key]
        if known == nil && counters[index].due.count >= Limits.simulatorCountedTokens {
            return false
        }
        let due = max(known ?? now, now)
        let early = due - now
        // A request that finds the whole burst used up is above the rate and does not count.
        if early > (limit.burst - 1) * limit.nanosecondsPerRequest { return true }
        counters[index].due[key] = due + limit.nanosecondsPerRequest
        return false
    }

    /// Counts how often a token has been seen, for the first tokens up to a bound.
    private mutating func countAttempt(_ token: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let hash = unsafe TokenHash.value(of: token)
        if let before = attempts[hash] {
            attempts[hash] = before + 1
            return before + 1
        }
        if attempts.count < Limits.simulatorCountedTokens { attempts[hash] = 1 }
        return 1
    }

    private static func hasPrefix(
        _ token: UnsafeBufferPointer<UInt8>, _ prefix: [UInt8]
    ) -> Bool {
        guard token.count >= prefix.count else { return false }
        // Letters of either case are the same, and the underscore of FCM's tokens is one of a kind.
        for index in prefix.indices where unsafe token[index] | 0x20 != prefix[index] | 0x20 {
            return false
        }
        return true
    }
}
