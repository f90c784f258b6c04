import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

/// The line about a condition that held; the sample's figures are worked out in its own comment.
@Suite struct LoadCrossingTextTests {
    private func lines(
        _ texts: String..., in result: LoadResult = LoadSample.result(),
        against comparison: LoadComparison? = nil
    ) throws -> [String] {
        var result = result
        result.judge(try texts.map { try LoadCondition($0) }, against: comparison)
        return result.crossings.map { $0.line() }
    }

    @Test func `a line has the condition and what was measured`() throws {
        #expect(
            try lines("p50>1ms", "errors:1%", "rate<90%", "rate<2/s") == [
                "Crossed: LoadOptions.failIf p50>1ms; measured 1.053 ms",
                "Crossed: LoadOptions.failIf errors>1%; measured 2 of 4 requests (50.0 %)",
                "Crossed: LoadOptions.failIf rate<90%; measured 1.5 answers a second (75 % of 2)",
                "Crossed: LoadOptions.failIf rate<2/s; measured 1.5 answers a second",
            ])
    }

    @Test func `a step is named, and so is what was not measured`() throws {
        var result = LoadSample.result()
        result.steps.append(result.steps[0])
        result.steps[1].load = .open(from: 14_000, to: 14_000)
        result.steps[1].figures = LoadFigures()
        #expect(
            try lines("p50>1ms", "max>1h", in: result) == [
                "Crossed: LoadOptions.failIf p50>1ms; measured 1.053 ms in step 1 of 2, at 2 a second",
                "Crossed: LoadOptions.failIf max>1h; not measured in step 2 of 2, at 14,000 a second, "
                    + "because no answer came",
            ])
        result.steps = []
        #expect(
            try lines("max>1h", in: result) == [
                "Crossed: LoadOptions.failIf max>1h; not measured, because no answer came"
            ])
    }

    @Test func `a knee is named`() throws {
        var result = LoadSample.result()
        result.steps[0].isWithinBounds = true
        var search = KneeSearch(first: 2, precision: 0.5)
        search.tried(isWithinBounds: true)
        result.knee = Knee(
            bounds: KneeSearch.Bounds(p99: 250_000_000, errorShare: 0.5), search: search,
            steps: result.steps)
        #expect(
            try lines("rate<3", "max>2ms", in: result) == [
                "Crossed: LoadOptions.failIf rate<3; the knee is at 2 a second",
                "Crossed: LoadOptions.failIf max>2ms; measured 2.097 ms at the knee, 2 a second",
            ])
        result.knee?.rate = nil
        #expect(
            try lines("rate<3", in: result) == [
                "Crossed: LoadOptions.failIf rate<3; not measured, because no rate kept the bounds"
            ])
    }

    @Test func `a regression has both figures`() throws {
        let before = LoadComparison.Figures(
            throughput: 1000, median: 10, tail: 50, processor: 20, errors: 1)
        var now = before
        now.throughput = 900
        let comparison = LoadComparison(
            name: "old.json", before: [before], now: [now], regressionMax: 0.05)
        #expect(
            try lines("regression>5%", against: comparison) == [
                "Crossed: LoadOptions.failIf regression>5%; answers/s of step 1 is 900, and was 1,000 "
                    + "(-10 %)"
            ])
    }

    @Test func `a condition that holds is in the document and on the page`() throws {
        var result = LoadSample.result()
        result.judge([try LoadCondition("p99 > 1 ms"), try LoadCondition("p99>1h")])
        #expect(result.json().contains("\"thresholds_crossed\": [\n    \"p99>1ms\"\n  ]"))
        let page = String(decoding: LoadPage(result).render(), as: UTF8.self)
        #expect(page.contains("measured 2.097 ms"))
        result.stop = JobStop(.interrupted, "interrupted")
        #expect(result.json().contains("\"thresholds_crossed\": null"))
    }
}
