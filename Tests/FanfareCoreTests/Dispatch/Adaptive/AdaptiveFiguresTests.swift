import FanfareBase
import Testing

@testable import FanfareCore

/// The figures by which the window decides.
@Suite struct AdaptiveFiguresTests {
    private let now = Instant(nanoseconds: 0)

    @Test func `the low latency of equal answers is theirs`() {
        var window = AdaptiveWindow()
        window.started(inFlight: window.limit)
        // A flight of those that started before, and a round.
        for _ in 0..<300 { window.answered(after: 20_000_000, now: now) }
        #expect(window.base == 20_000_000 && window.low == 20_000_000)
        #expect(window.mean == 20_000_000)
    }

    /// Of each eight answers one is quick, and of these the first eight are no quicker than the last.
    @Test func `the low latency is the mean of the least of each eight`() {
        var window = AdaptiveWindow()
        window.started(inFlight: window.limit)
        for _ in 0..<100 { window.answered(after: 50_000_000, now: now) }
        for number in 0..<128 as Range<Int64> {
            let isLast = number % 8 == 7
            let latency = isLast ? 10_000_000 + number / 8 * 1_000_000 : 50_000_000
            window.answered(after: latency, now: now)
        }
        // 10, 11, … 25 ms.
        #expect(window.base == 17_500_000)
    }

    @Test func `a small share of refusals in a good round is the usual one from then on`() {
        func usual(_ refusals: Int) -> Int? {
            var window = AdaptiveWindow()
            window.cuts = .init(limit: 100, threshold: 100, reference: 100, count: 1)
            window.heard = 1024
            window.refusals = refusals
            window.roundEnded()
            return window.cuts == nil ? window.steadyShare : nil
        }
        #expect(usual(0) == 0)
        #expect(usual(8) == 8)
        // Half of 32 in 1,024 are few; more of them is no good round.
        #expect(usual(16) == 16)
        #expect(usual(17) == nil)
    }
}
