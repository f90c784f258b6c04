import FanfareBase
import Glibc
import Testing

/// Days of the calendar, held against the C library's and against its own rules.
@Suite struct CivilDayTests {
    /// The C library's date of a day; it counts years with 32 bits.
    private static func date(ofDay day: Int64) -> tm {
        var seconds = time_t(day * 86_400)
        var date = tm()
        precondition(gmtime_r(&seconds, &date) != nil)
        return date
    }

    private static func check(_ day: Int64) {
        let date = date(ofDay: day)
        let wanted = (Int64(date.tm_year) + 1900, Int64(date.tm_mon) + 1, Int64(date.tm_mday))
        let found = CivilDay.date(ofDay: day)
        guard found == wanted else {
            Issue.record("day \(day) is \(wanted), not \(found)")
            return
        }
        #expect(CivilDay.day(year: found.year, month: found.month, day: found.day) == day)
        #expect(CivilDay.weekday(ofDay: day) == Int64(date.tm_wday))
    }

    /// Days from `date -u -d … +%s`, divided by 86,400.
    @Test(arguments: [
        ((0, 3, 1), Int64(-719_468)), ((1900, 2, 28), -25_509), ((1900, 3, 1), -25_508),
        ((1969, 12, 31), -1), ((1970, 1, 1), 0), ((1972, 2, 29), 789), ((2000, 2, 29), 11_016),
        ((2000, 3, 1), 11_017), ((2100, 2, 28), 47_540), ((2100, 3, 1), 47_541),
    ])
    func `a known date has its day, and the day its date`(
        _ date: (year: Int64, month: Int64, day: Int64), _ day: Int64
    ) {
        #expect(
            CivilDay.checkedDay(year: date.year, month: date.month, day: date.day) == day)
        #expect(CivilDay.date(ofDay: day) == date)
    }

    @Test(
        arguments: [
            (1900, 2, 29), (2100, 2, 29), (2023, 2, 29), (2000, 2, 30), (2024, 4, 31),
            (2024, 1, 32),
            (2024, 1, 0), (2024, 0, 1), (2024, 13, 1), (2024, -1, 1),
        ] as [(Int64, Int64, Int64)])
    func `a date that does not exist has no day`(_ date: (Int64, Int64, Int64)) {
        #expect(CivilDay.checkedDay(year: date.0, month: date.1, day: date.2) == nil)
    }

    @Test func `days count on through 800 years as the calendar does`() {
        var (year, month, day): (Int64, Int64, Int64) = (1600, 1, 1)
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        // 1600-01-01 is 135,140 days before 1970-01-01: 370 × 365 + 90 leap days.
        for number in Int64(-135_140)..<(-135_140 + 2 * 146_097) {
            let date = CivilDay.date(ofDay: number)
            guard date == (year, month, day) else {
                Issue.record("day \(number) is \(date), not \(year)-\(month)-\(day)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            day += 1
            if day > lengths[Int(month) - 1] + (month == 2 && isLeap ? 1 : 0) {
                (month, day) = (month + 1, 1)
            }
            if month == 13 { (year, month) = (year + 1, 1) }
        }
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
            #expect(CivilDay.date(ofDay: first).year == year)
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
