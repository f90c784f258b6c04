import FanfareBase

/// The unit of a plot's numbers, and the way in which people read them.
enum PlotUnit: Equatable, Sendable {
    /// A number of things: "rows".
    case count(String)
    /// A number of things in a second: "rows".
    case perSecond(String)
    /// Nanoseconds.
    case latency

    /// Returns a number in words.
    func text(_ value: Double) -> String {
        switch self {
        case .count, .perSecond: Self.number(value)
        case .latency: NumberText.latency(nanoseconds: Int64(clamping: value))
        }
    }

    /// Returns a number on an axis, where it is round.
    func tick(_ value: Double) -> String {
        guard self == .latency else { return Self.number(value) }
        switch value {
        case ..<1000: return "\(Self.number(value)) ns"
        case ..<999_500: return "\(Self.number(value / 1000)) µs"
        case ..<999_500_000: return "\(Self.number(value / 1_000_000)) ms"
        default: return "\(Self.number(value / 1_000_000_000)) s"
        }
    }

    /// Returns the text in the head of a table's column.
    func heading(_ name: String) -> String {
        switch self {
        case .perSecond: "\(name)/s"
        case .count, .latency: name
        }
    }

    /// The unit itself; nothing where each number has its own.
    var name: String {
        switch self {
        case .count(let noun): noun
        case .perSecond(let noun): "\(noun) a second"
        case .latency: ""
        }
    }

    /// Returns a number with as many digits as are of use: `12,345`, `42.5`, `0.031`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        let magnitude = abs(value)
        let sign = value < 0 ? "−" : ""
        if magnitude >= 100 || magnitude == magnitude.rounded() {
            return sign + NumberText.grouped(UInt64(clamping: magnitude.rounded()))
        }
        let digits = magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
        let scale: UInt64 = [1, 10, 100, 1000][digits]
        let scaled = UInt64((magnitude * Double(scale)).rounded())
        let fraction = String(String(scale + scaled % scale).dropFirst())
        let kept = fraction.reversed().drop { $0 == "0" }.reversed()
        let whole = NumberText.grouped(scaled / scale)
        return kept.isEmpty ? sign + whole : "\(sign)\(whole).\(String(kept))"
    }
}

extension BinaryInteger where Self: FixedWidthInteger {
    /// Makes the nearest number that fits.
    init(clamping value: Double) {
        if value.isNaN || value <= Double(Self.min) {
            self = value.isNaN ? 0 : Self.min
        } else {
            self = Self(exactly: value.rounded()) ?? Self.max
        }
    }
}
