import FanfareCore
import Testing

@testable import FanfareFigures

@Suite struct PlotTests {
    // MARK: Scales

    static let linear: [(Double, [Double])] = [
        (7, [0, 2, 4, 6, 8]), (100, [0, 25, 50, 75, 100]), (4, [0, 1, 2, 3, 4]),
        (0.03, [0, 0.01, 0.02, 0.03]), (1_900_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]),
    ]

    @Test(arguments: linear)
    func `a linear axis has round numbers, and all values are on it`(
        _ most: Double, _ ticks: [Double]
    ) {
        let scale = PlotScale.linear(through: most)
        #expect(scale.ticks.count == ticks.count)
        for (tick, wanted) in zip(scale.ticks, ticks) { #expect(abs(tick - wanted) < 1e-9) }
        #expect(scale.to >= most)
        #expect(scale.place(0) == 0 && scale.place(scale.to) == 1)
    }

    @Test func `a logarithmic axis gives each decade the same room`() {
        let scale = PlotScale.logarithmic(3...700)
        #expect(scale.ticks == [1, 10, 100, 1000])
        #expect(abs(scale.place(10) - 1.0 / 3) < 1e-8)
        #expect(abs(scale.place(100) - 2.0 / 3) < 1e-8)
        // log₁₀ 2 = 0.30102999566…
        #expect(abs(scale.place(2) - 0.301_029_995_66 / 3) < 1e-8)
        #expect(scale.place(0.5) == 0 && scale.place(5000) == 1)
    }

    @Test func `a short logarithmic axis has 1, 2 and 5`() {
        #expect(PlotScale.logarithmic(3...14).ticks == [2, 5, 10, 20])
        #expect(PlotScale.logarithmic(5...5).ticks == [5, 10])
    }

    static let times: [(Double, Double)] = [
        (0.9, 0.2), (6, 1), (45, 10), (200, 30), (3600, 600), (86_400, 21_600),
        (864_000, 172_800), (31_536_000, 8_640_000),
    ]

    @Test(arguments: times)
    func `an axis of time goes in steps that a clock has`(_ seconds: Double, _ step: Double) {
        let scale = PlotScale.time(seconds: seconds)
        #expect(abs(scale.ticks[1] - step) < 1e-9)
        #expect((scale.ticks.last ?? 0) <= seconds * 1.000_01)
        #expect(scale.to == seconds)
    }

    // MARK: Paths

    private static func tree(_ write: (inout Markup) -> Void) throws -> PageTree {
        try PageTree(PageDocument(title: "t", lead: "l", footer: "f").render(sections: write))
    }

    private static func plot(
        _ style: TimePlot.Style, _ lines: [[Double?]], start: Double = 0, end: Double = 4
    ) -> TimePlot {
        let grid = TimeGrid(
            start: start, step: 1, end: end,
            lines: lines.enumerated().map { .init("line \($0)", color: $0, $1) })
        return TimePlot(
            title: "Rows", note: "What is to be seen.", unit: .perSecond("rows"), style: style,
            grid: grid, table: grid)
    }

    /// 1200 by 400 units; four seconds of 300, and 100 rows at the top.
    @Test func `a line goes in steps, and breaks where nothing is known`() throws {
        let tree = try Self.tree { Self.plot(.lines, [[100, 50, nil, 25]]).write(to: &$0) }
        let path = tree.all("path").first { $0.attributes["class"] == "l l0 d0" }
        #expect(path?.attributes["d"] == "M0 0H300V200H600M900 300H1200")
    }

    @Test func `stacked areas stand on each other`() throws {
        let tree = try Self.tree {
            Self.plot(.stacked, [[50, 50, 50, 50], [0, 50, 0, 0]]).write(to: &$0)
        }
        let areas = tree.all("figure")[0].all("path").filter {
            $0.attributes["class"]?.hasPrefix("a ") == true
        }
        #expect(
            areas.map { $0.attributes["d"] } == [
                "M0 400V200H300V200H600V200H900V200H1200V400H900V400H600V400H300V400H0z",
                "M300 200V0H600V200H300z",
            ])
    }

    @Test func `a bucket that begins before the plot is cut at its beginning`() throws {
        let plot = Self.plot(.lines, [[100, 100, 50]], start: -0.5, end: 2)
        let tree = try Self.tree { plot.write(to: &$0) }
        let path = tree.all("path").first { $0.attributes["class"] == "l l0 d0" }
        #expect(path?.attributes["d"] == "M0 0H300H900V200H1200")
        #expect(
            tree.all("tbody")[0].cells.map(\.first) == [
                "0 to 500 ms", "500 ms to 1.5 s", "1.5 s to 2 s",
            ])
    }

    @Test func `behind a plot is the table of its numbers, and a description`() throws {
        let tree = try Self.tree { Self.plot(.lines, [[1234, nil]], end: 2).write(to: &$0) }
        #expect(tree.all("thead")[0].cells == [["Time", "line 0/s"]])
        #expect(tree.all("tbody")[0].cells == [["0 to 1 s", "1,234"], ["1 s to 2 s", "–"]])
        let svg = try #require(tree.all("svg").first { $0.attributes["role"] == "img" })
        #expect(svg.all("title").map(\.text) == ["Rows"])
        #expect(svg.all("desc").map(\.text) == ["What is to be seen."])
        let ids =
            tree.all("title").compactMap { $0.attributes["id"] }
            + tree.all("desc").compactMap { $0.attributes["id"] }
        #expect(svg.attributes["aria-labelledby"] == ids.joined(separator: " "))
    }

    @Test func `a plot of nothing says so`() throws {
        let tree = try Self.tree { Self.plot(.stacked, [[0, 0]]).write(to: &$0) }
        #expect(tree.all("svg").isEmpty)
        #expect(tree.all("figure")[0].text.contains("Nothing to draw"))
    }

    // MARK: Distribution

    @Test func `the bars of a distribution are all values, and its marks the percentiles`() throws {
        var histogram = LatencyHistogram()
        for _ in 0..<90 { histogram.record(nanoseconds: 1_000_000) }
        for _ in 0..<10 { histogram.record(nanoseconds: 100_000_000) }
        #expect(histogram.bars.reduce(0) { $0 + $1.count } == 100)
        for bar in histogram.bars where bar.count > 0 {
            #expect(bar.range.contains(bar.count == 90 ? 1_000_000 : 100_000_000))
            // Eight for each power of two: at most an eighth of its values wide.
            #expect(Double(bar.range.count) <= Double(bar.range.lowerBound) / 8)
        }
        let plot = DistributionPlot(
            title: "Latency", note: "Note.", histogram, percentiles: [("p50", 50), ("p99", 99)])
        let tree = try Self.tree { plot.write(to: &$0) }
        let cells = tree.all("tbody")[0].cells
        #expect(cells.map { $0[1] } == ["90", "10"])
        #expect(cells.map { $0[2] } == ["90.0 %", "100.0 %"])
        let marks = tree.all("ul")[0].all("li").map(\.text)
        #expect(marks.count == 3 && marks[0].hasPrefix("p50 1") && marks[2] == "max 100 ms")
    }

    @Test func `a share that is nearly nothing is still seen`() throws {
        let bars = ShareBars(
            caption: "c", columns: ("Outcome", "Rows", "Share"),
            items: [
                .init("most", color: 0, value: 999_999, text: "999,999", share: "> 99.9 %"),
                .init("one", color: 1, value: 1, text: "1", share: "< 0.1 %"),
                .init("none", color: 2, value: 0, text: "0", share: "0.0 %"),
            ], whole: 1_000_000)
        let tree = try Self.tree { bars.write(to: &$0) }
        #expect(
            tree.all("path").map { $0.attributes["d"] } == [
                "M0 0h1000v10H0z", "M0 0h4v10H0z", "M0 0h0v10H0z",
            ])
    }
}
