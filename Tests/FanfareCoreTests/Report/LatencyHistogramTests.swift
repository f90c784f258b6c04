import FanfareCore
import Testing

@Suite struct LatencyHistogramTests {
    /// SplitMix64, so that the values are the same in each run.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Values spread evenly over the powers of two from a microsecond to an hour.
    static func values(_ count: Int, seed: UInt64) -> [Int64] {
        var generator = Generator(state: seed)
        return (0..<count).map { _ in
            let low = Int64(1) << Int64.random(in: 10...41, using: &generator)
            return min(Int64.random(in: low..<2 * low, using: &generator), 3_600_000_000_000)
        }
    }

    static func expectAgreement(_ histogram: LatencyHistogram, _ values: [Int64]) {
        let sorted = values.sorted()
        // In ten thousandths, so that the place is computed in whole numbers.
        for share in [0, 10, 100, 1000, 2500, 5000, 7500, 9000, 9500, 9900, 9990, 9999, 10_000] {
            let place = max((share * sorted.count + 9999) / 10_000, 1)
            let exact = Double(sorted[place - 1])
            let found = Double(histogram.percentile(Double(share) / 100))
            #expect(abs(found - exact) <= exact * 0.004, "p\(share)")
        }
        #expect(histogram.count == UInt64(values.count))
        #expect(histogram.min == sorted.first)
        #expect(histogram.max == sorted.last)
        #expect(histogram.percentile(100) == sorted.last)
        let mean = values.reduce(0.0) { $0 + Double($1) } / Double(values.count)
        #expect(abs(histogram.mean - mean) <= mean * 1e-9)
    }

    @Test(arguments: [1, 2, 10, 1000, 50_000])
    func `percentiles agree with a sorted list within 0.4 per cent`(count: Int) {
        let values = Self.values(count, seed: UInt64(count))
        var histogram = LatencyHistogram()
        for value in values {
            histogram.record(nanoseconds: value)
        }
        Self.expectAgreement(histogram, values)
    }

    @Test func `merged histograms are as one of all values`() {
        let values = Self.values(3000, seed: 42)
        var parts = [LatencyHistogram](repeating: LatencyHistogram(), count: 4)
        for (index, value) in values.enumerated() {
            // The last part stays empty.
            parts[index % 3].record(nanoseconds: value)
        }
        var whole = LatencyHistogram()
        for part in parts {
            whole.merge(part)
        }
        Self.expectAgreement(whole, values)
    }

    @Test func `each power of two and its neighbors have a bucket`() {
        for exponent in 10...41 {
            for value in [Int64(1) << exponent - 1, Int64(1) << exponent, Int64(1) << exponent + 1]
            {
                var histogram = LatencyHistogram()
                histogram.record(nanoseconds: value)
                #expect(histogram.percentile(50) == value)
            }
        }
    }

    @Test func `values outside the range count as its ends`() {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: -5)
        histogram.record(nanoseconds: 0)
        histogram.record(nanoseconds: .max)
        #expect(histogram.min == 1000)
        #expect(histogram.max == 3_600_000_000_000)
        #expect(histogram.percentile(50) == 1000 || histogram.percentile(50) == 1002)
    }

    @Test func `the difference to an earlier state is what came since`() {
        var earlier = LatencyHistogram()
        earlier.record(nanoseconds: 5_000_000, count: 100)
        var later = earlier
        later.record(nanoseconds: 2_000_000, count: 3)
        later.record(nanoseconds: 90_000_000)
        let difference = later.since(earlier)
        #expect(difference.count == 4 && difference.mean == 24_000_000)
        // Within a bucket, 1/128 of the value.
        #expect(abs(Double(difference.min) / 2_000_000 - 1) < 1.0 / 128)
        #expect(difference.max == 90_000_000)
        #expect(abs(Double(difference.percentile(50)) / 2_000_000 - 1) < 1.0 / 128)
        #expect(later.since(later).count == 0 && later.since(later).percentile(50) == 0)
        // Of another histogram it means nothing, and is no trap.
        #expect(earlier.since(later).count == 0)
    }

    @Test func `an empty histogram says nothing`() {
        let histogram = LatencyHistogram()
        #expect(histogram.count == 0 && histogram.min == 0 && histogram.max == 0)
        #expect(histogram.mean == 0 && histogram.percentile(99) == 0)
    }

    @Test func `what is below each power of two is counted to the value`() {
        var histogram = LatencyHistogram()
        // 2¹⁸ ns are 0.262144 ms, 2³⁶ are 68.719476736 s.
        for value in [1 << 18 - 1, 1 << 18, 1 << 20, 1 << 36 - 1, 1 << 36] as [Int64] {
            histogram.record(nanoseconds: value)
        }
        let told = histogram.cumulative
        #expect(told.count == 19)
        #expect(told.first?.seconds == 0.000_262_144 && told.last?.seconds == 68.719_476_736)
        let counts = told.map(\.count)
        #expect(counts == [1, 2, 2] + Array(repeating: 3, count: 15) + [4])
        #expect(zip(told, told.dropFirst()).allSatisfy { $1.seconds == 2 * $0.seconds })
    }

    @Test func `eight bars are a power of two`() {
        var histogram = LatencyHistogram()
        #expect(histogram.bars.isEmpty)
        histogram.record(nanoseconds: 1151)
        histogram.record(nanoseconds: 1152, count: 2)
        histogram.record(nanoseconds: 4096)
        let bars = histogram.bars
        // From 1024 on they are 128 wide, from 2048 on 256, from 4096 on 512.
        let starts = stride(from: 1024, to: 2048, by: 128).map(Int64.init)
        #expect(bars.map(\.range.lowerBound) == starts + starts.map { 2 * $0 } + [4096])
        #expect(bars.last?.range.upperBound == 4608)
        #expect(bars.map(\.count) == [1, 2] + Array(repeating: 0, count: 14) + [1])
        #expect(histogram.total == 1151 + 2 * 1152 + 4096)
    }

    @Test func `a value that came no time leaves nothing`() {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: 5000, count: 0)
        #expect(histogram == LatencyHistogram())
        histogram.merge(LatencyHistogram())
        #expect(histogram == LatencyHistogram())
    }

    @Test func `a difference lies in the buckets that have grown`() {
        var earlier = LatencyHistogram()
        earlier.record(nanoseconds: 1024)
        earlier.record(nanoseconds: 1 << 20)
        var later = earlier
        // The bucket of 2¹⁰ is 8 wide, and 1030 is not its end.
        later.record(nanoseconds: 1030, count: 2)
        let difference = later.since(earlier)
        #expect(difference.count == 2 && difference.total == 2060)
        #expect(difference.min == 1024 && difference.max == 1031)
    }

    @Test func `a sketch of a histogram has its values`() {
        var histogram = LatencyHistogram()
        var sketch = LatencySketch()
        for value in Self.values(2000, seed: 7) + [0, .max] {
            histogram.record(nanoseconds: value)
            sketch.record(nanoseconds: value)
        }
        #expect(LatencySketch(histogram) == sketch && sketch.count == 2002)
    }
}
