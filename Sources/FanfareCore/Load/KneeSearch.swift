import FanfareBase

/// A search for the highest rate that a service keeps up with: its knee.
///
/// First the rate doubles until the bounds are broken (or halves until they are kept), then the gap
/// between the two is halved until it is as narrow as wanted:
/// ```
///  1000 ✓  2000 ✓  4000 ✓  8000 ✗ │ 6000 ✗  5000 ✓  5500 ✗  5250 …
/// ```
package struct KneeSearch: Sendable {
    /// The bounds that a rate must keep.
    package struct Bounds: Equatable, Sendable {
        /// The 99th percentile of the response times, in nanoseconds.
        package var p99: Int64
        /// The share of errors.
        package var errorShare: Double

        /// Collects the bounds.
        package init(p99: Int64, errorShare: Double) {
            self.p99 = p99
            self.errorShare = errorShare
        }

        /// True if a step has kept them.
        package func areKept(by step: LoadStep) -> Bool {
            step.figures.answered > 0 && step.figures.errorShare <= errorShare
                && step.figures.response.percentile(99) <= p99
        }
    }

    /// The distance at which the search ends, between the highest rate that keeps the bounds and
    /// the lowest one that does not, as a share.
    package let precision: Double
    private let range: ClosedRange<Double>
    /// The rate to try next; `nil` when the search is over.
    package private(set) var rate: Double?
    /// The highest rate that was kept.
    package private(set) var kept: Double?
    /// The lowest rate that was too much.
    package private(set) var tooMuch: Double?

    /// Begins a search.
    /// - Parameters:
    ///   - first: The rate to begin with, in requests a second.
    ///   - precision: The gap to end with, as a share: 0.02 for 2 %.
    ///   - range: The rates that may be tried.
    package init(
        first: Double, precision: Double,
        within range: ClosedRange<Double> = Limits.loadRateMin...Limits.loadRateMax
    ) {
        precondition(precision > 0 && range.contains(first), "BUG: a search without a beginning")
        self.precision = precision
        self.range = range
        rate = first
    }

    /// Notes the result of the rate to try.
    package mutating func tried(isWithinBounds: Bool) {
        guard let tried = rate else { return }
        if isWithinBounds { kept = tried } else { tooMuch = tried }
        switch (kept, tooMuch) {
        case (let low?, nil):
            rate = low < range.upperBound ? min(2 * low, range.upperBound) : nil
        case (nil, let high?):
            rate = high > range.lowerBound ? max(high / 2, range.lowerBound) : nil
        case (let low?, let high?):
            rate = high - low > low * precision ? low + (high - low) / 2 : nil
        case (nil, nil):
            rate = nil
        }
    }
}

/// The result of a search for the knee.
package struct Knee: Equatable, Sendable {
    package var bounds: KneeSearch.Bounds
    package var precision: Double
    /// The highest rate that was kept, in requests a second; `nil` if none was.
    package var rate: Double?
    /// The lowest rate that was too much; `nil` if none was.
    package var tooMuch: Double?
    /// True if this machine may have been too weak: the service may do more.
    package var isGeneratorLimited: Bool
    /// True if the search came to its end.
    package var isComplete: Bool

    /// Collects the findings.
    package init(
        bounds: KneeSearch.Bounds, search: KneeSearch, steps: [LoadStep]
    ) {
        self.bounds = bounds
        precision = search.precision
        rate = search.kept
        tooMuch = search.tooMuch
        isComplete = search.rate == nil
        isGeneratorLimited = steps.contains {
            $0.isWithinBounds == false && $0.generatorLimit != nil
        }
    }
}
