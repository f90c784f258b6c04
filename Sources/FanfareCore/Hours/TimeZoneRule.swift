import FanfareBase

/// The rule by which a zone goes on forever: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// POSIX.1-2017 section 8.3 (TZ), with hours of −167 to 167 in the times (RFC 9636 section 3.3.1).
struct TimeZoneRule: Equatable, Sendable {
    /// The day of a change in a year.
    private enum Day: Equatable {
        /// 1 to 365; 29 February is never counted.
        case julian(Int64)
        /// 0 to 365.
        case zeroBased(Int64)
        /// A weekday (0 is Sunday) of a week (5 is the last) of a month.
        case weekday(month: Int64, week: Int64, day: Int64)
    }

    private struct Change: Equatable {
        var day: Day
        /// Local time, in seconds since midnight.
        var time: Int64
    }

    private let standard: Int64
    private let daylight: Int64
    /// The beginning and the end of daylight saving time; `nil` where there is none.
    private let begins: Change?
    private let ends: Change?

    /// Seconds to add to UTC at a moment.
    func offset(at moment: Int64) -> Int64 {
        guard let begins, let ends else { return standard }
        let moment = CivilDay.inFirstCycle(moment)
        let year = CivilDay.date(ofDay: CivilDay.day(of: moment + standard)).year
        let start = self.moment(begins, year, offset: standard)
        let end = self.moment(ends, year, offset: daylight)
        // In the south it is summer at the turn of the year.
        let isSummer =
            start < end ? (start..<end).contains(moment) : !(end..<start).contains(moment)
        return isSummer ? daylight : standard
    }

    /// Returns the next change after a moment; `nil` if there is none within the range of a moment.
    func nextTransition(after moment: Int64) -> Int64? {
        guard let begins, let ends else { return nil }
        let inCycle = CivilDay.inFirstCycle(moment)
        let year = CivilDay.date(ofDay: CivilDay.day(of: inCycle)).year
        let next = (year - 1...year + 2).flatMap {
            [
                self.moment(begins, $0, offset: standard), self.moment(ends, $0, offset: daylight),
            ]
        }
        .filter { $0 > inCycle }.min()
        guard let next else { return nil }
        let (sum, isBeyond) = moment.addingReportingOverflow(next - inCycle)
        return isBeyond ? nil : sum
    }

    private func moment(_ change: Change, _ year: Int64, offset: Int64) -> Int64 {
        let first = CivilDay.day(year: year, month: 1, day: 1)
        let day: Int64
        switch change.day {
        case .julian(let number):
            let isBehindLeapDay = CivilDay.isLeap(year) && number >= 60
            day = first + number - 1 + (isBehindLeapDay ? 1 : 0)
        case .zeroBased(let number): day = first + number
        case .weekday(let month, let week, let weekday):
            day = Self.day(year, month: month, week: week, weekday: weekday)
        }
        return day * 86_400 + change.time - offset
    }

    private static func day(
        _ year: Int64, month: Int64, week: Int64, weekday: Int64
    ) -> Int64 {
        let first = CivilDay.day(year: year, month: month, day: 1)
        let next = CivilDay.day(
            year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        let offset = (weekday - CivilDay.weekday(ofDay: first) + 7) % 7
        var day = first + offset + 7 * (week - 1)
        while day >= next { day -= 7 }
        return day
    }
}

// MARK: - Text

extension TimeZoneRule {
    /// Reads a rule; `nil` if it is none.
    init?(_ text: ArraySlice<UInt8>) {
        var reader = Reader(rest: text)
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        guard !reader.rest.isEmpty else {
            (daylight, begins, ends) = (standard, nil, nil)
            return
        }
        guard reader.name() else { return nil }
        var summer = standard + 3600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            summer = -west
        }
        daylight = summer
        guard let start = reader.change(), let end = reader.change(), reader.rest.isEmpty else {
            return nil
        }
        begins = start
        ends = end
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Takes a name: three letters or more, or any text in angle brackets.
        mutating func name() -> Bool {
            if take("<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[(end + 1)...]
                return true
            }
            let letters = rest.prefix { (65...90).contains($0 & 0xDF) }
            rest = rest.dropFirst(letters.count)
            return letters.count >= 3
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix { (48...57).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            let number = digits.reduce(0 as Int64) { $0 * 10 + Int64($1 - 48) }
            return range.contains(number) ? number : nil
        }

        /// Takes `[+|-]hh[:mm[:ss]]` and returns it in seconds.
        mutating func time() -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number(0...167) else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] as [Int64] where take(":") {
                guard let part = number(0...59) else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }

        mutating func change() -> Change? {
            guard take(",") else { return nil }
            let day: Day
            if take("M") {
                guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                    let weekday = number(0...6)
                else { return nil }
                day = .weekday(month: month, week: week, day: weekday)
            } else if take("J") {
                guard let number = number(1...365) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(0...365) else { return nil }
                day = .zeroBased(number)
            }
            guard take("/") else { return Change(day: day, time: 7200) }
            return time().map { Change(day: day, time: $0) }
        }
    }
}
