import FanfareBase

/// The moments at which the requests of a load test are due, and the choice of those that are
/// measured.
///
/// In an open loop n alone decides when the n-th request is due: if a server or this machine holds
/// a request up, it stays due since then, and a stall costs no memory. The time of a request then
/// counts from the moment it was due. Otherwise the measurement would leave out the requests that a
/// slow server kept from starting ("coordinated omission").
///
/// ```
///  0 ─── warm-up ───┬───────────── measured ─────────────┐
///   at the rate of  │ the rate, or from one to another   │ nothing starts
///   the beginning   warmUp                              length
/// ```
package struct LoadSchedule: Equatable, Sendable {
    /// The cause that starts a request.
    package enum Load: Equatable, Sendable {
        /// The end of another one: there are always as many in flight.
        case closed
        /// The clock; requests a second at the beginning and at the end.
        case open(from: Double, to: Double)
    }

    package let load: Load
    /// The end of the warm-up, in nanoseconds from the beginning; requests that are due before are
    /// not measured.
    package let warmUp: Int64
    /// The end in nanoseconds from the beginning; nothing is due from then on.
    ///
    /// `Int64.max` for no such time.
    package let length: Int64
    /// The time from which nothing starts, in nanoseconds from the beginning.
    ///
    /// A request that is due just before the end may start as late behind it as it might have
    /// before.
    package let lastStart: Int64
    /// The number of requests; `Int64.max` for no such number.
    package let countMax: Int64

    /// Requests a nanosecond.
    private let startRate: Double
    /// The amount that a nanosecond adds to that, behind the warm-up.
    private let slope: Double

    /// Makes a load for some time.
    /// - Parameters:
    ///   - load: The cause that starts requests.
    ///   - warmUp: The time that it goes on before it is measured.
    ///   - duration: The time for which it is measured.
    package init(_ load: Load, warmUp: Duration = .zero, duration: Duration) {
        self.init(
            load, warmUp: warmUp.wholeNanoseconds,
            length: warmUp.wholeNanoseconds + duration.wholeNanoseconds, countMax: .max)
    }

    /// Makes a load of a number of requests; all are measured.
    package init(_ load: Load, count: Int64) {
        self.init(load, warmUp: 0, length: .max, countMax: count)
    }

    private init(_ load: Load, warmUp: Int64, length: Int64, countMax: Int64) {
        self.load = load
        self.warmUp = warmUp
        self.length = length
        self.countMax = countMax
        let grace = Limits.lateStart.wholeNanoseconds
        lastStart = load == .closed || length > .max - grace ? length : length + grace
        switch load {
        case .closed:
            startRate = 0
            slope = 0
        case .open(let from, let to):
            precondition(from > 0 && to > 0, "BUG: a load without a rate")
            startRate = from / 1e9
            slope = from == to ? 0 : (to - from) / 1e9 / Double(length - warmUp)
        }
    }

    /// Returns the time at which a request of an open loop is due.
    /// - Parameter number: The number of the request, counted from 0.
    /// - Returns: Nanoseconds from the beginning.
    package func due(_ number: Int64) -> Int64 {
        let number = Double(number)
        let inWarmUp = startRate * Double(warmUp)
        guard slope != 0, number > inWarmUp else { return Self.whole(number / startRate) }
        // n = r × t + s × t² ÷ 2, solved so that nothing cancels out.
        let rest = number - inWarmUp
        let root = startRate * startRate + 2 * slope * rest
        // A falling rate comes to its end before so many are due.
        guard root >= 0 else { return .max }
        return Self.whole(Double(warmUp) + 2 * rest / (startRate + root.squareRoot()))
    }

    /// Returns the number of requests of an open loop that are due before a moment, in nanoseconds
    /// from the beginning.
    package func count(before moment: Int64) -> Int64 {
        let moment = min(moment, length)
        guard moment > 0 else { return 0 }
        let flat = Double(min(moment, warmUp))
        let rising = Double(max(moment - warmUp, 0))
        let behind = slope == 0 ? rising * startRate : rising * (startRate + slope * rising / 2)
        var count = min(Self.whole(flat * startRate + behind), countMax)
        // The two roundings may differ by one.
        while count < countMax, due(count) < moment { count += 1 }
        while count > 0, due(count - 1) >= moment { count -= 1 }
        return count
    }

    /// True if a request that is due at a moment is measured.
    package func isMeasured(_ moment: Int64) -> Bool { moment >= warmUp && moment < length }

    private static func whole(_ value: Double) -> Int64 {
        value < 9e18 ? Int64(value.rounded()) : .max
    }
}
