import FanfareCore
import Testing

@testable import Fanfare

@Suite struct LoadBaselineTests {
    private let settings: [(name: String, value: LoadResult.Setting)] = [
        ("service", .text("simulator")), ("streams", .whole(nil)), ("connections", .whole(4)),
        ("rate_from", .real(1.0 / 3)),
    ]

    private func document(
        schema: String = "fanfare-bench/1", settings: String? = nil, stopped: String = "null",
        step: String? = nil
    ) -> String {
        let settings =
            settings
            ?? #"{"service":"simulator","streams":null,"connections":4,"rate_from":0.333}"#
        let step =
            step
                ?? #"""
                {"answered":10,"requests_per_second":100.0,"error_percent":0.0,
                 "cpu_us_per_request":20.0,"response_ms":{"p50":1.5,"p99":9}}
                """#
        return #"""
            {"schema":"\#(schema)","environment":{"cores":2,"started_at":"2026-01-01T00:00:00.000Z"},
             "settings":\#(settings),"stopped_by":\#(stopped),"steps":[\#(step)],"later":[]}
            """#
    }

    private func baseline(_ text: String) throws -> LoadBaseline {
        try LoadBaseline(json: Array(text.utf8), name: "old.json")
    }

    @Test func `a result is read, and members of later versions are passed over`() throws {
        let baseline = try baseline(document())
        #expect(
            baseline.steps == [
                .init(throughput: 100, median: 1.5, tail: 9, processor: 20, errors: 0)
            ])
        #expect(baseline.differences(from: settings).isEmpty)
    }

    @Test func `settings that differ are named with both values`() throws {
        let other = try baseline(
            document(
                settings: #"{"service":"simulator","streams":7,"rate_from":0.5,"count":9}"#))
        #expect(
            other.differences(from: settings) == [
                "streams 7 (now none)", "connections not given (now 4)",
                "rate_from 0.5 (now 0.3333333333333333)", "count 9 (now not given)",
            ])
    }

    @Test func `what is no finished result is refused`() {
        let cases = [
            ("{", "not valid JSON"), ("[]", "it has no schema"), ("{}", "it has no schema"),
            (document(schema: "fanfare-bench/2"), "it has the schema 'fanfare-bench/2'"),
            (document(stopped: #"{"cause":"interrupted"}"#), "did not come to its end"),
            (document(settings: "5"), "no settings or no steps"),
            (document(step: "{}"), "step 1 lacks figures"),
        ]
        for (text, message) in cases {
            let error = fanfareError { _ = try baseline(text) }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? text)")
            #expect(error?.message.hasPrefix("LoadBaseline.name old.json: ") == true)
        }
    }

    @Test func `what we write is what we read`() throws {
        var figures = LoadFigures()
        figures.started(at: 0, lateness: 0, isOwn: false)
        figures.answered(200, service: 3_000_000, response: 4_000_000, at: 0)
        figures.answeredInTime = 1
        let step = LoadStep(
            .closed, inFlight: 1, measuredNanoseconds: 1_000_000_000, figures: figures,
            processorNanoseconds: 30_000, busyShare: 0, connections: 1)
        let stamp = LoadResult.Stamp(
            version: "1", cores: 3, kernel: "k", tls: nil, startMilliseconds: 0, command: "")
        let result = LoadResult(stamp: stamp, settings: settings, steps: [step])
        let baseline = try baseline(result.json())
        #expect(baseline.differences(from: settings).isEmpty)
        let comparison = baseline.comparison(with: result, regressionMax: 0)
        #expect(comparison.changes.count == 5 && !comparison.hasRegressed)
        #expect(comparison.differences.isEmpty)
        var other = result
        other.stamp.cores = 4
        #expect(
            baseline.comparison(with: other, regressionMax: 0).differences == ["cores 3 (now 4)"])
    }
}
