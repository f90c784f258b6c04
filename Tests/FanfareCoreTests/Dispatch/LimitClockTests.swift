import FanfareBase
import FanfareCore
import Testing

@Suite struct LimitClockTests {
    private static func at(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test func `sleep counts for what was waited for, and work as CPU`() {
        var clock = LimitClock(.connecting, now: Self.at(1000), idle: 0)
        clock.count(now: Self.at(1100), idle: 90)
        clock.hold(.pace)
        clock.count(now: Self.at(1300), idle: 90 + 150)
        clock.hold(.streamLimit)
        clock.count(now: Self.at(1310), idle: 90 + 150)
        #expect(clock.times[.connecting] == 90)
        #expect(clock.times[.pace] == 150)
        #expect(clock.times[.streamLimit] == 0)
        #expect(clock.times[.cpu] == 10 + 50 + 10)
        #expect(clock.times.total == 310)
    }

    @Test func `clocks that disagree never make a time negative`() {
        var clock = LimitClock(.input, now: Self.at(1000), idle: 500)
        clock.count(now: Self.at(990), idle: 400)
        clock.count(now: Self.at(1000), idle: 5000)
        #expect(clock.times[.cpu] == 0)
        #expect(clock.times[.input] == 10)
    }

    @Test func `the longest comes first, and what did not occur is left out`() {
        var times = LimitTimes()
        times[.cpu] = 5
        times[.flowControl] = 9
        times[.input] = 1
        #expect(times.ranked.map(\.limitation) == [.flowControl, .cpu, .input])
        #expect((times + times)[.flowControl] == 18)
        #expect((times + times - times) == times)
        #expect((times + times).divided(by: 2) == times)
    }

    @Test func `names are unique, as members of one object have to be`() {
        #expect(
            Set(Limitation.allCases.map(\.name.description)).count == Limitation.allCases.count)
    }
}
