import FanfareBase
package import FanfareCore
import FanfareFigures

/// Earlier results of the same load test, to compare a later one with.
package struct LoadHistory: Sendable {
    private let name: String
    private var runs: [LoadBaseline] = []

    /// Begins without results.
    /// - Parameter name: The name of the results together: the path of their folder.
    package init(name: String) {
        self.name = name
    }

    /// The number of results.
    package var count: Int { runs.count }

    /// Adds a result that is later than those before it.
    package mutating func add(_ run: LoadBaseline) { runs.append(run) }

    /// Compares a later result with the medians of these.
    func comparison(with result: LoadResult, regressionMax: Double) -> LoadComparison {
        LoadComparison(
            name: "the median of \(runs.count) runs in \(name)", history: runs.map(\.steps),
            now: LoadBaseline.figures(of: result), regressionMax: regressionMax,
            differences: runs.last?.machineDifferences(from: result.stamp) ?? [])
    }

    /// Makes the page about these results and a later one.
    func page(with result: LoadResult, _ comparison: LoadComparison?) -> HistoryPage {
        let now = HistoryPage.Run(
            startedAt: TimestampWriter.string(milliseconds: result.stamp.startMilliseconds),
            version: result.stamp.version, steps: LoadBaseline.figures(of: result))
        return HistoryPage(
            name: result.name, folder: name,
            runs: runs.map {
                .init(startedAt: $0.startedAt, version: $0.version, steps: $0.steps)
            } + [now], comparison: comparison)
    }
}

extension LoadTest {
    /// True if a result was measured with the same settings.
    package func matches(_ baseline: LoadBaseline) -> Bool {
        baseline.differences(from: plan.settings).isEmpty
    }
}

extension LoadTestResult {
    /// Compares it with earlier results.
    /// - Parameters:
    ///   - history: The earlier results, of tests with the same settings.
    ///   - regressionMax: The share by which a figure may be worse in any case.
    /// - Returns: `nil` if there are too few, or if the test was stopped before its end.
    package func compared(with history: LoadHistory, regressionMax: Double) -> LoadComparison? {
        guard result.stop == nil, history.count >= LoadComparison.runsMin else { return nil }
        return history.comparison(with: result, regressionMax: regressionMax)
    }

    /// The page about it and the results before it, as HTML in UTF-8.
    package func page(after history: LoadHistory) -> [UInt8] {
        history.page(with: result, comparison).render()
    }
}
