import FanfareCore
import Testing

@Suite struct LoadComparisonTests {
    private static let before = LoadComparison.Figures(
        throughput: 1000, median: 10, tail: 50, processor: 20, errors: 1)

    private func comparison(
        _ change: (inout LoadComparison.Figures) -> Void
    ) -> LoadComparison {
        var now = Self.before
        change(&now)
        return LoadComparison(
            name: "old.json", before: [Self.before], now: [now], regressionMax: 0.05)
    }

    private func regressed(
        _ change: (inout LoadComparison.Figures) -> Void
    ) -> [LoadComparison.Metric] {
        comparison(change).changes.filter(\.hasRegressed).map(\.metric)
    }

    @Test func `what is as much worse as allowed is allowed`() {
        #expect(regressed { _ in }.isEmpty)
        #expect(
            regressed {
                $0.throughput = 950
                $0.median = 10.5
                $0.tail = 52.5
                $0.processor = 21
                $0.errors = 6
            }.isEmpty)
    }

    @Test func `each figure that is worse than that is named`() {
        #expect(regressed { $0.throughput = 949 } == [.throughput])
        #expect(regressed { $0.median = 10.51 } == [.median])
        #expect(regressed { $0.tail = 52.6 } == [.tail])
        #expect(regressed { $0.processor = 21.1 } == [.processor])
        #expect(regressed { $0.errors = 6.1 } == [.errors])
    }

    @Test func `what is better is never a regression`() {
        #expect(
            regressed {
                $0.throughput = 5000
                $0.median = 1
                $0.tail = 2
                $0.processor = 3
                $0.errors = 0
            }.isEmpty)
    }

    @Test func `without answers the throughput says it`() {
        let found = regressed {
            $0.throughput = 0
            $0.median = nil
            $0.tail = nil
            $0.processor = nil
        }
        #expect(found == [.throughput])
    }

    @Test func `the table names what is worse, and fits 80 columns`() {
        let text = comparison {
            $0.throughput = 900
            $0.tail = 60
        }.render(usesColor: false)
        #expect(
            text == """
                Compared with old.json; 5 % worse is allowed.
                                                before           now        change
                  answers/s                      1,000           900         -10 %  regressed
                  response p50                 10.0 ms       10.0 ms          +0 %
                  response p99                 50.0 ms       60.0 ms         +20 %  regressed
                  CPU/request                    20 µs         20 µs          +0 %
                  errors                           1 %           1 %          +0 %
                2 of 5 figures are worse than that.

                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `of many steps only those that are worse are shown`() {
        var now = Array(repeating: Self.before, count: 10)
        now[6].tail = 500
        let comparison = LoadComparison(
            name: "old.json", before: Array(repeating: Self.before, count: 10), now: now,
            regressionMax: 0.05)
        let lines = comparison.render(usesColor: false).split(separator: "\n")
        #expect(lines.count == 4 && lines[2].contains("step 7 response p99"))
    }
}
