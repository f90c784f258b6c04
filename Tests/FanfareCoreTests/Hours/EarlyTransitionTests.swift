import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct EarlyTransitionTests {
    @Test func `the next change may be one of the year after the next`() throws {
        // 167 hours before New Year, and a day later: in the last week of the year before.
        let rule = try #require(TimeZoneRule(Array("AAA0BBB,J1/-167,J2/-167".utf8)[...]))
        func moment(_ year: Int64, _ month: Int64, _ day: Int64, hour: Int64) -> Int64 {
            CivilDay.day(year: year, month: month, day: day) * 86_400 + hour * 3600
        }
        let summer = moment(2027, 12, 25, hour: 1)
        #expect(rule.nextTransition(after: moment(2026, 12, 28, hour: 0)) == summer)
        // The second one is at 01:00 of summer time, an hour ahead.
        #expect(rule.nextTransition(after: summer) == moment(2027, 12, 26, hour: 0))
    }
}
