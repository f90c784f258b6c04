package import FanfareCore

/// The provider's behavior beyond the ordinary, as an ordered list of rules.
///
/// Rules apply only to requests that passed the provider's own checks. The first rule that matches
/// decides; a request that matches none is accepted. `docs/scenarios.md` has the format.
package struct Scenario: Equatable, Sendable {
    package var rules: [Rule] = []

    package init(rules: [Rule] = []) {
        self.rules = rules
    }

    /// One condition and its effects.
    package struct Rule: Equatable, Sendable {
        package var condition = Condition()
        package var action = Action()

        package init() {}
    }

    /// The conditions that a request must meet for a rule to match: all that are set.
    package struct Condition: Equatable, Sendable {
        /// The service that the request must be for; nil for any that takes notifications.
        package var service: SimulatedService?
        /// The beginning of the device token, in lower case; empty for any token.
        package var tokenPrefix: [UInt8] = []
        /// The places of the token's hash that match, see `TokenHash.place`.
        package var fraction: Range<Double>?
        /// Every how many of the requests that match all else; zero for each of them.
        package var everyNth: UInt64 = 0
        /// The numbers of the connections, counted from 1 in order of arrival.
        package var connections: ClosedRange<UInt64>?
        /// Requests of the connection that must have come before.
        package var afterRequests: UInt64 = 0
        /// The least age of the connection in nanoseconds.
        package var afterNanoseconds: Int64 = 0
        /// The number of times that the token must have been seen, this request included.
        package var attempts: ClosedRange<UInt64>?
        /// Requests above this rate match, those below it do not.
        package var rateLimit: RateLimit?

        package init() {}
    }

    /// A rate with a burst.
    package struct RateLimit: Equatable, Sendable {
        /// The scope of a rate.
        package enum Scope: String, CaseIterable, Sendable {
            /// Nothing: all requests together have one.
            case all
            case connection
            case token
        }

        /// The time from one request to the next.
        package var nanosecondsPerRequest: Double
        /// The requests that may come at once after a pause; at least 1.
        package var burst: Double
        package var scope: Scope

        package init(nanosecondsPerRequest: Double, burst: Double, scope: Scope = .all) {
            self.nanosecondsPerRequest = nanosecondsPerRequest
            self.burst = burst
            self.scope = scope
        }
    }

    /// The effects of a rule, all of them when the answer is due.
    package struct Action: Equatable, Sendable {
        package var stream = StreamAction.accept
        /// The delay, instead of the simulator's own latency.
        package var latency: LatencyModel?
        package var goAway: GoAway?
        /// The connection ends without another frame.
        package var closesConnection = false
        /// The end of the connection is a reset of TCP, without TLS's farewell.
        package var resetsConnection = false
        /// The end of the connection comes behind all that is due, with bytes of the client's unread, for
        /// which the kernel sends a reset.
        package var leavesUnread = false
        /// True to read nothing from this connection any more; due bytes are still written.
        package var stopsReading = false
        /// Nothing is read from this connection or written to it any more.
        package var stallsConnection = false
        /// The stream limit from now on.
        package var maxConcurrentStreams: UInt32?

        package init() {}
    }

    /// The effect on the request's stream.
    package enum StreamAction: Equatable, Sendable {
        /// Answered with 200.
        case accept
        case answer(ScenarioAnswer)
        /// Answered so that the row has this outcome, as the examples of a description have it.
        case outcome(Outcome)
        /// Ended by RST_STREAM with an error code.
        case reset(errorCode: UInt32)
        /// Never answered.
        case stall
    }

    /// A GOAWAY frame.
    package struct GoAway: Equatable, Sendable {
        /// The last stream that the frame names as processed.
        package enum LastStream: Equatable, Sendable {
            /// All that have arrived.
            case received
            /// None from this request on: it can be sent again.
            case beforeThis
            /// This request and those before it.
            case throughThis
            case id(Int32)
        }

        /// Nil ends gracefully: running streams finish, and then the connection closes.
        package var errorCode: UInt32?
        package var lastStream = LastStream.received
        /// The reason in the debug data; empty for none.
        package var reason = ""

        package init() {}
    }

    /// True if a rule counts requests over all connections.
    ///
    /// Such rules need a single thread.
    package var countsAcrossConnections: Bool {
        rules.contains { rule in
            let limit = rule.condition.rateLimit
            return rule.condition.everyNth > 0 || rule.condition.attempts != nil
                || limit != nil && limit?.scope != .connection
        }
    }

    /// True if a rule depends on the number of times that a token was seen.
    var countsAttempts: Bool { rules.contains { $0.condition.attempts != nil } }
}

/// An answer that a scenario has written.
package struct ScenarioAnswer: Equatable, Sendable {
    package var status: Int
    /// The `reason` of the body; empty for an answer without a body.
    package var reason: String
    /// The time when the token became invalid; nil with status 410 is the time of the request.
    /// - Unit: milliseconds since 1970.
    package var timestamp: UInt64?
    /// The value of `retry-after`; empty for none.
    package var retryAfter: String
    /// The time from the answer to the HTTP date that is `retry-after` instead.
    package var retryDateNanoseconds: Int64?

    package init(
        status: Int, reason: String = "", timestamp: UInt64? = nil, retryAfter: String = "",
        retryDateNanoseconds: Int64? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
        self.retryDateNanoseconds = retryDateNanoseconds
    }
}
