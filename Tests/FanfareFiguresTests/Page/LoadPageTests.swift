import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

@Suite struct LoadPageTests {
    private func points(_ plot: LoadPlot, _ colour: Int) -> [String] {
        let begin = "<polyline class=\"c\(colour)\" points=\""
        guard let found = plot.html().firstRange(of: begin) else { return [] }
        let text = plot.html()[found.upperBound...].prefix { $0 != "\"" }
        return text.split(separator: " ").map(String.init)
    }

    /// The area is 76 to 692 wide and 276 to 16 high.
    @Test func `a line goes where its values are`() {
        let plot = LoadPlot(
            "t", xLabel: "x", lines: [.init("a", colour: 0, [(0, 0), (50, 50), (100, 100)])],
            yText: { "\($0)" })
        #expect(points(plot, 0) == ["76.0,276.0", "384.0,146.0", "692.0,16.0"])
    }

    @Test func `a logarithmic axis has its powers of ten at the same distance`() {
        let plot = LoadPlot(
            "t", xLabel: "x", yScale: .logarithmic,
            lines: [.init("a", colour: 1, [(0, 1), (1, 10), (2, 100), (3, 0)])],
            yText: { "\(Int($0))ms" })
        // Nothing has no logarithm, and no point.
        #expect(points(plot, 1) == ["76.0,276.0", "281.3,146.0", "486.7,16.0"])
        for text in [">1ms<", ">10ms<", ">100ms<"] { #expect(plot.html().contains(text)) }
    }

    @Test func `a plot of one point, or none, is a plot`() {
        for points: [(x: Double, y: Double)] in [[], [(1, 5)], [(0, 0)]] {
            for scale in [LoadPlot.Scale.linear, .logarithmic] {
                let html = LoadPlot(
                    "t", xLabel: "x", yScale: scale, lines: [.init("a", colour: 0, points)],
                    yText: { "\($0)" }
                ).html()
                #expect(html.hasSuffix("</svg>\n</figure>\n"))
                #expect(!html.contains("nan") && !html.contains("inf"))
            }
        }
    }

    @Test func `what others have said is text, not HTML`() {
        var result = LoadSample.result()
        result.settings[0].value = .text("<script>&\"'")
        result.steps[0].figures.failed("<b>", waited: nil, at: 0)
        let page = LoadPage(result).render()
        #expect(page.contains("Load test of &lt;script&gt;&amp;&quot;&#39;"))
        #expect(page.contains("failed: &lt;b&gt;"))
        #expect(!page.contains("<script") && !page.contains("<b>"))
    }

    @Test func `the page has the plots and knows dark from light`() {
        var result = LoadSample.result()
        let one = LoadPage(result).render()
        for title in ["Requests a second", "Latency by percentile"] {
            #expect(one.contains("<figcaption>\(title)</figcaption>"))
        }
        #expect(one.contains("prefers-color-scheme: dark"))
        #expect(one.contains("Generator-limited"))
        result.steps.append(result.steps[0])
        let two = LoadPage(result).render()
        for title in ["Answers a second by offered rate", "Latency by offered rate"] {
            #expect(two.contains("<figcaption>\(title)</figcaption>"))
        }
        for tag in ["figure", "svg", "table", "tr", "td", "th", "p", "div"] {
            let opened = two.ranges(of: "<\(tag)>").count + two.ranges(of: "<\(tag) ").count
            #expect(opened == two.ranges(of: "</\(tag)>").count, "\(tag)")
        }
    }

    @Test func `a test that has measured nothing has a page, too`() {
        var result = LoadSample.result()
        result.steps = []
        result.stop = JobStop(.refused, "no connection")
        #expect(LoadPage(result).render().contains("Stopped: no connection"))
    }
}
