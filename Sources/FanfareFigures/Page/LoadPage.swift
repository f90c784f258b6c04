package import FanfareBase
package import FanfareCore

/// The page about a load test.
///
/// A value: facts in, bytes out, no clock.
package struct LoadPage: Sendable {
    let result: LoadResult
    /// The comparison with an earlier result; nil if there was none.
    let comparison: LoadComparison?
    private let naming: Naming

    /// Prepares to render a result.
    /// - Parameters:
    ///   - result: The result to show.
    ///   - comparison: The comparison with an earlier result; nil if there was none.
    ///   - naming: The way in which settings are named.
    package init(
        _ result: LoadResult, comparison: LoadComparison? = nil, naming: Naming = .members
    ) {
        self.result = result
        self.comparison = comparison
        self.naming = naming
    }

    /// Puts the page together.
    /// - Returns: The page in UTF-8.
    package func render() -> [UInt8] {
        let stamp = result.stamp
        return PageDocument(
            title: result.name ?? "Load test of \(service)",
            lead: (result.name == nil ? "" : "Load test of \(service). ")
                + TimestampWriter.shown(milliseconds: stamp.startMilliseconds)
                + ", fanfare \(stamp.version)",
            footer: "Made by fanfare."
        ).render { markup in
            if let note = result.note { markup.element("p", .style("note"), text: note) }
            for sentence in LoadTable(result, usesColor: false, naming: naming).sentences {
                markup.element("p", .style("alert"), text: sentence)
            }
            if !result.steps.isEmpty { markup.figures(headline) }
            writeComparison(to: &markup)
            if !result.steps.isEmpty {
                markup.section("Figures") { markup in
                    for plot in plots { plot.write(to: &markup) }
                }
            }
            writeTables(to: &markup)
        }
    }

    private var service: String {
        guard case .text(let name?) = result.settings.first(where: { $0.name == "service" })?.value
        else { return "a service" }
        return name
    }

    private var plots: [LinePlot] {
        if result.steps.count == 1 { return [throughput, percentiles(of: result.steps[0])] }
        return [throughput, ratesPlot, latenciesByRate]
    }

    /// Answers and errors a second, the steps one behind the other.
    private var throughput: LinePlot {
        var started = LinePlot.Line("started", color: 8, [])
        var answered = LinePlot.Line("answered", color: 0, [])
        var errors = LinePlot.Line("errors", color: 3, [])
        var begin = 0.0
        for step in result.steps {
            let timeline = step.figures.timeline
            let seconds = Double(timeline.secondsPerSlot)
            let measured = Double(step.measuredNanoseconds) / 1e9
            for (index, slot) in timeline.slots.enumerated() {
                let slotStart = Double(index) * seconds
                // The last slot may be cut short; what comes in behind the end is not shown.
                let width = min(seconds, measured - slotStart)
                guard width > seconds / 2 || index == 0 && width > 0 else { continue }
                let x = begin + slotStart + width / 2
                started.points.append((x, Double(slot.started) / width))
                answered.points.append((x, Double(slot.answered) / width))
                errors.points.append((x, Double(slot.errors) / width))
            }
            begin += measured
        }
        let hasErrors = errors.points.contains { $0.y > 0 }
        let horizontal = PlotScale.time(seconds: begin)
        let lines = [started, answered] + (hasErrors ? [errors] : [])
        return LinePlot(
            title: "Requests a second",
            note: "Over the measured time, the steps one behind the other.",
            horizontal: horizontal, xLabel: { PlotFrame.time($0, of: horizontal) },
            unit: .perSecond("requests"),
            lines: lines,
            numbers: LinePlot.numbers(
                of: lines, heading: "Time", place: { PlotFrame.clock($0, step: 0.1) },
                .perSecond("requests")))
    }

    /// Latencies over percentiles, both logarithmic: 90, 99 and 99.9 % have the same distance.
    private func percentiles(of step: LoadStep) -> LinePlot {
        // A place on the axis: one in so many requests takes longer, so 10 is the 90th percentile.
        func most(_ histogram: LatencyHistogram) -> Double {
            // Further than the last value's own place nothing is known.
            min(max(Double(histogram.count), 10), 100_000)
        }
        func points(_ histogram: LatencyHistogram) -> [(x: Double, y: Double)] {
            guard histogram.count > 0 else { return [] }
            // Twenty for each power of ten.
            return sequence(first: 1) { $0 * 1.122_018_454 }
                .prefix { $0 <= most(histogram) * 1.000_001 }
                .map { ($0, Double(histogram.percentile(100 * (1 - 1 / $0)))) }
        }
        let figures = step.figures
        let words = [
            (1.0, "0 %"), (2, "50 %"), (10, "90 %"), (100, "99 %"), (1000, "99.9 %"),
            (10_000, "99.99 %"), (100_000, "99.999 %"),
        ].filter { $0.0 <= most(figures.response) }
        return LinePlot(
            title: "Latency by percentile",
            note: "By the share of requests that took no longer. Both axes are logarithmic.",
            horizontal: PlotScale(
                kind: .logarithmic, from: 1, to: max(most(figures.response), most(figures.service)),
                ticks: words.map(\.0)),
            xLabel: { place in words.first { $0.0 == place }?.1 ?? "" }, scale: .logarithmic,
            unit: .latency,
            lines: [
                LinePlot.Line("service time", color: 0, points(figures.service)),
                LinePlot.Line("response time", color: 1, points(figures.response)),
            ],
            numbers: .init(
                columns: ["Share of requests", "Service time", "Response time"],
                rows: words.dropFirst().map { place, word in
                    [word]
                        + [figures.service, figures.response].map { histogram in
                            guard histogram.count > 0 else { return "–" }
                            let percentile = histogram.percentile(100 * (1 - 1 / place))
                            return NumberText.latency(nanoseconds: percentile)
                        }
                }))
    }

    // MARK: By rate

    private var ratesPlot: LinePlot {
        byRate(
            "Answers a second by offered rate", "By the requests offered a second.", .linear,
            .perSecond("answers"),
            [("offered", 8, { rate, _ in rate }), ("answered", 0, { _, step in step.throughput })])
    }

    private var latenciesByRate: LinePlot {
        byRate(
            "Latency by offered rate",
            "By the requests offered a second. The axis of latencies is logarithmic.",
            .logarithmic, .latency,
            [
                ("service p50", 4, { _, step in Double(step.figures.service.percentile(50)) }),
                ("service p99", 0, { _, step in Double(step.figures.service.percentile(99)) }),
                ("response p50", 1, { _, step in Double(step.figures.response.percentile(50)) }),
                ("response p99", 3, { _, step in Double(step.figures.response.percentile(99)) }),
            ])
    }

    private func byRate(
        _ title: String, _ note: String, _ scale: PlotScale.Kind, _ unit: PlotUnit,
        _ lines: [(name: String, color: Int, value: (Double, LoadStep) -> Double)]
    ) -> LinePlot {
        // In the order of their rates: a search goes up and down.
        let steps = result.steps.compactMap { step -> (rate: Double, step: LoadStep)? in
            guard case .open(_, let rate) = step.load else { return nil }
            return (rate, step)
        }.sorted { $0.rate < $1.rate }
        return LinePlot(
            title: title, note: note, horizontal: .linear(through: steps.last?.rate ?? 0),
            xLabel: PlotUnit.number, scale: scale, unit: unit,
            lines: lines.map { line in
                .init(line.name, color: line.color, steps.map { ($0, line.value($0, $1)) })
            })
    }
}
