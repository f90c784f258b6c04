package import FanfareBase

/// A cleaner of other people's words: it takes out of them what belongs to a word that must not be shown.
///
/// Servers repeat what they were sent: a device token as the reason why it is refused, a header field with a
/// key. They change it on the way: percent-coded, with the escapes of JSON, in other letters, cut off. So texts
/// are compared as bytes behind these codes and without regard to case, and a piece of the word counts.
package struct WordMask: ~Copyable {
    /// The bytes of a text in small letters, and where each of them begins in it.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    package init() {}

    /// Finds the pieces of a word in a text, and replaces them.
    /// - Parameters:
    ///   - word: The word; one that is shorter than `shortest` is not looked for.
    ///   - text: The text.
    ///   - shortest: The bytes that a piece has at the least, unless it is the whole word.
    ///   - name: The text in the place of a piece.
    /// - Returns: The text without them; `nil` if there are none.
    /// - Complexity: O(*n* + *m*) for most texts, and *n* · *m* at the most; allocates nothing that is new each
    ///   time unless it finds something.
    package mutating func removing(
        _ word: UnsafeBufferPointer<UInt8>, from text: UnsafeBufferPointer<UInt8>,
        shortest: Int = Limits.maskedPieceBytes, as name: StaticString
    ) -> [UInt8]? {
        let shortest = min(shortest, Limits.maskedPieceBytes)
        guard word.count >= shortest, text.count >= shortest else { return nil }
        let least = min(word.count, Limits.maskedPieceBytes)
        let set = unsafe ByteSet(word)
        var places: [Range<Int>] = []
        // A word may have a percent sign of its own.
        for decodes in [true, false] {
            unsafe read(text, decodes: decodes)
            if hasRun(of: set, least) { unsafe places += self.places(of: word, least) }
        }
        guard !places.isEmpty else { return nil }
        places.sort { $0.lowerBound < $1.lowerBound }
        return unsafe replaced(places, in: text, by: name)
    }

    private func replaced(
        _ places: [Range<Int>], in text: UnsafeBufferPointer<UInt8>, by name: StaticString
    ) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for (index, place) in places.enumerated() {
            if index == 0 || place.lowerBound > end {
                unsafe result += text[end..<place.lowerBound]
                unsafe result += name.bytes
            }
            end = max(end, place.upperBound)
        }
        unsafe result += text[end...]
        return result
    }

    /// Returns the places of a word's pieces in the text that was read.
    private func places(of word: UnsafeBufferPointer<UInt8>, _ least: Int) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var index = 0
        while index + least <= bytes.count {
            var longest = 0
            for first in 0...(word.count - least)
            where unsafe word[first].inSmallLetters == bytes[index] {
                var count = 1
                while index + count < bytes.count, first + count < word.count,
                    unsafe word[first + count].inSmallLetters == bytes[index + count]
                {
                    count += 1
                }
                longest = max(longest, count)
            }
            if longest >= least {
                places.append(starts[index]..<starts[index + longest])
                index += longest
            } else {
                index += 1
            }
        }
        return places
    }

    /// True if so many bytes in a row are in a set.
    private func hasRun(of set: ByteSet, _ least: Int) -> Bool {
        var count = 0
        for byte in bytes {
            count = set.contains(byte) ? count + 1 : 0
            if count >= least { return true }
        }
        return false
    }

    // MARK: Codes

    private mutating func read(_ text: UnsafeBufferPointer<UInt8>, decodes: Bool) {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        var index = 0
        while index < text.count {
            starts.append(index)
            if decodes, let (byte, count) = unsafe Self.code(text, at: index) {
                bytes.append(byte.inSmallLetters)
                index += count
            } else {
                unsafe bytes.append(text[index].inSmallLetters)
                index += 1
            }
        }
        starts.append(text.count)
    }

    /// Returns the byte that a code stands for, and the code's length; `nil` if there is none.
    ///
    /// `%41`, `\u0041`, `\x41`, and `\/` as `/`. RFC 3986 §2.1, RFC 8259 §7
    private static func code(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> (UInt8, count: Int)? {
        switch unsafe text[index] {
        case UInt8(ascii: "%"):
            return unsafe number(text, index + 1, 2).map { ($0, 3) }
        case UInt8(ascii: "\\") where index + 1 < text.count:
            switch unsafe text[index + 1] {
            case UInt8(ascii: "u"): return unsafe number(text, index + 2, 4).map { ($0, 6) }
            case UInt8(ascii: "x"): return unsafe number(text, index + 2, 2).map { ($0, 4) }
            case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\""):
                return unsafe (text[index + 1], 2)
            default: return nil
            }
        default: return nil
        }
    }

    private static func number(
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ digits: Int
    ) -> UInt8? {
        guard start + digits <= text.count else { return nil }
        var value = 0
        for index in start..<(start + digits) {
            guard let digit = unsafe text[index].hexadecimalValue else { return nil }
            value = value << 4 | Int(digit)
        }
        return UInt8(exactly: value)
    }
}

/// The bytes of a word, in small letters.
private struct ByteSet {
    private var bits: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(_ word: UnsafeBufferPointer<UInt8>) {
        for index in word.indices {
            let byte = unsafe word[index].inSmallLetters
            let bit = UInt64(1) << UInt64(byte & 63)
            switch byte >> 6 {
            case 0: bits.0 |= bit
            case 1: bits.1 |= bit
            case 2: bits.2 |= bit
            default: bits.3 |= bit
            }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let bit = UInt64(1) << UInt64(byte & 63)
        return switch byte >> 6 {
        case 0: bits.0 & bit != 0
        case 1: bits.1 & bit != 0
        case 2: bits.2 & bit != 0
        default: bits.3 & bit != 0
        }
    }
}

extension Limits {
    /// The bytes of a piece of a token or a secret that is not shown.
    ///
    /// People see eight characters of a token at the most, and six random bytes are eight characters of Base64.
    package static let maskedPieceBytes = 8
}
