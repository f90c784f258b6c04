/// Answers "may these bytes be copied as they are?" eight bytes at a time.
///
/// Nearly every value of a report may; the others take the slow way in `ByteBuffer+Text.swift`. The
/// answer is "no" for bytes beyond ASCII too, because those have to be checked for being UTF-8; so a
/// sum of 7-bit bytes never carries into the next one unless the answer is "no" anyway.
package enum TextScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// True if a CSV field needs neither quotes nor repair.
    static func isPlainCSV(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe all(bytes) { word in
            differs(word, 0x22) & differs(word, 0x2C) & differs(word, 0x0D) & differs(word, 0x0A)
        }
    }

    /// True if a JSON string needs neither escapes nor repair.
    static func isPlainJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // The sum has bit 7 where the byte is 0x20 or more.
        unsafe all(bytes) { word in
            (word &+ 0x60 &* ones) & differs(word, 0x22) & differs(word, 0x5C)
        }
    }

    /// True if all bytes are visible ASCII that no JSON string escapes.
    package static func isVisible(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // The sum has bit 7 where the byte is 0x21 or more.
        unsafe all(bytes) { word in
            (word &+ 0x5F &* ones) & differs(word, 0x22) & differs(word, 0x5C)
                & differs(word, 0x7F)
        }
    }

    /// True if a token can stand as it is in a field of CSV, in a string of JSON and in a list with commas: one
    /// or more bytes of visible ASCII, without quotes, backslashes and commas.
    package static func isPlainToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        return unsafe all(bytes) { word in
            (word &+ 0x5F &* ones) & differs(word, 0x22) & differs(word, 0x5C)
                & differs(word, 0x2C) & differs(word, 0x7F)
        }
    }

    /// True if all bytes are ASCII and follow a rule.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - rule: Sets bit 7 of each byte of a word that follows it, if that byte has 7 bits.
    /// - Returns: True if they do, or if there are no bytes.
    @inline(__always)
    private static func all(
        _ bytes: UnsafeBufferPointer<UInt8>, _ rule: (UInt64) -> UInt64
    ) -> Bool {
        guard bytes.count >= 8, let base = bytes.baseAddress else {
            // Full stops fill the word: they follow each rule.
            var word = UInt64(UInt8(ascii: ".")) &* ones
            for index in bytes.indices { unsafe word = word << 8 | UInt64(bytes[index]) }
            return rule(word) & ~word & highBits == highBits
        }
        let start = unsafe UnsafeRawPointer(base)
        // The last word overlaps the one before, and ends where the bytes end.
        let last = bytes.count &- 8
        var plain = highBits
        var offset = 0
        while offset < bytes.count {
            let word = unsafe (start + min(offset, last)).loadUnaligned(as: UInt64.self)
            plain &= rule(word) & ~word
            offset &+= 8
        }
        return plain == highBits
    }

    /// Sets bit 7 of each 7-bit byte that is not `byte`.
    private static func differs(_ word: UInt64, _ byte: UInt64) -> UInt64 {
        (word ^ byte &* ones) &+ 0x7F &* ones
    }
}
