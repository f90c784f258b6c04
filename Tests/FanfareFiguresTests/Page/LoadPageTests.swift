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

    /// The drawing in a plot of one line.
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
        // The page's own are in the figures at its top.
        #expect(page.all("script").isEmpty && page.all("td").allSatisfy { $0.all("b").isEmpty })
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
        // Before them are the numbers of the two plots.
        #expect(tables.count == 5)
        #expect(tables[2].count == 2 && tables[2][1].count == tables[2][0].count)
        #expect(
            tables[3] == [
                ["answer", "requests"], ["status 200", "2"], ["status 429", "1"],
                ["failed: REFUSED_STREAM", "1"],
            ])
        #expect(tables[4].contains(["rate from", "2"]) && tables[4].contains(["streams", "none"]))
    }

    @Test func `a test that has measured nothing has a page, too`() throws {
        var result = LoadSample.result()
        result.steps = []
        result.stop = JobStop(.refused, "no connection")
        let page = try PageTree(LoadPage(result).render())
        #expect(page.all("p").contains { $0.text == "Stopped: no connection" })
        #expect(page.all("figure").isEmpty)
    }

    // MARK: Headline and comparison

    /// The sample's four requests: three answers within a second, one of them an error, and one that failed.
    @Test func `the figures that are looked at first stand at the top`() throws {
        var result = LoadSample.result()
        let one = try PageTree(LoadPage(result).render())
        #expect(
            one.all("dt").map(\.text) == [
                "Answers a second", "Service time", "Response time", "Errors", "Requests",
            ])
        #expect(one.all("dd").last?.text.hasPrefix("4due in") == true)
        result.steps.append(result.steps[0])
        let two = try PageTree(LoadPage(result).render())
        #expect(
            two.all("dt").map(\.text) == ["Most answers", "Steps", "Errors", "Requests"])
        #expect(two.all("dd").last?.text.hasPrefix("8due in") == true)
    }

    @Test func `an earlier result stands beside this one, and what is worse is said`() throws {
        func page(now: Double) throws -> PageTree {
            let figures = [200, now].map {
                LoadComparison.Figures(
                    throughput: $0, median: 10, tail: 20, processor: nil, errors: 0)
            }
            let comparison = LoadComparison(
                name: "<old>.json", before: [figures[0]], now: [figures[1]], regressionMax: 0.1,
                differences: ["cores 4 (now 8)"])
            return try PageTree(LoadPage(LoadSample.result(), comparison: comparison).render())
        }
        // A tenth of 200 is 20: 180 is allowed, 150 is not.
        let good = try page(now: 180)
        let table = try #require(good.all("table").first { $0.cells[0][0] == "figure" })
        #expect(
            table.cells == [
                ["figure", "before", "now", "change"],
                ["answers/s", "200", "180", "-10 %"],
                ["response p50", "10.0 ms", "10.0 ms", "+0 %"],
                ["response p99", "20.0 ms", "20.0 ms", "+0 %"],
                ["errors", "0 %", "0 %", "+0 %"],
            ])
        let texts = good.all("p").map(\.text)
        #expect(texts.contains("<old>.json; 10 % worse is allowed."))
        #expect(texts.contains("No figure is worse than that."))
        #expect(texts.contains("The machines differ: cores 4 (now 8)."))
        let bad = try page(now: 150)
        #expect(bad.all("td").map(\.text).contains("answers/s (worse)"))
        #expect(
            bad.all("p").contains {
                $0.attributes["class"] == "alert"
                    && $0.text == "1 of 4 figures is worse than that."
            })
        let none = try PageTree(LoadPage(LoadSample.result()).render())
        #expect(!none.all("h2").contains { $0.text.hasPrefix("Compared") })
    }

    @Test func `of several steps the page shows what is worse, and all the rest on demand`() throws
    {
        func figures(_ throughput: Double) -> LoadComparison.Figures {
            LoadComparison.Figures(
                throughput: throughput, median: nil, tail: nil, processor: nil, errors: 0)
        }
        let comparison = LoadComparison(
            name: "old.json", before: [figures(100), figures(200)],
            now: [figures(100), figures(150)], regressionMax: 0.1)
        let page = try PageTree(LoadPage(LoadSample.result(), comparison: comparison).render())
        let tables = page.all("table").map(\.cells).filter { $0[0][0] == "figure" }
        #expect(
            tables.first?.dropFirst().map { $0 } == [
                ["step 2: answers/s (worse)", "200", "150", "-25 %"]
            ])
        let folded = page.all("details").first { $0.text.hasPrefix("All figures") }
        #expect(folded?.all("tr").count == 5)
    }

    /// A phone shows a row of this table as a block, in which each cell has its heading.
    @Test func `each cell of the steps names its column`() throws {
        let page = try PageTree(LoadPage(LoadSample.result()).render())
        let table = try #require(page.all("table").first { $0.cells[0][0] == "offered" })
        let labels = table.all("td").compactMap { $0.attributes["data-label"] }
        #expect(labels == table.cells[0])
    }

    /// 120 points: 60 rows of two each, at their middle.
    @Test func `the numbers of a plot are averaged until there are few enough`() {
        let points = (0..<120).map { (x: Double($0), y: Double($0) * 2) }
        let numbers = LinePlot.numbers(
            of: [.init("a", color: 0, points)], heading: "Time", place: { "\($0)" },
            .perSecond("requests"))
        #expect(numbers.rows.count == 60)
        #expect(numbers.rows[0] == ["0.5", "1"] && numbers.rows[59] == ["118.5", "237"])
        let few = LinePlot.numbers(
            of: [.init("a", color: 0, Array(points.prefix(3)))], heading: "Time",
            place: { "\($0)" }, .perSecond("requests"))
        #expect(few.rows.map { $0[0] } == ["0.0", "1.0", "2.0"])
    }
}
