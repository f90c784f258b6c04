import FanfareBase

extension ValueReader {
    /// A time with its date and its distance from UTC: `2026-12-01T09:00:00Z`.
    ///
    /// A fraction of a second is cut off, and the leap second counts as the second after it.
    /// - Returns: seconds since 1970 in UTC.
    ///
    /// RFC 3339 §5.6
    package static func rfc3339(_ text: String) throws(ValueFault) -> Int64 {
        let fault = ValueFault("is not an RFC 3339 time", example: "2026-12-01T09:00:00Z")
        var rest = text[...].utf8
        guard let year = takeNumber(&rest, digits: 4), take(&rest, "-"),
            let month = takeNumber(&rest, digits: 2), take(&rest, "-"),
            let day = takeNumber(&rest, digits: 2), take(&rest, "Tt "),
            let hour = takeNumber(&rest, digits: 2), take(&rest, ":"),
            let minute = takeNumber(&rest, digits: 2), take(&rest, ":"),
            let second = takeNumber(&rest, digits: 2)
        else { throw fault }
        if take(&rest, ".") {
            guard takeNumber(&rest, digits: 1) != nil else { throw fault }
            while takeNumber(&rest, digits: 1) != nil {}
        }
        guard !rest.isEmpty else {
            throw ValueFault("does not say its distance from UTC", example: "\(text)Z")
        }
        guard let offset = takeOffset(&rest), rest.isEmpty else { throw fault }
        guard let day = CivilDay.checkedDay(year: year, month: month, day: day), hour < 24,
            minute < 60, second <= 60
        else { throw ValueFault("is a moment that does not exist", example: fault.example) }
        return day * 86_400 + hour * 3_600 + minute * 60 + second - offset
    }

    /// Takes `Z` or `+01:00`, as seconds.
    private static func takeOffset(_ rest: inout Substring.UTF8View) -> Int64? {
        if take(&rest, "Zz") { return 0 }
        let isEast = rest.first == UInt8(ascii: "+")
        guard take(&rest, "+-"), let hour = takeNumber(&rest, digits: 2), take(&rest, ":"),
            let minute = takeNumber(&rest, digits: 2), hour < 24, minute < 60
        else { return nil }
        return (hour * 3_600 + minute * 60) * (isEast ? 1 : -1)
    }

    private static func takeNumber(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        var value: Int64 = 0
        var text = rest
        for _ in 0..<digits {
            guard let byte = text.popFirst(), (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        rest = text
        return value
    }

    private static func take(_ rest: inout Substring.UTF8View, _ bytes: String) -> Bool {
        guard let first = rest.first, bytes.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
