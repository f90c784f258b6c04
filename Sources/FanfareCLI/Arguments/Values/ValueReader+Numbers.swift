/// A decimal number as digits and a power of ten, so that `1.5s` is exact.
struct DecimalText {
    private(set) var digits: Int128 = 0
    private(set) var fractionDigits = 0

    /// Takes a number off the front of a text: digits, underscores between digits, and a fraction.
    ///
    /// - Parameter rest: What follows the number afterwards; untouched if there is none.
    init?(_ rest: inout Substring.UTF8View) {
        // Ten times this fits with room to multiply by the nanoseconds of a day (10¹⁴), and is more
        // than 64 bits hold: a number beyond it stays too large with any further digits.
        let digitsMax: Int128 = 10_000_000_000_000_000_000_000
        let fractionDigitsMax = 18
        var text = rest
        var digitCount = 0
        var hasPoint = false
        var previousIsDigit = false
        while let byte = text.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digitCount += 1
                fractionDigits += hasPoint ? 1 : 0
                let isExact = digits < digitsMax && fractionDigits <= fractionDigitsMax
                guard isExact || !hasPoint else { return nil }
                if isExact { digits = digits * 10 + Int128(byte - UInt8(ascii: "0")) }
                previousIsDigit = true
            case UInt8(ascii: "_") where previousIsDigit:
                guard let next = text.dropFirst().first, Self.isDigit(next) else { return nil }
                previousIsDigit = false
            case UInt8(ascii: ".") where previousIsDigit && !hasPoint:
                guard let next = text.dropFirst().first, Self.isDigit(next) else { return nil }
                hasPoint = true
                previousIsDigit = false
            default:
                guard digitCount > 0 else { return nil }
                rest = text
                return
            }
            text = text.dropFirst()
        }
        guard digitCount > 0 else { return nil }
        rest = text
    }

    /// Whether it was written without a fraction.
    var isWhole: Bool { fractionDigits == 0 }

    /// The number times a unit, or nil if that is not a whole number of 64 bits.
    func multiplied(by unit: Int64) -> Int64? {
        var divisor: Int128 = 1
        for _ in 0..<fractionDigits { divisor *= 10 }
        let (whole, remainder) = (digits * Int128(unit)).quotientAndRemainder(dividingBy: divisor)
        return remainder == 0 ? Int64(exactly: whole) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension ValueReader {
    /// A whole number: `12`, `1_000`, `90k`, `1.5m` (k is a thousand, m a million).
    package static func count(
        _ text: String, in bounds: ClosedRange<Int>
    ) throws(ValueFault) -> Int {
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else {
            throw ValueFault("is not a whole number")
        }
        let scale: Int64
        switch String(Substring(rest)) {
        case "": scale = 1
        case "k", "K": scale = 1_000
        case "m", "M": scale = 1_000_000
        default:
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
