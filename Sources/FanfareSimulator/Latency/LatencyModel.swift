package import FanfareBase
import FanfareCore

#if canImport(Glibc)
    import Glibc
#endif

/// The provider's time for an answer.
///
/// Sampling has no state: the same seed and request number give the same delay, with any other
/// requests before it.
package struct LatencyModel: Equatable, Sendable {
    private enum Shape: Equatable, Sendable {
        case fixed(nanoseconds: Int64)
        case uniform(from: Int64, to: Int64)
        /// `median` in nanoseconds; `sigma` is the deviation of the logarithm.
        case lognormal(median: Double, sigma: Double)
    }

    private let shape: Shape

    /// Answers at once.
    package static let none = LatencyModel(shape: .fixed(nanoseconds: 0))

    private init(shape: Shape) {
        self.shape = shape
    }

    /// The same delay for every request.
    package static func fixed(_ delay: Duration) -> LatencyModel {
        LatencyModel(shape: .fixed(nanoseconds: delay.wholeNanoseconds))
    }

    /// Reads `20ms`, `20ms..80ms` (all delays between are equally likely) or
    /// `lognormal:p50=40ms,p99=250ms` (in either order).
    /// - Parameter text: The latency, of an hour at most.
    /// - Throws: `LatencyText.Fault`.
    package init(reading text: String) throws(LatencyText.Fault) {
        switch try LatencyText(text, max: .nanoseconds(Limits.simulatorLatencyNanoseconds)) {
        case .fixed(let delay):
            shape = .fixed(nanoseconds: delay.wholeNanoseconds)
        case .uniform(let range):
            shape = .uniform(
                from: range.lowerBound.wholeNanoseconds, to: range.upperBound.wholeNanoseconds)
        case .logNormal(let p50, let p99):
            // The 99th percentile of the standard normal distribution.
            let z99 = 2.326_347_874_040_841
            let median = Double(p50.wholeNanoseconds)
            shape = .lognormal(
                median: median, sigma: log(Double(p99.wholeNanoseconds) / median) / z99)
        }
    }

    /// Reads a latency at its place in a file.
    /// - Parameters:
    ///   - text: The latency.
    ///   - place: Its place.
    /// - Throws: `SimulatorError` that names the expected form.
    package init(_ text: String, place: String = "latency") throws(SimulatorError) {
        do throws(LatencyText.Fault) {
            try self.init(reading: text)
        } catch {
            let problem =
                switch error {
                case .delay(let text), .tooLong(let text), .end(let text), .percentile(let text),
                    .noPercentiles(let text):
                    "'\(text)' is not a delay of at most 1h, such as 20ms or 1.5s"
                case .reversed: "the range starts above its end"
                case .unknownPercentile: "expected lognormal:p50=40ms,p99=250ms"
                case .missingPercentile, .zeroPercentile, .reversedPercentiles:
                    "lognormal needs p50 above zero and p99 not below it"
                }
            throw SimulatorError(place, problem)
        }
    }

    /// True if every request is answered at once.
    package var isZero: Bool { shape == .fixed(nanoseconds: 0) }

    /// The delay of one request.
    /// - Parameters:
    ///   - seed: The run's seed.
    ///   - number: The request's number in the run.
    /// - Returns: Nanoseconds, at most an hour.
    package func nanoseconds(seed: UInt64, number: UInt64) -> Int64 {
        switch shape {
        case .fixed(let nanoseconds): return nanoseconds
        case .uniform(let from, let to):
            var random = Self.random(seed, number)
            return from + Int64(random.next(upperBound: UInt64(to - from) + 1))
        case .lognormal(let median, let sigma):
            var random = Self.random(seed, number)
            // Box and Muller: two uniform numbers make a normal one. The first must not be zero.
            let radius = (-2 * log(1 - Self.unit(random.next()))).squareRoot()
            let normal = radius * cos(2 * .pi * Self.unit(random.next()))
            let delay = median * exp(sigma * normal)
            return Int64(min(delay, Double(Limits.simulatorLatencyNanoseconds)))
        }
    }

    private static func random(_ seed: UInt64, _ number: UInt64) -> SplitMix64 {
        // One step of the generator spreads the number over all bits, so that neighboring
        // requests get unrelated sequences.
        var spread = SplitMix64(seed: number)
        return SplitMix64(seed: seed ^ spread.next())
    }

    /// A number in 0..<1 with the 53 bits that a `Double` holds.
    private static func unit(_ bits: UInt64) -> Double {
        Double(bits >> 11) * 0x1p-53
    }
}
