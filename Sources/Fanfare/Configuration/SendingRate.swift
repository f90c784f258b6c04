import FanfareBase
import FanfareCore

/// So many attempts in so long.
public struct SendingRate: Sendable, Equatable, CustomStringConvertible {
    /// The number of attempts.
    public var count: Int
    /// The time for these attempts, in whole nanoseconds.
    public var period: Duration

    /// So many in a time; in a second, if it is not said.
    public init(_ count: Int, per period: Duration = .seconds(1)) {
        self.count = count
        self.period = period
    }

    /// The rate as one would write it: `5000/s`, `100/15s`.
    public var description: String {
        let units: [(name: String, nanoseconds: Int64)] = [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
            ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
        ]
        let time = period.wholeNanoseconds
        let unit = units.first { time % $0.nanoseconds == 0 } ?? ("ns", 1)
        let number = time / unit.nanoseconds
        return "\(count)/\(number == 1 ? "" : String(number))\(unit.name)"
    }
}
