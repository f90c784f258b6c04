/// A decimal number as digits and a power of ten, so that `1.5s` is exact.
package struct DecimalText {
    /// The number without its point.
    package private(set) var digits: Int128 = 0
    /// The number of digits behind the point.
    package private(set) var fractionDigits = 0

    /// Takes a number off the front of a text: digits, underscores between digits, and a fraction.
    ///
    /// The point may be the first or the last character: `.5` and `5.` are numbers.
    /// - Parameter rest: The text; afterwards only the part behind the number. Untouched if there
    ///   is no number.
    package init?(_ rest: inout Substring.UTF8View) {
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
            case UInt8(ascii: ".") where !hasPoint:
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

    /// True if it was written without a fraction.
    package var isWhole: Bool { fractionDigits == 0 }

    /// The divisor of the digits: a power of ten.
    package var divisor: Int128 {
        var divisor: Int128 = 1
        for _ in 0..<fractionDigits { divisor *= 10 }
        return divisor
    }

    /// Returns the number times a unit, or nil if that is not a whole number of 64 bits.
    /// - Parameter unit: The size of one unit.
    /// - Returns: The product.
    package func multiplied(by unit: Int64) -> Int64? {
        let (whole, remainder) = (digits * Int128(unit)).quotientAndRemainder(dividingBy: divisor)
        return remainder == 0 ? Int64(exactly: whole) : nil
    }

    /// Returns the factor of a letter behind a number: a thousand for `k`, a million for `m`.
    /// - Parameter letter: The text behind the number; an empty text has the factor one.
    /// - Returns: The factor, or nil for any other letter.
    package static func scale(_ letter: String) -> Int64? {
        switch letter {
        case "": 1
        case "k", "K": 1_000
        case "m", "M": 1_000_000
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
