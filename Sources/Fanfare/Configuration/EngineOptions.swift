/// How much is done at once.
public struct EngineOptions: Sendable, Equatable {
    /// Connections to the provider, over all lanes; `nil` for as many as are of use, 256 at most.
    public var connections: Int?
    /// Our own limit of requests in flight on one connection; `nil` leaves it to the peer's.
    public var streams: Int?
    /// Whether the requests in flight follow what the provider answers well.
    ///
    /// Without it they are as many as connections and streams allow.
    public var isAdaptive = true
    /// Event-loop threads; `nil` for one less than there are cores, at least 1.
    public var lanes: Int?
    /// Attempts started, first ones and retries, over all lanes; `nil` for as many as possible.
    public var rate: SendingRate?
    /// How many starts can be made up for after a delay; `nil` for 20 ms of the rate and one more.
    ///
    /// In any time of T at most burst + rate × T attempts start.
    public var burst: Int?
    /// The time in which the rate rises to its height.
    public var ramp = Duration.zero
    /// Whether `Job.setRate` may give a job without a rate one; costs a lock for 64 requests.
    public var rateMayChange = false
    /// How often a row is tried at most.
    public var attemptsMax = 5
    /// What becomes of a row in doubt.
    public var delivery = Delivery.atMostOnce
    /// Whether a row may be sent again when it is not known what became of it.
    var mayRepeat: Bool { delivery == .atLeastOnce }
    /// When the last attempt may start, in milliseconds of UNIX time; `nil` for no such time.
    ///
    /// Rows that have not been started by then are `skipped`.
    public var untilMilliseconds: Int64?
    /// Retries per first attempt, over the job: those beyond it wait.
    public var retryBudget = 0.2
    /// The time for one attempt, from the request to the end of its answer.
    public var timeout = Duration.seconds(30)
    /// The time for a connection to be set up, TLS included.
    public var connectTimeout = Duration.seconds(10)
    /// How long the provider may answer nothing before the job stops, with its rows left for another run.
    ///
    /// Until its first answer that is a minute at most.
    public var giveUpAfter = Duration.seconds(15 * 60)

    /// The defaults of the specification.
    public init() {}
}

/// What becomes of a row that may have reached the provider, or not.
public enum Delivery: String, Sendable, CaseIterable {
    /// It is reported as `unknown`.
    case atMostOnce = "at-most-once"
    /// It is sent again, with the same `apns-id`.
    case atLeastOnce = "at-least-once"
}
