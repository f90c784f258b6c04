/// Days of the Gregorian calendar, counted from 1 January 1970.
///
/// Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil` and `civil_from_days`:
/// <https://howardhinnant.github.io/date_algorithms.html>
package enum CivilDay {
    /// Dates and weekdays come again after 400 years.
    private static let daysOfCycle: Int64 = 146_097
    /// The days from 1 March of the year 0 to 1 January 1970.
    private static let daysBefore: Int64 = 719_468

    /// Returns the day of a moment of UNIX time, in seconds.
    package static func day(of seconds: Int64) -> Int64 {
        let day = seconds / 86_400
        return seconds % 86_400 < 0 ? day - 1 : day
    }

    /// Returns the moment of the years 1970 to 2369 with the same time, date and weekday but for
    /// the year: so far from an integer's ends that sums with it stay numbers.
    package static func inFirstCycle(_ seconds: Int64) -> Int64 {
        let rest = seconds % (daysOfCycle * 86_400)
        return rest < 0 ? rest + daysOfCycle * 86_400 : rest
    }

    /// True if a year has a 29 February.
    package static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the weekday of a day: 0 is Sunday; 1 January 1970 was a Thursday.
    package static func weekday(ofDay day: Int64) -> Int64 { ((day + 4) % 7 + 7) % 7 }

    /// Returns the day of a date from outside; `nil` for a date that does not exist.
    package static func checkedDay(year: Int64, month: Int64, day: Int64) -> Int64? {
        let length: Int64 =
            switch month {
            case 2: isLeap(year) ? 29 : 28
            case 4, 6, 9, 11: 30
            case 1...12: 31
            default: 0
            }
        guard length > 0, (1...length).contains(day) else { return nil }
        return self.day(year: year, month: month, day: day)
    }

    /// Returns the day of a date that exists.
    package static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years that begin in March have their leap day at the end; there are 146,097 days in 400.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        // 153 days are five months from March on: 31, 30, 31, 30, 31.
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysOfCycle + dayOfEra - daysBefore
    }

    /// Returns the date of a day.
    package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // As above, years begin in March; of the days in an era, those that leap days have added are
        // taken away first: one in 1,461 days, none in the last of 36,524, one in the last of 146,097.
        let shifted = day + daysBefore
        let era = (shifted >= 0 ? shifted : shifted - (daysOfCycle - 1)) / daysOfCycle
        let dayOfEra = shifted - era * daysOfCycle
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // March is the month 0, so January and February are the next year's.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        return (
            era * 400 + yearOfEra + (monthFromMarch >= 10 ? 1 : 0), (monthFromMarch + 2) % 12 + 1,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}
