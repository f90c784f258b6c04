package import FanfareBase

/// The rows that a worker has in hand, route by route: some of them wait for a provider that takes none.
///
/// A provider that has asked for time, or says nothing, gets through none of its rows. They must not become all that the
/// worker may have, because then the rows of the other providers would wait with them. So while a route is short of rows,
/// those of others do not count beyond their own work of some seconds, up to a bound: rows in the hands of a worker that
/// is lost are in doubt.
package struct RowsInHand: Sendable {
    private struct Route: Sendable {
        /// The rows of this process, and those that have their lines.
        var got: UInt64 = 0
        var lined: UInt64 = 0
        /// The lines and the rows in hand at the beginning of the present measure.
        var linedBefore: UInt64 = 0
        var openBefore: UInt64 = 0
        /// The lines of the last measure.
        var lines: UInt64 = 0
        /// The same in a second; `nil` if the route had no rows when that measure began.
        var perSecond: UInt64?

        var open: UInt64 { got - min(got, lined) }

        /// True if it may soon have none, as far as it gets through any.
        var isShort: Bool { open == 0 || open * 2 <= lines }
    }

    private var routes: [Route] = []
    private var measuredAt: Instant?

    package init() {}

    /// Notes the rows that each route has got.
    /// - Parameter rows: The rows of this process, by the place of their routes.
    package mutating func routesGot(_ rows: [UInt64]) {
        grow(to: rows.count)
        for (index, count) in rows.enumerated() { routes[index].got = count }
    }

    /// Notes lines of a route's rows, which may come before the word that it got them.
    package mutating func lined(_ count: Int, ofRoute route: Int) {
        grow(to: route + 1)
        routes[route].lined += UInt64(count)
    }

    private mutating func grow(to count: Int) {
        while routes.count < count { routes.append(Route()) }
    }

    /// Measures the rows that each route gets through in a second.
    package mutating func measure(now: Instant) {
        if let begin = measuredAt {
            guard now >= begin.advanced(by: Limits.clusterRouteMeasure) else { return }
            let milliseconds = UInt64(max(1, now.nanoseconds(since: begin) / 1_000_000))
            for index in routes.indices {
                let lines = routes[index].lined - routes[index].linedBefore
                routes[index].lines = lines
                routes[index].perSecond =
                    routes[index].openBefore > 0 ? lines * 1_000 / milliseconds : nil
            }
        }
        measuredAt = now
        for index in routes.indices {
            routes[index].linedBefore = routes[index].lined
            routes[index].openBefore = routes[index].open
        }
    }

    /// Begins to measure anew: lanes rest, and no provider is to blame.
    package mutating func rest() {
        measuredAt = nil
        for index in routes.indices { routes[index].perSecond = nil }
    }

    /// The rows that do not count, because their routes have more than they get through while another one is short.
    /// - Parameter most: The rows that lanes may have.
    /// - Returns: The number, `Limits.clusterRowsBehindMax` at most; 0 if there is one route.
    package func behind(most: UInt64) -> UInt64 {
        guard routes.count > 1, routes.contains(where: \.isShort) else { return 0 }
        let least = min(most / 2, Limits.clusterRouteRowsMin)
        let rows = routes.reduce(UInt64(0)) { sum, route in
            guard let perSecond = route.perSecond else { return sum }
            let usual = max(least, perSecond * Limits.clusterRouteSeconds)
            return sum + route.open - min(route.open, usual)
        }
        return min(rows, Limits.clusterRowsBehindMax)
    }
}
