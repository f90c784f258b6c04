import FanfareBase
import FanfareCore

/// The distribution of latencies: bars over a logarithmic axis, and marks at the percentiles.
struct DistributionPlot {
    /// The number of values that lie between two.
    struct Bar: Equatable, Sendable {
        var from: Double
        var to: Double
        var count: UInt64

        /// The number of values that there would be in an eighth of a doubling: bars of one area
        /// are as many values then, though some are wider on a logarithmic axis.
        var height: Double {
            let doublings = naturalLogarithm(to / from) / naturalLogarithm(2)
            return doublings > 0 ? Double(count) / (8 * doublings) : Double(count)
        }
    }

    var title: String
    var note: String
    /// Rising, without a gap between bars that touch.
    var bars: [Bar]
    /// The values that are marked on the axis, and listed: `("p99", nanoseconds)`, rising.
    var marks: [(name: String, value: Double)]

    /// Writes the figure.
    func write(to markup: inout Markup) {
        markup.figure(title, note: note) { markup in
            guard let vertical = PlotScale.axis(.linear, for: bars.map(\.height)),
                let first = bars.first, let last = bars.last
            else { return false }
            let horizontal = PlotScale.logarithmic(first.from...last.to)
            let frame = PlotFrame(
                title: title, description: description, horizontal: horizontal, vertical: vertical,
                xLabel: PlotUnit.latency.tick, yLabel: PlotUnit.count("").tick)
            frame.write(to: &markup) { markup in
                markup.empty(
                    "path", .style("a f0"), .init("d", path(horizontal, vertical)))
                for mark in marks {
                    markup.element(
                        "path", .style("m"),
                        .init("d", "M\(PlotFrame.x(mark.value, horizontal)) 0V400")
                    ) { markup in
                        markup.element("title", text: words(mark))
                    }
                }
            }
            markup.element("ul", .style("legend")) { markup in
                for mark in marks { markup.element("li", text: words(mark)) }
            }
            writeTable(to: &markup)
            return true
        }
    }

    private var description: String {
        note + " " + marks.map(words).joined(separator: ", ") + "."
    }

    private func words(_ mark: (name: String, value: Double)) -> String {
        "\(mark.name) \(PlotUnit.latency.text(mark.value))"
    }

    private func path(_ horizontal: PlotScale, _ vertical: PlotScale) -> String {
        bars.filter { $0.count > 0 }.map { bar in
            let left = PlotFrame.x(bar.from, horizontal)
            let right = max(PlotFrame.x(bar.to, horizontal), left + 1)
            // Even the smallest bar can be seen.
            let height = max(400 - PlotFrame.y(bar.height, vertical), 1)
            return "M\(left) 400v-\(height)H\(right)v\(height)z"
        }.joined()
    }

    private func writeTable(to markup: inout Markup) {
        markup.folded("The numbers") { markup in
            let all = bars.reduce(0) { $0 + $1.count }
            var below: UInt64 = 0
            let rows = bars.filter { $0.count > 0 }.map { bar in
                below += bar.count
                return [
                    "\(PlotUnit.latency.text(bar.from)) to \(PlotUnit.latency.text(bar.to))",
                    NumberText.grouped(bar.count), NumberText.share(below, of: all),
                ]
            }
            markup.table(caption: title, columns: ["Latency", "Count", "Up to here"], rows: rows)
        }
    }
}

extension DistributionPlot {
    /// Makes the figure of a histogram's counts.
    ///
    /// The named percentiles are marked, and so is the largest value.
    init(
        title: String, note: String, _ histogram: LatencyHistogram,
        percentiles: [(name: String, percent: Double)]
    ) {
        self.init(
            title: title, note: note,
            bars: histogram.bars.map {
                Bar(
                    from: Double($0.range.lowerBound), to: Double($0.range.upperBound),
                    count: $0.count)
            },
            marks: percentiles.map { ($0.name, Double(histogram.percentile($0.percent))) }
                + [("max", Double(histogram.max))])
    }
}
