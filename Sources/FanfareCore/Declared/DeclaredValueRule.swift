import FanfareBase

/// The rule for the values of a column, or for the value of a setting.
package struct DeclaredValueRule: Equatable, Sendable {
    /// The numbers of bytes in UTF-8 that a value may have; nil for any.
    package var bytes: ClosedRange<Int>?
    /// The numbers of characters (code points of Unicode) that a value may have; nil for any.
    package var characters: ClosedRange<Int>?
    /// The values that there are, as JSON writes numbers; empty for any.
    package var words: [String] = []
    /// The whole numbers that a value may be; nil for any value.
    package var number: ClosedRange<Int>?

    package init() {}

    /// Returns the reason why a value is refused, without the value, which may be a secret; nil for a good one.
    /// - Parameters:
    ///   - value: The value.
    ///   - isString: True for a string of JSON, which is no number, also if it holds digits.
    /// - Returns: The reason.
    package func problem(
        _ value: UnsafeBufferPointer<UInt8>, isString: Bool = false
    ) -> String? {
        if let number, unsafe isString || !Self.isNumber(value, in: number) {
            return "is no whole number from \(number.lowerBound) to \(number.upperBound)"
                + (isString ? ", but a text" : "")
        }
        if let bytes, !bytes.contains(value.count) {
            return Self.words(value.count, "byte", bytes)
        }
        if let characters {
            // The other bytes of a character of UTF-8 are 10xxxxxx.
            let count = unsafe value.count { $0 & 0xC0 != 0x80 }
            if !characters.contains(count) { return Self.words(count, "character", characters) }
        }
        guard !words.isEmpty, !words.contains(where: { unsafe value.elementsEqual($0.utf8) })
        else { return nil }
        return "is none of \(words.joined(separator: ", "))"
    }

    /// Returns the reason why a text is refused; nil for a good one.
    package func problem(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { unsafe problem($0) }
    }

    private static func isNumber(
        _ value: UnsafeBufferPointer<UInt8>, in bounds: ClosedRange<Int>
    ) -> Bool {
        // As JSON writes them: no sign but a minus, and no zero before other digits.
        let isNegative = unsafe value.first == UInt8(ascii: "-")
        let digits = unsafe isNegative ? value.extracting(1..<value.count) : value
        guard 1...18 ~= digits.count, unsafe digits.count == 1 || digits.first != 0x30 else {
            return false
        }
        var number = 0
        for index in digits.indices {
            let digit = unsafe digits[index]
            guard 0x30...0x39 ~= digit else { return false }
            number = number * 10 + Int(digit - 0x30)
        }
        return bounds.contains(isNegative ? -number : number)
    }

    private static func words(_ count: Int, _ unit: String, _ bounds: ClosedRange<Int>) -> String {
        let isMore = count > bounds.upperBound
        return "has \(count) \(unit)\(count == 1 ? "" : "s"); "
            + "\(isMore ? bounds.upperBound : bounds.lowerBound) are the \(isMore ? "most" : "least")"
    }
}
