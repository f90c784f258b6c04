import FanfareCore
import FanfareFigures
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

    // MARK: Several runs

    /// Runs with these times at p99, in milliseconds.
    private func against(
        _ tails: [Double], now: Double, regressionMax: Double = 0.05
    ) -> LoadComparison {
        func figures(_ tail: Double) -> LoadComparison.Figures {
            .init(throughput: 1000, median: 10, tail: tail, processor: nil, errors: 0)
        }
        return LoadComparison(
            name: "the runs", history: tails.map { [figures($0)] }, now: [figures(now)],
            regressionMax: regressionMax)
    }

    /// The median of 48…52 is 50, that of the distances 1: a spread of 1.4826, three times 4.4478.
    @Test func `a figure may be as far from the median as the runs are spread`() throws {
        let tails: [Double] = [48, 52, 49, 51, 50]
        #expect(!against(tails, now: 54.4, regressionMax: 0).hasRegressed)
        #expect(against(tails, now: 54.5, regressionMax: 0).hasRegressed)
        #expect(!against(tails, now: 45, regressionMax: 0).hasRegressed)
        #expect(!against(tails, now: 54.5, regressionMax: 0.1).hasRegressed)
        #expect(against(tails, now: 55.1, regressionMax: 0.1).hasRegressed)
        let change = try #require(against(tails, now: 60).changes.first { $0.metric == .tail })
        #expect(change.before == 50 && change.now == 60 && change.isBeyondSpread)
    }

    @Test func `one odd run moves neither the median nor the spread far`() {
        // The median is 50 and 50.5, the distances' median 1 and 1.5.
        #expect(against([48, 52, 49, 51, 50, 900], now: 60).hasRegressed)
        #expect(!against([48, 52, 49, 51, 50, 900], now: 53).hasRegressed)
    }

    @Test func `four runs say nothing`() {
        #expect(against([50, 50, 50, 50], now: 900).changes.isEmpty)
        #expect(against([50, 50, 50, 50, 50], now: 900).hasRegressed)
    }

    @Test func `what is allowed is told`() {
        let text = against([48, 52, 49, 51, 50], now: 60).render(usesColor: false)
        let words = text.replacing("\n", with: " ")
        #expect(
            words.contains(
                "Compared with the runs; 5 % worse is allowed, and 3 times as far as these runs are spread."
            ))
        #expect(words.contains("1 of 4 figures is worse than that."))
    }

    @Test func `the page of the runs has their figures and what is worse`() throws {
        let tails: [Double] = [48, 52, 49, 51, 50]
        let runs = (tails + [60]).enumerated().map { index, tail in
            HistoryPage.Run(
                startedAt: "2026-11-2\(index)T03:00:00.000Z", version: "0.1.0",
                steps: [.init(throughput: 1000, median: 10, tail: tail, processor: nil, errors: 0)])
        }
        let page = HistoryPage(
            name: "gateway <1>", folder: "runs", runs: runs, comparison: against(tails, now: 60))
        let html = String(decoding: page.render(), as: UTF8.self)
        for words in [
            "gateway &lt;1&gt;", "The last 6 runs", "1 of 4 figures is worse",
            "2026-11-25T03:00:00.000Z",
            "60.0 ms",
        ] {
            #expect(html.contains(words), "\(words)")
        }
        let first = HistoryPage(name: nil, folder: "runs", runs: [runs[0]], comparison: nil)
        #expect(
            String(decoding: first.render(), as: UTF8.self).contains("once there are 5."))
        #expect(HistoryPage.isOne(first.render()) && HistoryPage.isOne(page.render()))
        #expect(!HistoryPage.isOne(Array("<h1>Made by fanfare bench.</h1>".utf8)))
    }
}
