/// A condition on a load test that held, with the figure that made it hold.
package struct LoadCrossing: Equatable, Sendable {
    /// The part of a result that was measured.
    package enum Place: Equatable, Sendable {
        /// All of it.
        case whole
        /// One of several steps, counted from 1, and its rate.
        case step(Int, of: Int, rate: Double?)
        /// The step of a search at the highest rate that kept the bounds; `nil` if none did.
        case knee(rate: Double?)
    }

    /// The value of a figure.
    package enum Measurement: Equatable, Sendable {
        /// No answer came, or no rate kept the bounds.
        case none
        /// Nanoseconds.
        case time(Int64)
        /// So many of the requests that were due.
        case errors(UInt64, of: UInt64)
        /// Answers a second, and those that were asked for.
        case rate(Double, of: Double?)
        /// A figure that is worse than before.
        case regression(LoadComparison.Change)
    }

    package let condition: LoadCondition
    package let measurement: Measurement
    package let place: Place
}

extension LoadResult {
    /// Finds the conditions that hold.
    ///
    /// Each step is judged by itself, as a comparison does it: a mean over a ramp would hide its
    /// end. Of a search the knee alone is judged, because its other steps break bounds on purpose.
    /// A test that was stopped is not judged.
    /// - Parameters:
    ///   - conditions: The conditions.
    ///   - comparison: The comparison with an earlier result, if there is one.
    package mutating func judge(
        _ conditions: [LoadCondition], against comparison: LoadComparison? = nil
    ) {
        let parts = judgedParts
        crossings =
            stop == nil ? conditions.compactMap { crossing(of: $0, parts, comparison) } : []
    }

    /// Returns the first place where a condition holds; `nil` if it holds nowhere.
    private func crossing(
        of condition: LoadCondition, _ parts: [(place: LoadCrossing.Place, step: LoadStep?)],
        _ comparison: LoadComparison?
    ) -> LoadCrossing? {
        if let share = condition.regressionMax {
            guard let comparison else {
                return LoadCrossing(condition: condition, measurement: .none, place: .whole)
            }
            return comparison.firstChange(worseBy: share).map {
                LoadCrossing(condition: condition, measurement: .regression($0), place: .whole)
            }
        }
        for (place, step) in parts {
            let measurement = condition.figure.measurement(of: step, at: place)
            guard condition.holds(for: measurement) else { continue }
            return LoadCrossing(condition: condition, measurement: measurement, place: place)
        }
        return nil
    }

    private var judgedParts: [(place: LoadCrossing.Place, step: LoadStep?)] {
        if let knee {
            let step = knee.rate.flatMap { rate in
                steps.last { $0.isWithinBounds == true && $0.load == .open(from: rate, to: rate) }
            }
            return [(.knee(rate: knee.rate), step)]
        }
        guard steps.count > 1 else { return [(.whole, steps.first)] }
        return steps.enumerated().map { index, step in
            var rate: Double?
            if case .open(_, let to) = step.load { rate = to }
            return (.step(index + 1, of: steps.count, rate: rate), step)
        }
    }
}

extension LoadCondition.Figure {
    /// The percentile; `nil` for another figure.
    private var percent: Double? {
        switch self {
        case .p50: 50
        case .p90: 90
        case .p99: 99
        case .p999: 99.9
        case .p9999: 99.99
        case .max, .errors, .rate, .regression: nil
        }
    }

    /// Returns the figure of a step.
    ///
    /// Times are response times, which count from the moment when a request was due.
    fileprivate func measurement(
        of step: LoadStep?, at place: LoadCrossing.Place
    ) -> LoadCrossing.Measurement {
        guard let step, step.figures.answered > 0 else { return .none }
        let figures = step.figures
        if let percent { return .time(figures.response.percentile(percent)) }
        switch self {
        case .errors: return .errors(figures.errors, of: figures.due)
        case .rate:
            if case .knee(let rate?) = place { return .rate(rate, of: nil) }
            return .rate(step.throughput, of: step.load.meanRate)
        case .max: return .time(figures.response.max)
        case .p50, .p90, .p99, .p999, .p9999, .regression: return .none
        }
    }
}

extension LoadSchedule.Load {
    /// The requests a second that are due, as a mean over the measured time; `nil` if the clock does
    /// not decide.
    fileprivate var meanRate: Double? {
        switch self {
        case .closed: nil
        case .open(let from, let to): (from + to) / 2
        }
    }
}

extension LoadCondition {
    /// True if the condition holds for a figure, or if the figure was not measured.
    fileprivate func holds(for measurement: LoadCrossing.Measurement) -> Bool {
        switch (measurement, amount) {
        case (.none, _): true
        case (.time(let time), .time(let bound)): sign.holds(time, bound)
        case (.errors(let errors, _), .count(let bound)): sign.holds(errors, bound)
        case (.errors(let errors, let due), .share(let share)):
            sign.holds(
                Int128(errors) * Int128(BoundText.whole), Int128(share) * Int128(due))
        case (.rate(let rate, _), .rate(let bound)): sign.holds(rate, bound)
        case (.rate(let rate, let wanted), .share(let share)):
            // A closed loop asks for no rate, so a share of it is not measured.
            wanted.map { sign.holds(rate, $0 * Double(share) / Double(BoundText.whole)) } ?? true
        case (.time, _), (.errors, _), (.rate, _), (.regression, _):
            preconditionFailure("BUG: a condition compares a figure with another kind of value")
        }
    }
}
