/// What a load test does to a service.
public struct LoadOptions: Sendable, Equatable {
    /// What decides when a request starts.
    public enum Pattern: Sendable, Equatable {
        /// The end of another one: so many are in flight all the time.
        case inFlight(Int)
        /// The clock: so many a second, in the end if it is not the same all the time.
        case rate(from: Double, to: Double)
        /// A search for the highest rate that keeps the bounds, beginning with this one.
        case knee(first: Double, KneeBounds)
    }

    /// What a rate must keep, and how closely the highest one is looked for.
    public struct KneeBounds: Sendable, Equatable {
        /// The 99th percentile of the response times.
        public var p99 = Duration.milliseconds(250)
        /// The share of requests without an answer below 400.
        public var errorShare = 0.01
        /// The gap between the highest rate that keeps the bounds and the lowest that does not.
        public var precision = 0.02

        /// 250 ms, 1 % of errors, to 2 %.
        public init() {}
    }

    /// What decides when a request starts.
    public var pattern = Pattern.inFlight(100)
    /// How long it goes on before it is measured; with a `count` there is none.
    public var warmUp = Duration.seconds(1)
    /// How long it is measured, for each step.
    public var duration = Duration.seconds(10)
    /// How many requests there are, in place of a duration; `nil` for a duration.
    public var count: Int?
    /// In how many steps the rate goes from the first to the last; with one it goes in a line.
    public var steps = 1
    /// The request, if the service is no push provider.
    public var request: LoadRequest?

    /// What a result calls the service; `nil` for its endpoint.
    public var serviceName: String?
    /// What else a comparison has to know about the service, by name.
    public var serviceSettings: [String: String] = [:]
    /// The version of the program, for the result.
    public var version = ""
    /// The command that asked for it, for the result; without anything secret.
    public var command = ""

    /// A hundred notifications in flight for ten seconds.
    public init() {}
}

/// The request of a load test of any HTTP/2 service: the same each time.
public struct LoadRequest: Sendable, Equatable {
    /// A header field.
    public struct Field: Sendable, Equatable {
        /// In any case; sent in lower case.
        public var name: String
        /// What it says.
        public var value: String

        /// Describes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method; `nil` for GET, or POST with a body.
    public var method: String?
    /// The path, with a query if there is one.
    public var path = "/"
    /// The header fields.
    public var fields: [Field] = []
    /// The body; empty for none.
    public var body: [UInt8] = []

    /// A GET of `/`.
    public init() {}
}
