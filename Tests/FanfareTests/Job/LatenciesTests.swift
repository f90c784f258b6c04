import FanfareCore
import Testing

@testable import Fanfare

/// Latencies as programs see them; the histogram behind them has tests of its own.
@Suite struct LatenciesTests {
    private func latencies(_ milliseconds: [Int64]) -> Latencies {
        var histogram = LatencyHistogram()
        for value in milliseconds { histogram.record(nanoseconds: value * 1_000_000) }
        return Latencies(histogram)
    }

    @Test func `without answers nothing is known`() {
        let none = latencies([])
        #expect(none.count == 0 && none.sum == .zero)
        #expect(none.min == nil && none.max == nil && none.mean == nil)
        #expect(none.percentile(50) == nil)
        #expect(none.buckets.allSatisfy { $0.count == 0 })
    }

    @Test func `the figures are those of the answers`() {
        let some = latencies([1, 2, 3, 10])
        #expect(some.count == 4 && some.sum == .milliseconds(16))
        #expect(some.min == .milliseconds(1) && some.max == .milliseconds(10))
        #expect(some.mean == .milliseconds(4))
        #expect(some.percentile(100) == .milliseconds(10))
    }

    /// The bounds are powers of two of a nanosecond: 2^20 is 1.05 ms, 2^24 is 16.8 ms.
    @Test func `buckets count what is below their bounds`() throws {
        let some = latencies([1, 2, 3, 10])
        let counts = some.buckets.map { ($0.upTo, $0.count) }
        #expect(counts.first { $0.0 == .nanoseconds(1 << 20) }?.1 == 1)
        #expect(counts.first { $0.0 == .nanoseconds(1 << 22) }?.1 == 3)
        #expect(counts.first { $0.0 == .nanoseconds(1 << 24) }?.1 == 4)
        #expect(some.buckets.map(\.count) == some.buckets.map(\.count).sorted())
    }

    @Test func `the difference of two moments is what came between them`() {
        let later = latencies([1, 2, 3, 10, 20]).since(latencies([1, 2, 3]))
        #expect(later.count == 2 && later.sum == .milliseconds(30))
    }
}
