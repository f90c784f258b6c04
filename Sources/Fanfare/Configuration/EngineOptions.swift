/// The engine's settings: connections, pace, attempts and time limits.
public struct EngineOptions: Sendable, Equatable {
    /// The connections to the provider, over all lanes; `nil` for as many as are useful, at most
    /// 256.
    public var connections: Int?
    /// The most requests in flight on one connection; `nil` for the peer's limit alone.
    public var streams: Int?
    /// True if the number of requests in flight adapts to the provider's answers.
    ///
    /// Otherwise it is as large as connections and streams allow.
    public var isAdaptive = true
    /// The event-loop threads; `nil` for one less than the number of cores, at least 1.
    public var lanes: Int?
    /// The rate of attempts, first ones and retries, over all lanes; `nil` for as many as possible.
    public var rate: SendingRate?
    /// The number of starts that may catch up after a delay; `nil` for 20 ms of the rate and one
    /// more.
    ///
    /// In any time of T at most burst + rate × T attempts start.
    public var burst: Int?
    /// The time in which the rate rises to its full value.
    public var ramp = Duration.zero
    /// True if ``PushJob/setRate(_:)`` may give a rate to a job without one; it costs a lock for 64
    /// requests.
    public var rateMayChange = false
    /// The most attempts for a row.
    public var attemptsMax = 5
    /// The treatment of a row in doubt.
    public var delivery = Delivery.atMostOnce
    /// True if a row in doubt may be sent again.
    var mayRepeat: Bool { delivery == .atLeastOnce }
    /// The latest start of an attempt, in milliseconds of UNIX time; `nil` for no such limit.
    ///
    /// Rows that have not been started by then are `skipped`.
    public var untilMilliseconds: Int64?
    /// The retries per first attempt, over the job; further retries wait.
    public var retryBudget = 0.2
    /// The time for one attempt, from the request to the end of its answer.
    public var timeout = Duration.seconds(30)
    /// The time for a connection to be set up, TLS included.
    public var connectTimeout = Duration.seconds(10)
    /// The time without any answer of the provider after which the job stops and leaves its rows to
    /// another run.
    ///
    /// Until the first answer it is a minute at most.
    public var giveUpAfter = Duration.seconds(15 * 60)

    /// The defaults of the specification.
    public init() {}
}

/// The treatment of a row that may or may not have reached the provider.
public enum Delivery: String, Sendable, CaseIterable {
    /// The row is reported as `unknown`.
    case atMostOnce = "at-most-once"
    /// The row is sent again, with the same `apns-id`.
    case atLeastOnce = "at-least-once"
}
