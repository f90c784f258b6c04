package import FanfareBase

/// The time for which a provider wants nothing of a route: its `retry-after`, as far as it holds all rows.
///
/// It is a minute at most. The row that was answered itself may wait for longer.
package struct ProviderHold: Equatable, Sendable {
    /// The longest hold.
    package static let longest = ProviderHold(milliseconds: .max)
    package static let none = ProviderHold(milliseconds: 0)

    /// Whole milliseconds from now on; 0 for none.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = min(
            max(0, milliseconds), Limits.retryHoldMax.wholeNanoseconds / 1_000_000)
    }

    /// The rest of a hold that ends at a moment.
    package init(until moment: Instant, now: Instant) {
        self.init(milliseconds: moment > now ? moment.nanoseconds(since: now) / 1_000_000 : 0)
    }

    /// Reads what a server's clock has left of one that was written as an end.
    ///
    /// More than any hold has is of a clock that was set back since: it says nothing.
    package init(readMilliseconds: Int64) {
        let isOfThisClock = readMilliseconds <= Self.longest.milliseconds + 1_000
        self.init(milliseconds: isOfThisClock ? readMilliseconds : 0)
    }

    /// Returns the end of a hold that was asked for until a moment.
    package static func end(_ moment: Instant, now: Instant) -> Instant {
        min(moment, longest.end(now: now))
    }

    /// Returns the end of a hold that was asked for by a time from now on.
    package static func end(after wish: Duration, now: Instant) -> Instant {
        now.advanced(by: min(wish, Limits.retryHoldMax))
    }

    package func end(now: Instant) -> Instant {
        now.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    /// The rest of it later on.
    package func after(milliseconds passed: Int64) -> ProviderHold {
        ProviderHold(milliseconds: milliseconds - max(0, passed))
    }

    /// True if it makes another one longer.
    ///
    /// A worker tells what is left with each beat, and each beat is a little later on its way than another one: such
    /// differences are none.
    package func outlasts(_ other: ProviderHold) -> Bool {
        milliseconds > other.milliseconds + Limits.clusterHoldSlack.wholeNanoseconds / 1_000_000
    }
}

/// The ends of holds, route by route, on one clock.
struct RouteHolds: Equatable, Sendable {
    private var ends: [Instant] = []

    init() {}

    init(_ holds: [ProviderHold], now: Instant) { ends = holds.map { $0.end(now: now) } }

    /// The end of a route's hold, which may be past.
    subscript(route: Int) -> Instant { ends.indices.contains(route) ? ends[route] : .distantPast }

    /// Notes the end of a hold, unless a later one is known.
    /// - Returns: True if it was not known.
    mutating func note(_ end: Instant, ofRoute route: Int) -> Bool {
        guard route < Limits.clusterHoldsMax, end > self[route] else { return false }
        while ends.count <= route { ends.append(.distantPast) }
        ends[route] = end
        return true
    }

    /// The rest of each; nothing if all are over.
    func left(now: Instant) -> [ProviderHold] {
        guard ends.contains(where: { $0 > now }) else { return [] }
        return ends.map { ProviderHold(until: $0, now: now) }
    }
}
