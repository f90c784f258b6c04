/// The rates of a job and of its providers, in rows a second, for forecasts.
package struct RouteRates: Sendable, Equatable {
    /// The rate of the job as a whole; `nil` for as many as possible.
    package var whole: Double?
    /// The rate of each provider; `nil` for as many as possible.
    package var routes: [Double?]
    /// The rows that each provider takes at once before its rate counts; empty for none.
    package var atOnce: [UInt64] = []

    package init(whole: Double?, routes: [Double?]) {
        self.whole = whole
        self.routes = routes
    }

    /// True if there is a rate at all.
    package var areKnown: Bool { whole != nil || routes.contains { $0 != nil } }

    /// Returns the rows a second that each provider gets while all send.
    ///
    /// Providers share the rate of the job by the rows that they have. One that cannot use its share,
    /// because its own rate is lower, leaves the rest to the others.
    /// - Parameter rest: The rows that each provider has left.
    /// - Returns: The rates; zero for those without rows, infinity for those without a limit.
    package func speeds(_ rest: [Double]) -> [Double] {
        var speeds = rest.indices.map { rest[$0] > 0 ? routes[$0] ?? .infinity : 0 }
        guard var free = whole else { return speeds }
        var sharing = rest.indices.filter { rest[$0] > 0 }
        while !sharing.isEmpty {
            let sum = sharing.reduce(0) { $0 + rest[$1] }
            let slow = sharing.filter { speeds[$0] <= free * rest[$0] / sum }
            guard !slow.isEmpty else {
                for index in sharing { speeds[index] = free * rest[index] / sum }
                break
            }
            free -= slow.reduce(0) { $0 + speeds[$1] }
            sharing.removeAll(where: slow.contains)
        }
        return speeds
    }
}
