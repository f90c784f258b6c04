import FanfareBase
package import FanfareCore

/// The options of a load test.
package struct LoadOptions: Sendable, Equatable {
    /// The rule for the starts of requests.
    package enum Pattern: Sendable, Equatable {
        /// The end of another one: so many are in flight all the time.
        case inFlight(Int)
        /// The clock: so many a second, in the end if it is not the same all the time.
        case rate(from: Double, to: Double)
        /// A search for the highest rate that keeps the bounds, beginning with this one.
        case knee(first: Double, KneeBounds)
    }

    /// The bounds that a rate must keep, and the precision of the search for the highest one.
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

    /// The rule for the starts of requests.
    package var pattern = Pattern.inFlight(100)
    /// The duration of each step before its measurement; zero with a `count`.
    package var warmUp = Duration.seconds(1)
    /// The duration of each step's measurement.
    package var duration = Duration.seconds(10)
    /// The number of requests, in place of a duration; `nil` for a duration.
    package var count: Int?
    /// The number of steps from the first rate to the last; with one the rate rises in a line.
    package var steps = 1
    /// The conditions that make the result a failure: the exit code is 5 when one of them holds.
    package var failIf: [LoadCondition] = []
    /// The file that gets a line for each measured request; `nil` for none.
    package var requestsPath: String?
    /// The request, if the service is no push provider.
    package var request: LoadRequest?
    /// The versions of HTTP that the test speaks with the service.
    package var versions = HTTPVersions.http2

    /// The service's name in the result; `nil` for its endpoint.
    package var serviceName: String?
    /// Further settings of the service for comparisons, by name.
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
        /// The field's name in any case; it is sent in lower case.
        package var name: String
        /// The header field's value.
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
