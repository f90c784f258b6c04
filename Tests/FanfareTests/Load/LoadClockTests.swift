import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

@Suite struct LoadClockTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    private func at(_ milliseconds: Int64) -> Instant {
        start.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    @Test func `requests are due by the clock, however late they are asked for`() {
        let clock = LoadClock(LoadSchedule(.open(from: 100, to: 100), duration: .seconds(1)))
        #expect(clock.claim(now: start) == .due(start))
        #expect(clock.claim(now: at(5)) == .later(at(10)))
        // No lane could start anything for 90 ms.
        for number: Int64 in 1...9 { #expect(clock.claim(now: at(95)) == .due(at(10 * number))) }
        #expect(clock.claim(now: at(95)) == .later(at(100)))
        #expect(!clock.isOver(now: at(999)))
    }

    @Test func `what is due by the end may start just behind it, and nothing else`() {
        let clock = LoadClock(LoadSchedule(.open(from: 10, to: 10), duration: .milliseconds(300)))
        #expect(clock.claim(now: start) == .due(start))
        #expect(clock.claim(now: at(300)) == .due(at(100)))
        #expect(clock.claim(now: at(309)) == .due(at(200)))
        #expect(clock.claim(now: at(309)) == .over)
        #expect(clock.isOver(now: at(309)))
    }

    @Test func `a backlog is left when the time is over`() {
        let clock = LoadClock(LoadSchedule(.open(from: 10, to: 10), duration: .milliseconds(300)))
        #expect(clock.claim(now: start) == .due(start))
        #expect(!clock.isOver(now: at(309)))
        #expect(clock.claim(now: at(310)) == .over && clock.isOver(now: at(310)))
    }

    @Test(arguments: [LoadSchedule.Load.closed, .open(from: 1000, to: 1000)])
    func `a count is exact`(load: LoadSchedule.Load) {
        let clock = LoadClock(LoadSchedule(load, count: 3))
        _ = clock.claim(now: start)
        for _ in 0..<2 {
            guard case .due = clock.claim(now: at(100)) else {
                Issue.record("too early")
                continue
            }
        }
        #expect(clock.claim(now: at(100)) == .over && clock.isOver(now: at(100)))
    }

    @Test func `a closed loop goes on until its time is over`() {
        let clock = LoadClock(LoadSchedule(.closed, duration: .seconds(1)))
        #expect(clock.elapsed(start) < 0 && !clock.isOver(now: at(2000)))
        #expect(clock.claim(now: start) == .due(start))
        #expect(clock.claim(now: at(999)) == .due(at(999)))
        #expect(clock.claim(now: at(1000)) == .over && clock.isOver(now: at(1000)))
    }
}
