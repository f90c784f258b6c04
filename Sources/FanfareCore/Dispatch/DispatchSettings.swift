import FanfareBase

/// The numbers that a `Dispatcher` decides by.
package struct DispatchSettings: Sendable, Equatable {
    /// Connections of the lane, to begin with.
    package var connections: Int
    /// The most connections of the lane; more than `connections` lets their number follow the demand.
    package var connectionsMax: Int
    /// The number of lanes that share the limits of a job.
    package var lanes = 1
    /// Our own limit of requests in flight on one connection.
    package var streamsPerConnection: Int
    /// True if a new connection starts with one request: token authentication.
    package var firstRequestAlone: Bool
    /// True if the first request of all lanes goes alone, until its answer: see `RouteProof`.
    package var provesRoute = false
    /// The time for one attempt.
    package var timeoutNanoseconds: Int64
    /// The time for a connection to be set up.
    package var connectTimeoutNanoseconds: Int64
    package var retry: RetryPolicy
    /// The time without an answer after which the lane gives the provider up.
    package var patience = Duration.seconds(15 * 60)
    /// True if less is sent to a provider that answers nothing; a load test sends the load that was
    /// asked for.
    package var givesWay = true
    package var dial = DialPolicy()
    package var age = ConnectionAgePolicy()
    /// True if the requests in flight follow what the provider answers well: see `AdaptiveWindow`.
    package var isAdaptive = false
    /// True if a row in doubt is sent again (`--delivery at-least-once`) and not reported
    /// `unknown`.
    package var resendsInDoubt = false
    /// Streams of the same request that are refused and answered by sending it again at once.
    package var refusalsAtOnce = 2
    /// Refusals of the same request after which the row is given up as `failed`.
    package var refusalsMax = 20
    /// Rows that wait for their next attempt before no new ones are taken up.
    package var backingOffMax = Limits.backingOffMax
    /// The rows that a request has at most: one retry of the budget is for as many.
    package var rowsOfRequest = 1

    package init(
        connections: Int, streamsPerConnection: Int, firstRequestAlone: Bool,
        timeout: Duration, connectTimeout: Duration = .seconds(10), retry: RetryPolicy
    ) {
        precondition(connections > 0 && streamsPerConnection > 0)
        self.connections = connections
        connectionsMax = connections
        self.streamsPerConnection = streamsPerConnection
        self.firstRequestAlone = firstRequestAlone
        self.timeoutNanoseconds = timeout.wholeNanoseconds
        self.connectTimeoutNanoseconds = connectTimeout.wholeNanoseconds
        self.retry = retry
    }
}

/// The end of one attempt, as far as sending again is concerned.
///
/// Proof decides.
package enum AttemptEnd: Equatable, Sendable {
    /// The provider has spoken its last word on the row.
    case answeredFinally
    /// The answer allows another attempt.
    case answeredAgain(RetryPolicy.Cause)
    /// There is an answer, and the provider may have acted on the request all the same.
    case answeredInDoubt(RetryPolicy.Cause)
    /// The provider cannot have acted on it: its stream was refused, or a part of it never left.
    case unprocessed
    /// The same, and it was the connection that ended: above GOAWAY's last id, or never written.
    case dismissed
    /// It may have reached the provider, and the answer is not known.
    case inDoubt

    /// The time that the provider has asked all rows to wait for.
    package var wish: Duration? {
        switch self {
        case .answeredAgain(let cause), .answeredInDoubt(let cause): cause.wish
        case .answeredFinally, .unprocessed, .dismissed, .inDoubt: nil
        }
    }

    var isAnswer: Bool {
        switch self {
        case .answeredFinally, .answeredAgain, .answeredInDoubt: true
        case .unprocessed, .dismissed, .inDoubt: false
        }
    }

    /// True if it is as if the attempt had never been.
    package var isUnprocessed: Bool {
        switch self {
        case .unprocessed, .dismissed: true
        case .answeredFinally, .answeredAgain, .answeredInDoubt, .inDoubt: false
        }
    }
}
