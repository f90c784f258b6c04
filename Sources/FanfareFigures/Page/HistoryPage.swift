import FanfareBase
package import FanfareCore

/// The page about the last runs of a load test: each figure from run to run.
package struct HistoryPage: Sendable {
    /// A run.
    package struct Run: Sendable {
        /// RFC 3339.
        var startedAt: String
        /// The version of fanfare.
        var version: String
        var steps: [LoadComparison.Figures]

        package init(startedAt: String, version: String, steps: [LoadComparison.Figures]) {
            self.startedAt = startedAt
            self.version = version
            self.steps = steps
        }

        /// `11-25 23:15`.
        var shortTime: String {
            let text = startedAt.prefix(16).split(separator: "T").joined(separator: " ")
            return text.count == 16 ? String(text.dropFirst(5)) : startedAt
        }
    }

    /// The steps that a plot has lines for: as many as there are colors.
    private static let linesMax = 9

    private let name: String?
    private let folder: String
    private let runs: [Run]
    private let comparison: LoadComparison?

    /// - Parameters:
    ///   - name: The name of the test; `nil` if it has none.
    ///   - folder: The folder that has the results.
    ///   - runs: The runs, the earliest first.
    ///   - comparison: The comparison of the last run with those before it; `nil` if they are too few.
    package init(name: String?, folder: String, runs: [Run], comparison: LoadComparison?) {
        self.name = name
        self.folder = folder
        self.runs = runs
        self.comparison = comparison
    }

    /// Puts the page together.
    /// - Returns: The page in UTF-8.
    package func render() -> [UInt8] {
        PageDocument(
            title: name ?? "Load test", lead: lead, footer: Self.footer, style: nil
        ).render { markup in
            writeVerdict(to: &markup)
            for metric in LoadComparison.Metric.allCases { write(metric, to: &markup) }
            writeRuns(to: &markup)
        }
    }

    /// The last line, by which a page is known as one of ours.
    private static let footer = "Made by fanfare bench."

    /// True if a file is such a page.
    package static func isOne(_ html: [UInt8]) -> Bool {
        // The title and the names of results are escaped, so that they cannot look like it.
        html.suffix(200).contains(Array("<footer>\(footer)</footer>".utf8))
    }

    private var lead: String {
        "\(runs.count == 1 ? "One run" : "The last \(runs.count) runs") with these settings in "
            + "\(folder); the latest began at "
            + "\(runs.last?.startedAt ?? "an unknown time")."
    }

    private func writeVerdict(to markup: inout Markup) {
        guard let comparison else {
            let more = LoadComparison.runsMin + 1 - runs.count
            if more > 0 {
                markup.element(
                    "p", .style("note"),
                    text:
                        "A run is compared with the earlier ones once there are \(LoadComparison.runsMin)."
                )
            }
            return
        }
        let text =
            "The latest run against \(comparison.name); \(comparison.allowance). "
            + comparison.verdict
        if comparison.hasRegressed {
            markup.element("p", .style("alert"), text: text)
        } else {
            markup.element("p", text: text)
        }
    }

    private func write(_ metric: LoadComparison.Metric, to markup: inout Markup) {
        let stepCount = min(runs.map(\.steps.count).max() ?? 0, Self.linesMax)
        let lines = (0..<stepCount).compactMap { step -> LinePlot.Line? in
            let points = runs.enumerated().compactMap { index, run -> (x: Double, y: Double)? in
                guard step < run.steps.count, let value = run.steps[step][metric] else {
                    return nil
                }
                return (Double(index), Self.plotted(value, metric))
            }
            guard points.contains(where: { $0.y > 0 }) else { return nil }
            return LinePlot.Line(
                stepCount > 1 ? "step \(step + 1)" : metric.rawValue, color: step, points)
        }
        guard !lines.isEmpty else { return }
        LinePlot(
            title: metric.title, note: "From run to run, the latest on the right.",
            horizontal: horizontal, xLabel: { runs[min(Int($0), runs.count - 1)].shortTime },
            unit: metric.unit, lines: lines
        ).write(to: &markup)
    }

    /// An axis with the runs at equal distances.
    private var horizontal: PlotScale {
        let last = max(runs.count - 1, 1)
        let step = max((last + 3) / 4, 1)
        return PlotScale(
            kind: .linear, from: 0, to: Double(last),
            ticks: stride(from: 0, through: min(last, runs.count - 1), by: step).map { Double($0) })
    }

    /// Milliseconds are plotted as nanoseconds, and processor time as well.
    private static func plotted(_ value: Double, _ metric: LoadComparison.Metric) -> Double {
        switch metric {
        case .median, .tail: value * 1e6
        case .processor: value * 1000
        case .throughput, .errors, .knee: value
        }
    }

    private func writeRuns(to markup: inout Markup) {
        let metrics = LoadComparison.Metric.allCases.filter { metric in
            runs.contains { $0.steps.contains { $0[metric] != nil } }
        }
        let hasSteps = runs.contains { $0.steps.count > 1 }
        markup.section("Runs", note: hasSteps ? "The figures are those of the last step." : nil) {
            markup in
            markup.table(
                caption: "Runs", columns: ["Begun", "Version"] + metrics.map(\.rawValue),
                textColumns: [0, 1],
                rows: runs.reversed().map { run in
                    [run.startedAt, run.version]
                        + metrics.map { metric in
                            run.steps.last?[metric].map { LoadComparison.text($0, metric) } ?? "–"
                        }
                }, isWide: true)
        }
    }
}

extension LoadComparison.Metric {
    /// The title of its plot.
    fileprivate var title: String {
        switch self {
        case .throughput: "Answers a second"
        case .median: "Response time, p50"
        case .tail: "Response time, p99"
        case .processor: "CPU time for a request"
        case .errors: "Errors"
        case .knee: "The rate that the service keeps up with"
        }
    }

    fileprivate var unit: PlotUnit {
        switch self {
        case .throughput: .perSecond("answers")
        case .knee: .perSecond("requests")
        case .median, .tail, .processor: .latency
        case .errors: .count("% of the requests")
        }
    }
}
