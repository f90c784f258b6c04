import FanfareBase

/// The blanks and brackets that tokens are taken out of.
package enum TokenCleaning: Sendable {
    /// Blanks around the tokens of any provider.
    case ends
    /// In addition the blanks in a token of APNs, and the angle brackets around it.
    case ofAPNs
}

/// Tokens as people have them: with blanks around them, or `<3af8e11e 7bf20190 …>`, as iOS described
/// those of APNs for years.
extension RowBatch {
    /// Replaces tokens that are so written by the tokens themselves; the rows as they were read stay.
    ///
    /// Any other token costs a look at its ends: a token that is written with more than itself has a blank
    /// there, or a bracket, or is longer than the usual token of APNs.
    package func cleanTokens(_ cleaning: TokenCleaning) {
        let slot = RowSchema.Known.token.slot
        for index in 0..<rowCount {
            let field = field(row: index, slot: slot)
            guard field.length > 1, unsafe rows[index].fault == .none,
                mayHaveMore(field, cleaning), field.kind == .text
            else { continue }
            let token = unsafe value(field)
            let digits =
                unsafe cleaning == .ofAPNs && field.length > WrittenToken.digitsMin
                ? WrittenToken.digits(in: token) : 0
            if digits > 0 {
                if let cleaned = squeeze(field, digits: digits) {
                    replace(row: index, field, by: cleaned)
                }
                continue
            }
            let range = unsafe WrittenToken.range(in: token)
            guard range.count < field.length, !range.isEmpty else { continue }
            let cleaned = Field(
                .text, start: field.offset + range.lowerBound, length: range.count)
            replace(row: index, field, by: cleaned)
        }
    }

    /// True if a token may be written with more than itself: by its length and its first and last byte.
    @inline(__always)
    private func mayHaveMore(_ field: Field, _ cleaning: TokenCleaning) -> Bool {
        if cleaning == .ofAPNs, field.length > WrittenToken.digitsMin { return true }
        let first = unsafe bytes[field.offset]
        let last = unsafe bytes[field.offset + field.length - 1]
        return !WrittenToken.isVisible(first) || !WrittenToken.isVisible(last)
    }

    /// Puts a token in the place of the one that was read.
    private func replace(row: Int, _ field: Field, by cleaned: Field) {
        cleanedCount += 1
        // Other slots may have the same column, and the same place.
        for slot in 0..<slotCount {
            let other = self.field(row: row, slot: slot)
            guard other.offset == field.offset, other.length == field.length, !other.isMissing
            else { continue }
            unsafe fields[row * slotCount + slot] = cleaned
        }
    }

    /// Writes a token's digits behind the other values that are no part of the input, or in their own
    /// place there.
    ///
    /// Like a value without escapes they are fewer bytes than in the input, so there is
    /// room.
    /// - Returns: The digits; `nil` if there is no room, against all reason.
    private func squeeze(_ field: Field, digits: Int) -> Field? {
        let isCopied = field.offset >= inputCapacity
        guard isCopied || scratchEnd + digits <= 2 * inputCapacity else { return nil }
        let start = isCopied ? field.offset : scratchEnd
        if !isCopied { scratchEnd += digits }
        var end = start
        for offset in field.offset..<field.offset + field.length {
            let byte = unsafe bytes[offset]
            guard HeaderRules.isHexadecimalDigit(byte) else { continue }
            // A digit is never written behind the place that it is read from.
            unsafe bytes[end] = byte
            end += 1
        }
        return Field(.text, start: start, length: digits)
    }
}

/// The ways of writing a token with more than itself.
package enum WrittenToken {
    /// The digits of the shortest token that Apple gives; fewer may be a number or a word.
    static let digitsMin = 64

    /// True for the characters of ASCII that are no blank.
    static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Returns the part of a text without blanks at both ends.
    package static func range(in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var range = 0..<text.count
        while let first = range.first, unsafe isBlank(text, first) { range.removeFirst() }
        while let last = range.last, unsafe isBlank(text, last) { range.removeLast() }
        return range
    }

    /// Returns the number of digits in a token of APNs that has blanks in or around it, or angle brackets
    /// around it; 0 for any other text.
    package static func digits(in text: UnsafeBufferPointer<UInt8>) -> Int {
        var digits = 0
        var (isOpen, isClosed) = (false, false)
        for index in 0..<text.count {
            let byte = unsafe text[index]
            if HeaderRules.isHexadecimalDigit(byte) {
                if isClosed { return 0 }
                digits += 1
            } else if byte == UInt8(ascii: "<") {
                if isOpen || digits > 0 { return 0 }
                isOpen = true
            } else if byte == UInt8(ascii: ">") {
                if !isOpen || isClosed { return 0 }
                isClosed = true
            } else if unsafe !isBlank(text, index) {
                return 0
            }
        }
        let isToken = digits >= digitsMin && digits & 1 == 0 && isOpen == isClosed
        return isToken && digits < text.count ? digits : 0
    }

    /// True for the blanks of ASCII, and for both bytes of U+00A0, which pages have between groups of
    /// digits.
    private static func isBlank(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        switch unsafe text[index] {
        case 0xC2: unsafe index + 1 < text.count && text[index + 1] == 0xA0
        case 0xA0: unsafe index > 0 && text[index - 1] == 0xC2
        case let byte: ProviderWords.isBlank(byte)
        }
    }
}
