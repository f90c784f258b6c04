import FanfareBase
import FanfareCore

/// The side of the page that is about when things happened.
extension JobPage {
    func writeTime(to markup: inout Markup) {
        guard let span, let series, series.buckets.count > 0, seconds > 0 else { return }
        let plots = TimePlots(
            fine: Slices(series, span, buckets: TimePlots.drawnBuckets),
            coarse: Slices(series, span, buckets: TimePlots.tableBuckets), total: series.total)
        markup.section("Over time") { markup in
            for plot in plots.all { plot.write(to: &markup) }
        }
    }
}

/// The plots that a series has something for.
private struct TimePlots {
    /// The steps of a line in a plot: calm to look at, and with all outcomes a page stays below 300 KB.
    static let drawnBuckets = 150
    /// The rows of a table behind a plot: few enough to be read, and to keep a page small.
    static let tableBuckets = 60

    let fine: Slices
    let coarse: Slices
    let total: TimeSeries.Bucket

    var all: [TimePlot] {
        var plots = [finished]
        if total.outcomes.all > total.outcomes[.accepted] { plots.append(notAccepted) }
        if total.latency.count > 0 { plots.append(latency) }
        if total.retries > 0 { plots.append(retries) }
        // A report knows nothing of connections.
        if total.connectionMilliseconds > 0 { plots += [connections, requests] }
        return plots
    }

    private func plot(
        _ title: String, _ note: String, _ unit: PlotUnit, _ style: TimePlot.Style = .lines,
        _ scale: PlotScale.Kind = .linear, lines: (Slices) -> [TimeGrid.Line]
    ) -> TimePlot {
        TimePlot(
            title: title, note: note, unit: unit, style: style, scale: scale,
            grid: fine.grid(lines(fine)), table: coarse.grid(lines(coarse)))
    }

    private var finished: TimePlot {
        plot("Rows finished", "Outcomes a second.", .perSecond("rows"), .stacked) { slices in
            [
                slices.rate("accepted", 0) { $0.outcomes[.accepted] },
                slices.rate("others", 1) { $0.outcomes.all - $0.outcomes[.accepted] },
            ]
        }
    }

    private var notAccepted: TimePlot {
        let others = Outcome.allCases.filter { $0 != .accepted && total.outcomes[$0] > 0 }
        return plot(
            "Rows not accepted", "The same without those that were accepted.", .perSecond("rows"),
            .stacked
        ) { slices in
            others.map { outcome in
                slices.rate("\(outcome.name)", outcome.color) { $0.outcomes[outcome] }
            }
        }
    }

    private var latency: TimePlot {
        plot(
            "Latency",
            "Of the answers that came then, roughly (to a quarter at worst). The axis is "
                + "logarithmic.", .latency, .lines, .logarithmic
        ) { slices in
            [("p50", 50.0, 0), ("p90", 90, 1), ("p99", 99, 3)].map { name, percent, color in
                slices.line(name, color) { bucket, _ in bucket.latency.percentile(percent) }
            }
        }
    }

    private var retries: TimePlot {
        plot(
            "Retries",
            "Attempts a second beyond each row's first, at the time when the row was finished.",
            .perSecond("retries")
        ) { [$0.rate("retries", 3) { $0.retries }] }
    }

    private var connections: TimePlot {
        plot("Connections", "Open ones, on average.", .count("connections")) {
            [$0.mean("connections", 0) { $0.connectionMilliseconds }]
        }
    }

    private var requests: TimePlot {
        plot(
            "Requests in flight", "On average, and how many the open connections allowed.",
            .count("requests")
        ) { slices in
            [
                slices.mean("in flight", 0) { $0.requestMilliseconds },
                slices.mean("allowed", 1) { $0.allowedMilliseconds },
            ]
        }
    }
}

/// A series against the time of its job.
private struct Slices {
    private let series: TimeSeries
    private let grid: TimeGrid

    /// Takes over a series in no more buckets than these.
    init(_ series: TimeSeries, _ span: ClosedRange<Int64>, buckets: Int) {
        var series = series
        // A job may begin long before anything happens, and end long after.
        series.add(TimeSeries.Bucket(), atMilliseconds: span.lowerBound)
        series.add(TimeSeries.Bucket(), atMilliseconds: span.upperBound)
        self.series = series.merged(toAtMost: buckets)
        grid = TimeGrid(
            start: Double(self.series.start - span.lowerBound) / 1000,
            step: Double(self.series.width) / 1000,
            end: Double(span.upperBound - span.lowerBound) / 1000, lines: [])
    }

    func grid(_ lines: [TimeGrid.Line]) -> TimeGrid {
        TimeGrid(start: grid.start, step: grid.step, end: grid.end, lines: lines)
    }

    /// Returns a line of one value of the buckets, for the seconds of each that are in the job.
    func line(
        _ name: String, _ color: Int, _ value: (TimeSeries.Bucket, Double) -> Double?
    ) -> TimeGrid.Line {
        let values = series.buckets.enumerated().map { index, bucket in
            let range = grid.range(ofBucket: index)
            // Of a bucket that is hardly in the job a rate would be noise.
            return value(bucket, max(range.upperBound - range.lowerBound, grid.step / 4))
        }
        return TimeGrid.Line(name, color: color, values)
    }

    func rate(
        _ name: String, _ color: Int, _ count: (TimeSeries.Bucket) -> UInt64
    ) -> TimeGrid.Line {
        line(name, color) { bucket, seconds in Double(count(bucket)) / seconds }
    }

    /// Returns a line of means, from sums of values times milliseconds.
    func mean(
        _ name: String, _ color: Int, _ sum: (TimeSeries.Bucket) -> UInt64
    ) -> TimeGrid.Line {
        line(name, color) { bucket, seconds in Double(sum(bucket)) / (seconds * 1000) }
    }
}
