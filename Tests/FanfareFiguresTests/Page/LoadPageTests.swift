import FanfareCore
import FanfareTestSupport
import Testing

@testable import FanfareFigures

@Suite struct LoadPageTests {
    private static func tree(_ plot: LinePlot) throws -> PageTree {
        try PageTree(
            PageDocument(title: "t", lead: "l", footer: "f").render { plot.write(to: &$0) })
    }

    private static func plot(
        _ points: [(x: Double, y: Double)], to end: Double, _ scale: PlotScale.Kind = .linear
    ) -> LinePlot {
        LinePlot(
            title: "t", note: "n", horizontal: .linear(through: end), xLabel: { "\($0)" },
            scale: scale, unit: .latency, lines: [.init("a", color: 4, points)])
    }

    /// What is drawn in a plot of one line.
    private static func line(_ plot: LinePlot) throws -> String? {
        try tree(plot).all("path").last { $0.attributes["class"] == "l l4 d0" }?.attributes["d"]
    }

    /// The area is 1200 wide and 400 high, from the top.
    @Test func `a line goes where its values are`() throws {
        let points = [(0.0, 0.0), (50, 50), (100, 100)]
        #expect(try Self.line(Self.plot(points, to: 100)) == "M0 400L600 200L1200 0")
    }

    @Test func `a logarithmic axis has its powers of ten at the same distance`() throws {
        let plot = Self.plot([(0, 1000), (1, 10_000), (2, 100_000), (3, 0)], to: 4, .logarithmic)
        // Nothing has no logarithm, and no point.
        #expect(try Self.line(plot) == "M0 400L300 200L600 0")
        let words = try Self.tree(plot).all("span").map(\.text)
        #expect(Array(words.prefix(3)) == ["1 µs", "10 µs", "100 µs"])
    }

    @Test(arguments: [PlotScale.Kind.linear, .logarithmic])
    func `a plot of one point, or none, is a plot`(_ scale: PlotScale.Kind) throws {
        #expect(try Self.line(Self.plot([(1, 5)], to: 2, scale))?.hasSuffix("h12") == true)
        for points: [(x: Double, y: Double)] in [[], [(0, 0)]] {
            let figure = try Self.tree(Self.plot(points, to: 2, scale)).all("figure")
            #expect(figure.map(\.text) == ["tnNothing to draw."])
        }
    }

    @Test func `what others have said is text, not HTML`() throws {
        var result = LoadSample.result()
        result.settings[0].value = .text("<script>&\"'")
        result.steps[0].figures.failed("<b>", waited: nil, at: 0)
        let page = try PageTree(LoadPage(result).render())
        #expect(page.all("h1").map(\.text) == ["Load test of <script>&\"'"])
        #expect(page.all("td").map(\.text).contains("failed: <b>"))
        #expect(page.all("script").isEmpty && page.all("b").isEmpty)
    }

    @Test func `the page has the plots, and what kept the test from being one`() throws {
        var result = LoadSample.result()
        let one = try PageTree(LoadPage(result).render())
        #expect(one.all("h3").map(\.text) == ["Requests a second", "Latency by percentile"])
        #expect(one.all("p").contains { $0.text.hasPrefix("Generator-limited") })
        result.steps.append(result.steps[0])
        let two = try PageTree(LoadPage(result).render())
        #expect(
            two.all("h3").map(\.text) == [
                "Requests a second", "Answers a second by offered rate", "Latency by offered rate",
            ])
    }

    /// The sample's response times are 1.05, 1.05 and 2.10 ms: of three the 50th percentile is the
    /// second, the 90th the third, and further nothing is known.
    @Test func `percentiles go as far as there are values`() throws {
        let page = try PageTree(LoadPage(LoadSample.result()).render())
        let figure = try #require(page.all("figure").last)
        let words = figure.all("div").last { $0.attributes["class"] == "x" }
        #expect(words?.all("span").map(\.text) == ["0 %", "50 %", "90 %"])
        let lines = figure.all("path").suffix(2).compactMap { $0.attributes["d"] }
        // Points from 1 to 10 in twentieths of a power of ten.
        #expect(lines.map { $0.split(separator: "L").count } == [21, 21])
    }

    /// Four requests were due: three answered, one of them with 429, one failed.
    @Test func `the tables hold each step, each answer and each setting`() throws {
        let page = try PageTree(LoadPage(LoadSample.result()).render())
        let tables = page.all("table").map(\.cells)
        #expect(tables.count == 3)
        #expect(tables[0].count == 2 && tables[0][1].count == tables[0][0].count)
        #expect(
            tables[1] == [
                ["answer", "requests"], ["status 200", "2"], ["status 429", "1"],
                ["failed: REFUSED_STREAM", "1"],
            ])
        #expect(tables[2].contains(["rate from", "2"]) && tables[2].contains(["streams", "none"]))
    }

    @Test func `a test that has measured nothing has a page, too`() throws {
        var result = LoadSample.result()
        result.steps = []
        result.stop = JobStop(.refused, "no connection")
        let page = try PageTree(LoadPage(result).render())
        #expect(page.all("p").contains { $0.text == "Stopped: no connection" })
        #expect(page.all("figure").isEmpty)
    }
}
