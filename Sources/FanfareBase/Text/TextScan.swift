/// Answers "may these bytes be copied as they are?" eight bytes at a time.
///
/// Nearly every value of a report may; the others take the slow way in `ByteBuffer+Text.swift`. The
/// answer is "no" for bytes beyond ASCII too, because those have to be checked for being UTF-8; so a
/// sum of 7-bit bytes never carries into the next one unless the answer is "no" anyway.
package enum TextScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether a CSV field needs neither quotes nor repair.
    static func isPlainCSV(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8, let base = bytes.baseAddress else {
            return unsafe bytes.allSatisfy {
                $0 != 0x22 && $0 != 0x2C && $0 != 0x0D && $0 != 0x0A && $0 < 0x80
            }
        }
        let start = unsafe UnsafeRawPointer(base)
        // The last word overlaps the one before, and ends where the bytes end.
        let last = bytes.count &- 8
        var plain = highBits
        var offset = 0
        while offset < bytes.count {
            let word = unsafe (start + min(offset, last)).loadUnaligned(as: UInt64.self)
            plain &=
                differs(word, 0x22) & differs(word, 0x2C) & differs(word, 0x0D)
                & differs(word, 0x0A) & ~word
            offset &+= 8
        }
        return plain == highBits
    }

    /// Whether a JSON string needs neither escapes nor repair.
    static func isPlainJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8, let base = bytes.baseAddress else {
            return unsafe bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 < 0x80 }
        }
        let start = unsafe UnsafeRawPointer(base)
        let last = bytes.count &- 8
        var plain = highBits
        var offset = 0
        while offset < bytes.count {
            let word = unsafe (start + min(offset, last)).loadUnaligned(as: UInt64.self)
            // The sum has bit 7 where the byte is 0x20 or more.
            plain &=
                (word &+ 0x60 &* ones) & differs(word, 0x22) & differs(word, 0x5C) & ~word
            offset &+= 8
        }
        return plain == highBits
    }

    /// Whether all bytes are visible ASCII that no JSON string escapes.
    package static func isVisible(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 8, let base = bytes.baseAddress else {
            return unsafe bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
        }
        let start = unsafe UnsafeRawPointer(base)
        let last = bytes.count &- 8
        var plain = highBits
        var offset = 0
        while offset < bytes.count {
            let word = unsafe (start + min(offset, last)).loadUnaligned(as: UInt64.self)
            // The sum has bit 7 where the byte is 0x21 or more.
            plain &=
                (word &+ 0x5F &* ones) & differs(word, 0x22) & differs(word, 0x5C)
                & differs(word, 0x7F) & ~word
            offset &+= 8
        }
        return plain == highBits
    }

    /// Bit 7 of each 7-bit byte says whether it is not `byte`.
    private static func differs(_ word: UInt64, _ byte: UInt64) -> UInt64 {
        (word ^ byte &* ones) &+ 0x7F &* ones
    }
}
