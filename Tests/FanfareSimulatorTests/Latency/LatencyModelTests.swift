import FanfareSimulator
import Testing

@Suite struct LatencyModelTests {
    private func samples(_ text: String, seed: UInt64 = 7) throws -> [Int64] {
        let model = try LatencyModel(text)
        return (0..<100_000).map { model.nanoseconds(seed: seed, number: $0) }.sorted()
    }

    @Test(arguments: [
        ("0", 0), ("20ms", 20_000_000), ("1.5s", 1_500_000_000), ("250us", 250_000),
        ("3m", 180_000_000_000), ("7µs", 7_000), ("1_000us", 1_000_000),
        ("0.0001d", 8_640_000_000), (".5s", 500_000_000),
    ])
    func `a fixed delay is the same for every request`(_ text: String, _ expected: Int64) throws {
        let model = try LatencyModel(text)
        #expect((0..<100).allSatisfy { model.nanoseconds(seed: 1, number: $0) == expected })
        #expect(model.isZero == (expected == 0))
    }

    @Test func `a range is uniform`() throws {
        let sorted = try samples("20ms..80ms")
        #expect(sorted[0] >= 20_000_000 && sorted[99_999] <= 80_000_000)
        // The p-quantile of a uniform range is from + p × width; 100,000 samples are within 1 %
        // of the width.
        for (index, expected) in [(10_000, 26.0), (50_000, 50), (90_000, 74)] {
            #expect(abs(Double(sorted[index]) / 1e6 - expected) < 0.6)
        }
    }

    @Test func `lognormal meets both percentiles`() throws {
        let sorted = try samples("lognormal:p50=40ms,p99=250ms")
        #expect(abs(Double(sorted[50_000]) / 1e6 - 40) < 1)
        #expect(abs(Double(sorted[99_000]) / 1e6 - 250) < 15)
        // Symmetric in the logarithm: the 1st percentile is p50² / p99.
        #expect(abs(Double(sorted[1_000]) / 1e6 - 6.4) < 0.5)
    }

    @Test func `sampling depends on seed and number only`() throws {
        let model = try LatencyModel("lognormal:p99=250ms,p50=40ms")
        let forward = (0..<1000).map { model.nanoseconds(seed: 3, number: $0) }
        let backward = (0..<1000).reversed().map { model.nanoseconds(seed: 3, number: $0) }
        #expect(forward == backward.reversed())
        #expect(forward != (0..<1000).map { model.nanoseconds(seed: 4, number: $0) })
    }

    @Test(arguments: [
        "", "20", "ms", "-1ms", "1e3ms", "infs", "0x1s", "2h", "80ms..20ms", "20ms..", "..",
        "0.1ns",
        "lognormal:", "lognormal:p50=40ms", "lognormal:p50=40ms,p99=20ms",
        "lognormal:p50=0,p99=20ms", "lognormal:p50=1ms,p50=2ms", "lognormal:p50=1ms,p90=2ms",
        "lognormal", "1ms...2ms",
    ])
    func `anything else is an error that names the place`(_ text: String) {
        let error = #expect(throws: SimulatorError.self) {
            try LatencyModel(text, place: "--latency")
        }
        #expect(error?.place == "--latency")
    }

    @Test func `equal percentiles are a fixed delay`() throws {
        let model = try LatencyModel("lognormal:p50=40ms,p99=40ms")
        #expect((0..<100).allSatisfy { model.nanoseconds(seed: 1, number: $0) == 40_000_000 })
    }
}
