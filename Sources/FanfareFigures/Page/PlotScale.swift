/// The places of values on an axis, and the values that are named on it.
struct PlotScale: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case linear
        /// For values above 0; smaller ones lie at the axis's beginning.
        case logarithmic
    }

    let kind: Kind
    let from: Double
    let to: Double
    /// The values that the axis names, rising.
    let ticks: [Double]

    /// Returns the axis that has room for these values; `nil` where none is above 0.
    static func axis(_ kind: Kind, for values: [Double]) -> PlotScale? {
        guard let most = values.max(), most > 0 else { return nil }
        return switch kind {
        case .linear: linear(through: most)
        case .logarithmic: logarithmic((values.filter { $0 > 0 }.min() ?? most)...most)
        }
    }

    /// Returns an axis from 0 to a round number at or above all values.
    static func linear(through most: Double) -> PlotScale {
        let step = niceStep(above: most / 4)
        let count = max((most / step).rounded(.up), 1)
        return PlotScale(
            kind: .linear, from: 0, to: step * count,
            ticks: (0...Int(count)).map { Double($0) * step })
    }

    /// Returns an axis over whole decades, or parts of them (1, 2, 5) if the values span less than
    /// two.
    static func logarithmic(_ values: ClosedRange<Double>) -> PlotScale {
        let least = max(values.lowerBound, 1e-9)
        let most = max(values.upperBound, least)
        let factors: [Double] = most / least >= 30 ? [1] : [1, 2, 5]
        var candidates: [Double] = []
        var power = powerOfTen(below: least)
        while (candidates.last ?? 0) <= most * 10 {
            candidates += factors.map { $0 * power }
            power *= 10
        }
        // Products of tenths are not exact.
        let first = candidates.lastIndex { $0 <= least * 1.000_001 } ?? 0
        let end = candidates.firstIndex { $0 >= most * 0.999_999 } ?? candidates.count - 1
        let ticks = Array(candidates[first...max(end, first + 1)])
        return PlotScale(
            kind: .logarithmic, from: ticks[0], to: ticks[ticks.count - 1], ticks: ticks)
    }

    /// Returns an axis of time in seconds; the last moment need not be round.
    static func time(seconds: Double) -> PlotScale {
        let whole = max(seconds, 1e-3)
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
            86_400,
        ]
        let most = whole / 7
        let days = niceStep(above: most / 86_400) * 86_400
        let step = most < 0.5 ? niceStep(above: most) : steps.first { $0 >= most } ?? days
        let count = Int((whole / step * 1.000_001).rounded(.down))
        return PlotScale(
            kind: .linear, from: 0, to: whole, ticks: (0...count).map { Double($0) * step })
    }

    /// Returns the place of a value: 0 at the axis's beginning, 1 at its end, and never outside.
    func place(_ value: Double) -> Double {
        let place: Double
        switch kind {
        case .linear: place = (value - from) / (to - from)
        case .logarithmic:
            guard value > from else { return 0 }
            place = naturalLogarithm(value / from) / naturalLogarithm(to / from)
        }
        return min(max(place, 0), 1)
    }

    /// Returns 1, 2, 2.5 or 5 times a power of ten, at or above a value.
    static func niceStep(above value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let decade = powerOfTen(below: value)
        let factor = [1, 2, 2.5, 5, 10].first { decade * $0 >= value * 0.999_999 } ?? 10
        return decade * factor
    }

    private static func powerOfTen(below value: Double) -> Double {
        var power = 1.0
        while power > value * 1.000_001 { power /= 10 }
        while power * 10 <= value * 1.000_001 { power *= 10 }
        return power
    }
}

/// Returns the natural logarithm of a number from 1 on, to eight digits and more.
///
/// The C library has a better one, but this module uses no C library.
func naturalLogarithm(_ value: Double) -> Double {
    guard value > 1 else { return 0 }
    // 2·(z + z³/3 + z⁵/5 + …) with z = (m − 1)/(m + 1) ≤ 1/3 for a significand m below 2.
    let significand = value.significand
    let z = (significand - 1) / (significand + 1)
    var (power, sum) = (z, 0.0)
    for term in 0..<9 {
        sum += power / Double(2 * term + 1)
        power *= z * z
    }
    return 2 * sum + Double(value.exponent) * 0.693_147_180_559_945_3
}
