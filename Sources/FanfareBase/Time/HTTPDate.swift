/// A reader of the dates of HTTP.
package enum HTTPDate {
    /// Reads a date in any of the three forms.
    ///
    /// The name of the day is not checked against the date; that would gain nothing.
    /// - Parameters:
    ///   - bytes: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the older forms
    ///     `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///   - now: The time, in UNIX seconds: a year of two digits is less than 50 years ahead.
    /// - Returns: UNIX seconds.
    ///
    /// RFC 9110 §5.6.7
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Int64) -> Int64? {
        var text = unsafe Text(bytes)
        guard let nameCount = text.takeDayName() else { return nil }
        if text.take(",") {
            guard text.take(" "), let day = text.takeNumber(2) else { return nil }
            let isOld = nameCount > 3
            guard text.take(isOld ? "-" : " "), let month = text.takeMonth(),
                text.take(isOld ? "-" : " "), let year = text.takeNumber(isOld ? 2 : 4),
                text.take(" "), let time = text.takeTime(), text.take(" GMT"), text.isAtEnd
            else { return nil }
            return moment(isOld ? fullYear(year, now: now) : year, month, day, time)
        }
        guard nameCount == 3, text.take(" "), let month = text.takeMonth(), text.take(" "),
            let day = text.take(" ") ? text.takeNumber(1) : text.takeNumber(2), text.take(" "),
            let time = text.takeTime(), text.take(" "), let year = text.takeNumber(4), text.isAtEnd
        else { return nil }
        return moment(year, month, day, time)
    }

    /// Returns the year with these last two digits that is at most 50 years ahead.
    private static func fullYear(_ lastDigits: Int64, now: Int64) -> Int64 {
        // Mean years do: the rule is about half a century.
        let currentYear = 1970 + now / 31_556_952
        var year = currentYear - currentYear % 100 + lastDigits
        if year > currentYear + 50 { year -= 100 }
        if year <= currentYear - 50 { year += 100 }
        return year
    }

    private static func moment(
        _ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64
    ) -> Int64? {
        guard year >= 1, let day = CivilDay.checkedDay(year: year, month: month, day: day) else {
            return nil
        }
        return day * 86_400 + time
    }
}

/// A text, and how far it has been read.
@safe
private struct Text {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
    }

    var isAtEnd: Bool { unsafe position == bytes.count }

    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard unsafe bytes.count - position >= count else { return false }
        for index in 0..<count where unsafe bytes[position + index] != text.utf8Start[index] {
            return false
        }
        position += count
        return true
    }

    mutating func takeNumber(_ digits: Int) -> Int64? {
        guard unsafe bytes.count - position >= digits,
            let value = unsafe bytes.decimal(position..<position + digits)
        else { return nil }
        position += digits
        return Int64(value)
    }

    /// Seconds since midnight; a leap second counts as the second after it.
    mutating func takeTime() -> Int64? {
        guard let hour = takeNumber(2), take(":"), let minute = takeNumber(2), take(":"),
            let second = takeNumber(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// - Returns: The number of its letters: three, or more for the long form.
    mutating func takeDayName() -> Int? {
        let long: [StaticString] = [
            "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
        ]
        for name in long where take(name) { return name.utf8CodeUnitCount }
        let short: [StaticString] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        for name in short where take(name) { return 3 }
        return nil
    }

    mutating func takeMonth() -> Int64? {
        let names: [StaticString] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        for (index, name) in names.enumerated() where take(name) { return Int64(index + 1) }
        return nil
    }
}
