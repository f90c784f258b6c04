import FanfareBase
import FanfareCore

extension ValueReader {
    /// A whole number: `12`, `1_000`, `90k`, `1.5m` (k is a thousand, m a million).
    package static func count(
        _ text: String, in bounds: ClosedRange<Int>
    ) throws(ValueFault) -> Int {
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else {
            throw ValueFault("is not a whole number")
        }
        guard let scale = DecimalText.scale(String(Substring(rest))) else {
            throw ValueFault("is not a whole number, only k (thousand) and m (million) may follow")
        }
        guard let value = number.multiplied(by: scale) else {
            throw ValueFault(
                number.isWhole
                    ? "is too large, at most \(bounds.upperBound) is possible"
                    : "is not a whole number of 64 bits")
        }
        guard value >= bounds.lowerBound else {
            throw ValueFault("is too small, at least \(bounds.lowerBound) is needed")
        }
        guard value <= bounds.upperBound else {
            throw ValueFault("is too large, at most \(bounds.upperBound) is possible")
        }
        return Int(value)
    }

    /// The number on an app's icon, in digits, or a placeholder that stands for one.
    package static func badge(_ text: String) throws(ValueFault) -> String {
        guard text.hasPrefix("{{") else {
            return String(try count(text, in: 0...Int(Int32.max)))
        }
        guard AlertFlags.Number(text) != nil else {
            throw ValueFault("is no placeholder for a number", example: "{{unread|0}}")
        }
        return text
    }

    /// A number in the syntax of JSON, so that its text may stand in a payload as it is.
    ///
    /// RFC 8259 §6
    package static func number(_ text: String) throws(ValueFault) -> Double {
        var rest = text[...].utf8
        func takeDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.count
        }
        func take(_ bytes: String) -> Bool {
            guard let first = rest.first, bytes.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take("-")
        var isNumber = take("0") || takeDigits() > 0
        if isNumber && take(".") { isNumber = takeDigits() > 0 }
        if isNumber && take("eE") {
            _ = take("+-")
            isNumber = takeDigits() > 0
        }
        guard isNumber, rest.isEmpty, let value = Double(text), value.isFinite else {
            throw ValueFault("is not a number")
        }
        return value
    }

    /// A number of bytes; without a unit it counts bytes.
    package static func size(_ text: String) throws(ValueFault) -> Int {
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else { throw ValueFault("is not a size") }
        let unit = String(Substring(rest))
        let units: [(name: String, bytes: Int64)] = [
            ("", 1), ("b", 1), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000),
            ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30),
        ]
        guard let scale = units.first(where: { $0.name == unit.lowercased() })?.bytes else {
            throw ValueFault("has the unknown unit \(unit.quotedForMessage)", example: "4KiB")
        }
        guard let bytes = number.multiplied(by: scale) else {
            throw ValueFault("is not a whole number of bytes", example: "4KiB")
        }
        guard bytes > 0 else { throw ValueFault("is nothing", example: "4KiB") }
        return Int(bytes)
    }
}
