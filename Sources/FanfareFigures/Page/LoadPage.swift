import FanfareBase
package import FanfareCore

#if canImport(Glibc)
    internal import Glibc
#endif

/// A load test's result as one page of HTML that needs nothing else: no script, no network.
package struct LoadPage: Sendable {
    let result: LoadResult

    /// Prepares to render a result.
    package init(_ result: LoadResult) {
        self.result = result
    }

    /// The page.
    package func render() -> String {
        let title = "Load test of \(service)"
        var html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="\(PageDocument.securityPolicy)">
            <title>\(HTMLText.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(HTMLText.escaped(title))</h1>

            """
        html +=
            "<p>\(HTMLText.escaped(TimestampWriter.string(milliseconds: result.stamp.startMilliseconds)))"
        html += ", fanfare \(HTMLText.escaped(result.stamp.version))</p>\n"
        for note in LoadTable(result, usesColor: false).sentences {
            html += "<p class=\"note\">\(HTMLText.escaped(note))</p>\n"
        }
        for plot in plots { html += plot.html() }
        html += stepTable + answerTable + settingsTable
        return html + "</body>\n</html>\n"
    }

    private var service: String {
        guard case .text(let name?) = result.settings.first(where: { $0.name == "service" })?.value
        else { return "a service" }
        return name
    }

    // MARK: Plots

    private var plots: [LoadPlot] {
        guard !result.steps.isEmpty else { return [] }
        if result.steps.count == 1 { return [throughput, percentiles(of: result.steps[0])] }
        return [throughput, ratesPlot, latenciesByRate]
    }

    /// Answers and errors a second, the steps one behind the other.
    private var throughput: LoadPlot {
        var started: [(x: Double, y: Double)] = []
        var answered: [(x: Double, y: Double)] = []
        var errors: [(x: Double, y: Double)] = []
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
                started.append((x, Double(slot.started) / width))
                answered.append((x, Double(slot.answered) / width))
                errors.append((x, Double(slot.errors) / width))
            }
            begin += measured
        }
        var lines = [
            LoadPlot.Line("started", colour: 2, started),
            LoadPlot.Line("answered", colour: 0, answered),
        ]
        if errors.contains(where: { $0.y > 0 }) {
            lines.append(LoadPlot.Line("errors", colour: 3, errors))
        }
        return LoadPlot(
            "Requests a second", xLabel: "seconds", lines: lines,
            yText: { LoadTable.perSecond($0) })
    }

    /// Latencies over percentiles, both logarithmic: 90, 99 and 99.9 % have the same distance.
    private func percentiles(of step: LoadStep) -> LoadPlot {
        func points(_ histogram: LatencyHistogram) -> [(x: Double, y: Double)] {
            guard histogram.count > 0 else { return [] }
            // Further than the last value's own place nothing is known.
            let nines = min(log10(Double(max(histogram.count, 10))), 5)
            return stride(from: 0, through: nines, by: 0.05).map { nines in
                let percent = 100 * (1 - pow(10, -nines))
                return (nines, Double(histogram.percentile(percent)) / 1e6)
            }
        }
        let count = max(step.figures.response.count, 10)
        let ticks = [
            LoadPlot.Tick(0, "0 %"), .init(log10(2), "50 %"), .init(1, "90 %"), .init(2, "99 %"),
            .init(3, "99.9 %"), .init(4, "99.99 %"), .init(5, "99.999 %"),
        ].filter { $0.at <= max(1, log10(Double(count))) }
        return LoadPlot(
            "Latency by percentile", xLabel: "share of requests that took no longer",
            yScale: .logarithmic, xTicks: ticks,
            lines: [
                LoadPlot.Line("service time", colour: 0, points(step.figures.service)),
                LoadPlot.Line("response time", colour: 1, points(step.figures.response)),
            ], yText: Self.milliseconds)
    }

    /// The steps in the order of their rates: a search goes up and down.
    private var sortedSteps: [(rate: Double, step: LoadStep)] {
        result.steps.compactMap { step -> (rate: Double, step: LoadStep)? in
            guard case .open(_, let rate) = step.load else { return nil }
            return (rate, step)
        }.sorted { $0.rate < $1.rate }
    }

    private var ratesPlot: LoadPlot {
        LoadPlot(
            "Answers a second by offered rate", xLabel: "requests offered a second",
            lines: [
                LoadPlot.Line("offered", colour: 2, sortedSteps.map { ($0.rate, $0.rate) }),
                LoadPlot.Line(
                    "answered", colour: 0, sortedSteps.map { ($0.rate, $0.step.throughput) }),
            ], yText: { LoadTable.perSecond($0) })
    }

    private var latenciesByRate: LoadPlot {
        func line(
            _ name: String, _ colour: Int, _ percent: Double, _ isResponse: Bool
        ) -> LoadPlot.Line {
            LoadPlot.Line(
                name, colour: colour,
                sortedSteps.map { rate, step in
                    let histogram = isResponse ? step.figures.response : step.figures.service
                    return (rate, Double(histogram.percentile(percent)) / 1e6)
                })
        }
        return LoadPlot(
            "Latency by offered rate", xLabel: "requests offered a second", yScale: .logarithmic,
            lines: [
                line("service p50", 2, 50, false), line("service p99", 0, 99, false),
                line("response p50", 3, 50, true), line("response p99", 1, 99, true),
            ], yText: Self.milliseconds)
    }

    @Sendable private static func milliseconds(_ value: Double) -> String {
        SummaryTable.latency(nanoseconds: Int64(value * 1e6))
    }
}
