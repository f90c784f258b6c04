import FanfareBase
import Testing

@testable import FanfareCore

/// A provider that asks for time, for one row or for all.
@Suite struct WishRunTests {
    private static func moment(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private static func asks(_ run: inout WishRun, _ started: Instant) -> Bool {
        run.asked(afterStart: started)
    }

    @Test
    func `the time is for all rows when three that started behind the last verdict are refused`() {
        var run = WishRun()
        run.judged(now: Self.moment(100))
        // Two of these were on their way when the last row was taken.
        #expect(!Self.asks(&run, Self.moment(80)))
        #expect(!Self.asks(&run, Self.moment(90)))
        #expect(!Self.asks(&run, Self.moment(100)))
        #expect(Self.asks(&run, Self.moment(101)))
        #expect(Self.asks(&run, Self.moment(102)))
    }

    @Test func `a provider that has taken nothing yet means all rows with the third answer`() {
        var run = WishRun()
        #expect(!Self.asks(&run, Self.moment(1)))
        #expect(!Self.asks(&run, Self.moment(2)))
        #expect(Self.asks(&run, Self.moment(3)))
    }

    @Test func `rows that are taken in between show that others may go`() {
        var run = WishRun()
        for time in 1...50 as ClosedRange<Int64> {
            run.judged(now: Self.moment(10 * time))
            #expect(!Self.asks(&run, Self.moment(10 * time + 1)))
            #expect(!Self.asks(&run, Self.moment(10 * time + 2)))
        }
    }
}
