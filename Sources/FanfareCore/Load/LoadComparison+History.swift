/// Comparison with several earlier runs of the same test.
extension LoadComparison {
    /// The runs that a spread is known from: with fewer, one odd run decides.
    package static let runsMin = 5
    /// The spreads that a figure may be worse: of figures that are spread normally, one in 700 is further off on the
    /// worse side by chance.
    package static let spreadsMax = 3.0
    /// The standard deviation of normally spread values for a median of their distances: 1 / Φ⁻¹(3/4).
    private static let deviation = 1.4826

    /// Compares a result with the medians of earlier runs.
    ///
    /// A figure is worse if it is so by more than a share of the median, and by more than three spreads of the runs.
    /// Median and spread do not follow a single run that was disturbed.
    /// - Parameters:
    ///   - name: The name of the earlier runs together.
    ///   - history: The figures of the steps of each run.
    ///   - now: The figures of the later result, for the same steps.
    ///   - regressionMax: The share by which a figure may be worse in any case.
    ///   - differences: The differences between the machines, in words.
    package init(
        name: String, history: [[Figures]], now: [Figures], regressionMax: Double,
        differences: [String] = []
    ) {
        self.name = name
        self.regressionMax = regressionMax
        self.differences = differences
        spreads = Self.spreadsMax
        var changes: [Change] = []
        for (index, now) in now.enumerated() {
            let before = history.compactMap { index < $0.count ? $0[index] : nil }
            for metric in Metric.allCases {
                let values = before.compactMap { $0[metric] }
                guard values.count >= Self.runsMin, let new = now[metric] else { continue }
                let median = Self.median(values)
                let spread = Self.deviation * Self.median(values.map { abs($0 - median) })
                let isFar = abs(new - median) > Self.spreadsMax * spread
                changes.append(
                    Change(
                        step: index + 1, metric: metric, before: median, now: new,
                        hasRegressed: isFar
                            && Self.isWorse(metric, median, new, by: regressionMax),
                        isBeyondSpread: isFar))
            }
        }
        self.changes = changes
    }

    /// The value in the middle, or the mean of the two there.
    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
