import FanfareBase

/// What a load test does to a service.
package struct LoadOptions: Sendable, Equatable {
    /// What decides when a request starts.
    package enum Pattern: Sendable, Equatable {
        /// The end of another one: so many are in flight all the time.
        case inFlight(Int)
        /// The clock: so many a second, in the end if it is not the same all the time.
        case rate(from: Double, to: Double)
        /// A search for the highest rate that keeps the bounds, beginning with this one.
        case knee(first: Double, KneeBounds)
    }

    /// What a rate must keep, and how closely the highest one is looked for.
    package struct KneeBounds: Sendable, Equatable {
        /// The 99th percentile of the response times.
        package var p99 = Duration.milliseconds(250)
        /// The share of requests without an answer below 400.
        package var errorShare = 0.01
        /// The gap between the highest rate that keeps the bounds and the lowest that does not.
        package var precision = 0.02

        /// 250 ms, 1 % of errors, to 2 %.
        package init() {}
    }

    /// What decides when a request starts.
    package var pattern = Pattern.inFlight(100)
    /// How long it goes on before it is measured; with a `count` there is none.
    package var warmUp = Duration.seconds(1)
    /// How long it is measured, for each step.
    package var duration = Duration.seconds(10)
    /// How many requests there are, in place of a duration; `nil` for a duration.
    package var count: Int?
    /// In how many steps the rate goes from the first to the last; with one it goes in a line.
    package var steps = 1
    /// The request, if the service is no push provider.
    package var request: LoadRequest?
    /// What is spoken with the service.
    package var versions = HTTPVersions.http2

    /// What a result calls the service; `nil` for its endpoint.
    package var serviceName: String?
    /// What else a comparison has to know about the service, by name.
    package var serviceSettings: [String: String] = [:]
    /// The version of the program, for the result.
    package var version = ""
    /// The command that asked for it, for the result; without anything secret.
    package var command = ""

    /// A hundred notifications in flight for ten seconds.
    package init() {}
}

/// The request of a load test of any HTTP service: the same each time.
package struct LoadRequest: Sendable, Equatable {
    /// A header field.
    package struct Field: Sendable, Equatable {
        /// In any case; sent in lower case.
        package var name: String
        /// What it says.
        package var value: String

        /// Describes a field.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method; `nil` for GET, or POST with a body.
    package var method: String?
    /// The path, with a query if there is one.
    package var path = "/"
    /// The header fields.
    package var fields: [Field] = []
    /// The body; empty for none.
    package var body: [UInt8] = []

    /// A GET of `/`.
    package init() {}
}
