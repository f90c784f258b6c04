/// A number per time: `5000/s`, `90k/m`, `100/15s`, which is as fast as `400/m`.
package struct RateText: Equatable, Sendable {
    /// The number per `time`, at least 1.
    package let count: Int64
    /// The time in nanoseconds, at least 1.
    package let nanoseconds: Int64

    /// The reason why a text is no rate.
    package enum Fault: Error, Equatable {
        case noSlash
        /// The text before the slash is no number, or is empty.
        case count(String)
        /// The text behind the slash is no time, or is empty.
        case time(String, count: String)
    }

    package init(count: Int64, nanoseconds: Int64) {
        self.count = count
        self.nanoseconds = nanoseconds
    }

    /// Reads a number, a slash and a time; a bare unit is one of it.
    ///
    /// `1.5/s` is 3 in two seconds: no digit is lost.
    /// - Parameter text: The rate.
    /// - Throws: `Fault`.
    package init(_ text: String) throws(Fault) {
        guard let slash = text.firstIndex(of: "/") else { throw .noSlash }
        let first = String(text[..<slash])
        let second = String(text[text.index(after: slash)...])
        var rest = first[...].utf8
        guard let number = DecimalText(&rest),
            let scale = DecimalText.scale(String(Substring(rest))),
            number.digits > 0
        else { throw .count(first) }
        let time: Int64
        if let unit = DurationText.nanoseconds(unit: second) {
            time = unit
        } else {
            let duration = try? DurationText.read(second)
            guard let duration, duration > .zero else { throw .time(second, count: first) }
            time = duration.wholeNanoseconds
        }
        let count = number.digits * Int128(scale)
        let common = Self.commonDivisor(count, number.divisor)
        guard let count = Int64(exactly: count / common),
            let nanoseconds = Int64(exactly: Int128(time) * (number.divisor / common))
        else { throw .count(first) }
        self.init(count: count, nanoseconds: nanoseconds)
    }

    private static func commonDivisor(_ first: Int128, _ second: Int128) -> Int128 {
        var (first, second) = (first, second)
        while second > 0 { (first, second) = (second, first % second) }
        return first
    }
}
