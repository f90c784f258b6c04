import FanfareBase
import Glibc
import Testing

@testable import FanfareCore

/// Days of the calendar, held against the C library's and against its own rules.
@Suite struct CivilDayTests {
    /// What the C library makes of a day; it counts years with 32 bits.
    private static func date(ofDay day: Int64) -> tm {
        var seconds = time_t(day * 86_400)
        var date = tm()
        precondition(gmtime_r(&seconds, &date) != nil)
        return date
    }

    private static func check(_ day: Int64) {
        let date = date(ofDay: day)
        let year = Int64(date.tm_year) + 1900
        let found = CivilDay.year(ofDay: day)
        guard found == year else {
            Issue.record("day \(day) is in the year \(year), not \(found)")
            return
        }
        let back = CivilDay.day(
            year: year, month: Int64(date.tm_mon) + 1, day: Int64(date.tm_mday))
        #expect(back == day)
        #expect(CivilDay.weekday(ofDay: day) == Int64(date.tm_wday))
    }

    @Test func `each day of 400 years and more is in its year`() {
        for day in Int64(-800)..<(146_097 + 800) { Self.check(day) }
    }

    @Test func `the turns of years far away are where the C library has them`() {
        let years: [Int64] = [
            -2_000_000_000, -400_001, -10_000, -401, -400, -101, -100, -5, -4, -1, 0, 1, 3, 4, 99,
            100, 101, 399, 400, 1582, 1599, 1600, 1900, 1969, 1970, 2000, 2100, 9999, 10_000,
            99_999, 1_000_000, 2_000_000_000,
        ]
        for year in years {
            let first = CivilDay.day(year: year, month: 1, day: 1)
            #expect(CivilDay.year(ofDay: first) == year)
            for day in first - 2...first + 2 { Self.check(day) }
            for day in first + 57...first + 61 { Self.check(day) }
        }
    }

    @Test func `any day that the C library can tell is in its year`() {
        var dice = SplitMix64(seed: 11)
        for _ in 0..<20_000 {
            Self.check(.random(in: -700_000_000_000...700_000_000_000, using: &dice))
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -86_401, -86_400, -1, 0, 86_399, 86_400, .max])
    func `a second belongs to the day that began last`(second: Int64) {
        let day = CivilDay.day(of: second)
        let (start, isBelow) = day.multipliedReportingOverflow(by: 86_400)
        // The first day of all began before there were numbers for it.
        if isBelow { return #expect(second < .min + 86_400 && day < 0) }
        #expect(start <= second && second - start < 86_400)
    }

    @Test(arguments: [Int64.min, -1, 0, 1_700_000_000, .max])
    func `the years of the first cycle stand for all others`(second: Int64) {
        let moment = CivilDay.inFirstCycle(second)
        // 400 years are 303 of 365 days and 97 of 366.
        let cycle: Int64 = (303 * 365 + 97 * 366) * 86_400
        #expect((0..<cycle).contains(moment))
        #expect((second % cycle - moment) % cycle == 0)
    }
}
