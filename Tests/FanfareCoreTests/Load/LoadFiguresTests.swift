import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct LoadFiguresTests {
    private static let second: Int64 = 1_000_000_000

    // MARK: Timeline

    @Test func `seconds stay apart until there is no room`() {
        var timeline = LoadTimeline()
        let room = Int64(Limits.loadTimelineSlots)
        for second in 0..<room { timeline.add(at: second * Self.second, .init(started: 1)) }
        #expect(timeline.secondsPerSlot == 1 && timeline.slots.count == Int(room))
        timeline.add(at: room * Self.second, .init(started: 5, responseMax: 9))
        #expect(timeline.secondsPerSlot == 2)
        #expect(timeline.slots.count == Int(room / 2) + 1)
        #expect(timeline.slots.dropLast().allSatisfy { $0.started == 2 })
        #expect(timeline.slots.last == .init(started: 5, responseMax: 9))
    }

    @Test func `a week takes no more room than ten minutes`() {
        var timeline = LoadTimeline()
        for hour: Int64 in 0..<168 {
            timeline.add(at: hour * 3600 * Self.second, .init(answered: 1, errors: 1))
        }
        #expect(timeline.slots.count <= Limits.loadTimelineSlots)
        #expect(timeline.slots.reduce(0) { $0 + $1.answered } == 168)
        #expect(timeline.slots.reduce(0) { $0 + $1.errors } == 168)
    }

    @Test func `lanes with slots of different width are added up`() {
        var short = LoadTimeline()
        for second: Int64 in 0..<5 { short.add(at: second * Self.second, .init(answered: 1)) }
        var long = LoadTimeline()
        long.add(at: 2000 * Self.second, .init(answered: 7))
        for (first, second) in [(short, long), (long, short)] {
            var sum = first
            sum.merge(second)
            #expect(sum.secondsPerSlot == 4)
            #expect(sum.slots[0].answered == 4 && sum.slots[1].answered == 1)
            #expect(sum.slots[500].answered == 7)
        }
    }

    // MARK: Sums

    @Test func `each request is in one place`() {
        var figures = LoadFigures()
        for _ in 0..<5 { figures.started(at: 0, lateness: 0, isOwn: false) }
        figures.answered(200, service: 1000, response: 2000, at: 0)
        figures.answered(503, service: 1000, response: 2000, at: 0)
        figures.failed("REFUSED_STREAM", waited: nil, at: 0)
        figures.failed("no answer in time", waited: (5000, 6000), at: 0)
        #expect(figures.identityViolation() != nil)
        figures.leftUnfinished(waited: (7000, 8000))
        #expect(figures.identityViolation() == nil)
        #expect(figures.answered == 2 && figures.refused == 1 && figures.failed == 2)
        // A 503, two without an answer, one unfinished.
        #expect(figures.errorShare == 0.8)
        #expect(figures.service.count == 4)
    }

    @Test func `what did not start counts with the time that it has waited`() {
        var figures = LoadFigures()
        let schedule = LoadSchedule(.open(from: 1000, to: 1000), duration: .seconds(10))
        // Nothing of the last 5 s started: they waited between nothing and 5 s.
        for _ in 0..<5000 { figures.started(at: 0, lateness: 0, isOwn: false) }
        figures.leftUnstarted(schedule, due: 10_000, until: 10 * Self.second)
        #expect(figures.unstarted == 5000 && figures.due == 10_000 && figures.errorShare == 0.5)
        #expect(figures.response.count == 5000 && figures.service.count == 0)
        #expect(abs(figures.response.percentile(50) - 2_500_000_000) < 20_000_000)
        #expect(figures.response.max == 5 * Self.second)
    }

    @Test func `what was due in the warm-up is not missed`() {
        var figures = LoadFigures()
        let schedule = LoadSchedule(
            .open(from: 1000, to: 1000), warmUp: .seconds(4), duration: .seconds(6))
        // 4,000 were due in the warm-up, 6,000 behind it; of these 5,990 started.
        for _ in 0..<5990 { figures.started(at: 0, lateness: 0, isOwn: false) }
        figures.leftUnstarted(schedule, due: 10_000, until: 10 * Self.second)
        #expect(figures.unstarted == 10 && figures.response.count == 10)
        figures.leftUnstarted(schedule, due: 9000, until: 10 * Self.second)
        #expect(figures.unstarted == 10)
    }

    /// The service time is a millisecond for all, and late starts are those of 10 ms and more.
    @Test(
        arguments: [
            (19, false), (20, false), (21, true), (22, true), (40, true),
        ] as [(Int64, Bool)])
    func `a server that holds starts up shows by twice the time, and 20 ms more`(
        response: Int64, isHeldUp: Bool
    ) {
        var step = LoadSample.step()
        step.figures = LoadFigures()
        for _ in 0..<100 {
            step.figures.started(at: 0, lateness: 0, isOwn: false)
            step.figures.answered(
                200, service: 1_000_000, response: response * 1_000_000, at: 0)
        }
        #expect(step.hasHeldUpStarts == isHeldUp)
        // A request that started late by our own fault says nothing about the server.
        for _ in 0..<2 { step.figures.started(at: 0, lateness: 10_000_000, isOwn: true) }
        #expect(!step.hasHeldUpStarts)
        #expect(step.generatorLimit == .lateStarts)
    }

    @Test func `less than twice the time is no sign of a server that holds starts up`() {
        var step = LoadSample.step()
        step.figures = LoadFigures()
        step.figures.started(at: 0, lateness: 0, isOwn: false)
        step.figures.answered(200, service: 1_000_000_000, response: 1_900_000_000, at: 0)
        #expect(!step.hasHeldUpStarts)
    }

    @Test func `a hundred million that did not start cost no more than ten thousand`() {
        var figures = LoadFigures()
        let schedule = LoadSchedule(.open(from: 10_000_000, to: 10_000_000), duration: .seconds(10))
        figures.leftUnstarted(schedule, due: 100_000_000, until: 10 * Self.second)
        #expect(figures.response.count == 100_000_000)
        #expect(abs(figures.response.percentile(50) - 5_000_000_000) < 40_000_000)
    }

    @Test func `kinds of failures and statuses are bounded`() {
        var figures = LoadFigures()
        for kind in 0..<1000 { figures.failed("kind \(kind)", waited: nil, at: 0) }
        for status: UInt16 in 200..<600 {
            figures.answered(status, service: 1, response: 1, at: 0)
        }
        #expect(figures.failures.count <= Limits.loadFailureKindsMax + 1)
        #expect(figures.failed == 1000)
        #expect(figures.statuses.count <= Limits.loadStatusesMax + 4)
        #expect(figures.answered == 400 && figures.refused == 200)
    }

    @Test func `late starts are counted apart by who was to blame`() {
        var figures = LoadFigures()
        figures.started(at: 0, lateness: 9_999_999, isOwn: true)
        figures.started(at: 0, lateness: 10_000_000, isOwn: true)
        figures.started(at: 0, lateness: 10_000_000, isOwn: false)
        #expect(figures.lateStarts == 2 && figures.ownLateStarts == 1)
    }
}
