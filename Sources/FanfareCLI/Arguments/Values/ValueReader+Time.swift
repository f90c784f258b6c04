extension ValueReader {
    /// A length of time with its unit.
    package static func duration(
        _ text: String, allowsZero: Bool = false
    ) throws(ValueFault) -> Duration {
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else { throw ValueFault("is not a duration") }
        let unit = String(Substring(rest))
        guard !unit.isEmpty else {
            let isUseful = allowsZero || number.digits > 0
            throw ValueFault("has no unit", example: isUseful ? "\(text)s" : nil)
        }
        guard let nanoseconds = unitNanoseconds(unit) else {
            throw ValueFault(
                "has the unknown unit \(unit.quotedForMessage), not ns, us, ms, s, m, h or d")
        }
        guard let value = number.multiplied(by: nanoseconds) else {
            throw ValueFault("is not a whole number of nanoseconds below 292 years")
        }
        guard allowsZero || value > 0 else { throw ValueFault("is no time at all") }
        return .nanoseconds(value)
    }

    static func unitNanoseconds(_ unit: String) -> Int64? {
        switch unit {
        case "ns": 1
        case "us": 1_000
        case "ms": 1_000_000
        case "s": 1_000_000_000
        case "m": 60_000_000_000
        case "h": 3_600_000_000_000
        case "d": 86_400_000_000_000
        default: nil
        }
    }

    /// Two durations with two points between them, the shorter one first.
    package static func durationRange(
        _ text: String, allowsZero: Bool = false
    ) throws(ValueFault) -> ClosedRange<Duration> {
        guard let (first, second) = split(text, at: "..") else {
            throw ValueFault("is not a range of durations", example: "20ms..80ms")
        }
        let low: Duration
        let high: Duration
        do throws(ValueFault) {
            low = try duration(first, allowsZero: allowsZero)
            high = try duration(second, allowsZero: allowsZero)
        } catch {
            throw ValueFault("is not a range of durations", example: "20ms..80ms")
        }
        guard low <= high else {
            throw ValueFault("has its ends the wrong way round", example: "\(second)..\(first)")
        }
        return low...high
    }

    /// The texts before and behind the first separator; nil without one.
    static func split(_ text: String, at separator: String) -> (String, String)? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix(separator) {
                let behind = text.index(index, offsetBy: separator.count)
                return (String(text[..<index]), String(text[behind...]))
            }
            index = text.index(after: index)
        }
        return nil
    }
}
