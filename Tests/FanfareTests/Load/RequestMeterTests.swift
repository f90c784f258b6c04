import FanfareBase
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The measurement of a lane's requests in a load test.
@Suite struct RequestMeterTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    @Test func `requests in flight when a test is broken off are unfinished, and have not failed`()
    {
        let clock = LoadClock(LoadSchedule(.open(from: 100, to: 100), duration: .seconds(1)))
        #expect(clock.claim(now: start) == .due(start))
        let meter = RequestMeter(clock) { 0 }
        for id in 0..<4 as Range<RequestID> { meter.started(id, due: start, now: start) }
        let later = start.advanced(by: .milliseconds(20))
        var answered = Attempt()
        answered.status = 200
        meter.ended(0, answered, started: start, now: later)
        meter.ended(1, .unanswered(.reset), started: start, now: later)
        meter.aborted()
        meter.ended(2, .unanswered(.aborted), started: start, now: later)
        // An answer that is there already counts.
        meter.ended(3, answered, started: start, now: later)
        let figures = meter.figures
        #expect(figures.started == 4 && figures.statuses == [200: 2])
        #expect(figures.failed == 1 && figures.unfinished == 1)
        #expect(figures.identityViolation() == nil)
    }
}
