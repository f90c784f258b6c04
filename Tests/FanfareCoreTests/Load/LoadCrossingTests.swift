import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct LoadCrossingTests {
    /// Returns the conditions that hold for a result.
    private func crossings(
        _ texts: String..., in result: LoadResult = LoadSample.result(),
        against comparison: LoadComparison? = nil
    ) throws -> [LoadCrossing] {
        var result = result
        result.judge(try texts.map { try LoadCondition($0) }, against: comparison)
        return result.crossings
    }

    /// Each verdict follows from the sample.
    ///
    /// It has four requests due in two seconds at two a second: three answers, one of them
    /// 429, and one reset. They took 2²⁰ ns (whose bucket's middle is 1,052,672 ns) twice, and 2²¹
    /// ns, which is 2,097,152.
    @Test(arguments: [
        ("p50>1.052ms", true), ("p50>1.053ms", false), ("p50<1.053ms", true),
        ("max>2097152ns", false), ("max>=2097152ns", true), ("max<=2097152ns", true),
        ("max<2097152ns", false), ("p99>2ms", true), ("p99.99>3ms", false), ("p90:2ms", true),
        ("errors>49.9999%", true), ("errors>50%", false), ("errors>=50%", true),
        ("errors<50.0001%", true), ("errors<=50%", true), ("errors<50%", false),
        ("errors>1", true), ("errors>2", false), ("errors>=2", true), ("errors<3", true),
        ("rate<1.5", false), ("rate<=1.5", true), ("rate<1.501", true), ("rate>0", true),
        ("rate<90/m", false), ("rate<91/m", true), ("rate<75%", false), ("rate<=75%", true),
        ("rate<75.0001%", true), ("rate<100%", true), ("rate>75%", false),
    ])
    func `conditions are judged by arithmetic`(text: String, holds: Bool) throws {
        #expect(try crossings(text).isEmpty == !holds)
    }

    @Test func `all that hold are found, in the order in which they were given`() throws {
        let found = try crossings("rate<2", "p99>1h", "errors>1%", "max>2ms")
        #expect(found.map(\.condition.description) == ["rate<2", "errors>1%", "max>2ms"])
        #expect(
            found.map(\.measurement) == [
                .rate(1.5, of: 2), .errors(2, of: 4), .time(2_097_152),
            ])
        #expect(found.allSatisfy { $0.place == .whole })
    }

    @Test func `a ramp asks for its mean rate`() throws {
        var result = LoadSample.result()
        result.steps[0].load = .open(from: 1, to: 3)
        #expect(try crossings("rate<75%", in: result).isEmpty)
        #expect(
            try crossings("rate<76%", in: result).map(\.measurement) == [.rate(1.5, of: 2)])
    }

    @Test(arguments: ["p99>1h", "max<1ns", "errors>99%", "errors>1000", "rate<1%", "rate>5000"])
    func `a figure that was not measured fails the test`(text: String) throws {
        var result = LoadSample.result()
        result.steps[0].figures = LoadFigures()
        result.steps[0].figures.started(at: 0, lateness: 0, isOwn: false)
        result.steps[0].figures.failed("timeout", waited: (5, 5), at: 5)
        #expect(try crossings(text, in: result).map(\.measurement) == [.none])
        result.steps = []
        #expect(try crossings(text, in: result).map(\.measurement) == [.none])
    }

    @Test func `one step is enough, and the first is named`() throws {
        var result = LoadSample.result()
        result.steps += [result.steps[0], result.steps[0]]
        for step in 1...2 {
            result.steps[step].load = .open(from: 4, to: 4)
            result.steps[step].figures.started(at: 0, lateness: 0, isOwn: false)
            result.steps[step].figures.answered(200, service: 1 << 20, response: 1 << 30, at: 0)
        }
        #expect(
            try crossings("max>1s", "p50>1s", "rate<76%", in: result).map(\.place) == [
                .step(2, of: 3, rate: 4), .step(1, of: 3, rate: 2),
            ])
        result.steps[0].figures = LoadFigures()
        let found = try crossings("max>1h", in: result)
        #expect(found.map(\.place) == [.step(1, of: 3, rate: 2)])
        #expect(found.map(\.measurement) == [.none])
    }

    @Test func `of a search the knee is judged, and nothing beyond it`() throws {
        var result = LoadSample.result()
        result.steps.append(result.steps[0])
        result.steps[0].isWithinBounds = true
        result.steps[1].isWithinBounds = false
        result.steps[1].load = .open(from: 4, to: 4)
        result.steps[1].figures = LoadFigures()
        var search = KneeSearch(first: 2, precision: 0.5)
        search.tried(isWithinBounds: true)
        search.tried(isWithinBounds: false)
        result.knee = Knee(
            bounds: KneeSearch.Bounds(p99: 250_000_000, errorShare: 0.5), search: search,
            steps: result.steps)
        #expect(try crossings("errors>50%", "p99>3ms", "rate<2", in: result).isEmpty)
        let found = try crossings("rate<3", "max>2ms", in: result)
        #expect(found.map(\.measurement) == [.rate(2, of: nil), .time(2_097_152)])
        #expect(found.map(\.place) == [.knee(rate: 2), .knee(rate: 2)])
        result.knee?.rate = nil
        let none = try crossings("rate<1", "errors>99%", in: result)
        #expect(none.map(\.measurement) == [.none, .none])
        #expect(none.map(\.place) == [.knee(rate: nil), .knee(rate: nil)])
    }

    /// A tenth fewer answers, and nothing else.
    @Test func `a regression is judged as the comparison does, with a bound of its own`() throws {
        let before = LoadComparison.Figures(
            throughput: 1000, median: 10, tail: 50, processor: 20, errors: 1)
        var now = before
        now.throughput = 900
        let comparison = LoadComparison(
            name: "old.json", before: [before], now: [now], regressionMax: 0.5)
        #expect(try crossings("regression>10%", against: comparison).isEmpty)
        let found = try crossings("regression>9%", against: comparison)
        guard case .regression(let change) = found.first?.measurement else {
            Issue.record("no regression: \(found)")
            return
        }
        #expect(change.metric == .throughput && change.before == 1000 && change.now == 900)
        // Without a comparison it is not measured.
        #expect(try crossings("regression>9%").map(\.measurement) == [.none])
    }

    @Test func `the exit code is 5, unless something else has ended the test`() throws {
        var result = LoadSample.result()
        result.judge([try LoadCondition("errors>50%")])
        #expect(result.exitStatus == .success)
        let conditions = [try LoadCondition("errors>1%")]
        result.judge(conditions)
        #expect(result.exitStatus == .thresholdCrossed)
        var stopped = result
        stopped.stop = JobStop(.interrupted, "interrupted")
        stopped.judge(conditions)
        #expect(stopped.crossings.isEmpty && stopped.exitStatus == .interrupted)
        // Without an answer it would be 1.
        var unanswered = result
        unanswered.steps[0].figures = LoadFigures()
        unanswered.judge([])
        #expect(unanswered.exitStatus == .incomplete)
        unanswered.judge(conditions)
        #expect(unanswered.exitStatus == .thresholdCrossed)
        result.steps[0].figures.started(at: 0, lateness: 0, isOwn: false)
        result.judge(conditions)
        #expect(result.exitStatus == .bug)
    }
}
