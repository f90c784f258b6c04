/// The bytes that HTTP allows in the names and values of fields.
///
/// RFC 9113 §8.2.1 with RFC 9110 §5.1 and §5.5
enum FieldText {
    /// The properties of a byte, or of all bytes of a string together, as bits.
    enum Mark {
        /// No name in HTTP/2 has it: it is no character of a token, or is an upper-case letter.
        static let notInName: UInt8 = 1
        /// No value has it: it is a control character, and no tab.
        static let notInValue: UInt8 = 2
    }

    static func marks(of byte: UInt8) -> UInt8 {
        (isInName(byte) ? 0 : Mark.notInName) | (isInValue(byte) ? 0 : Mark.notInValue)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        // The other characters of a token: RFC 9110 §5.6.2
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isInValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    /// True if a byte is a blank: a value must not begin or end with one.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// True if bytes are a name, pseudo-header fields left out.
    static func isName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        for index in 0..<bytes.count where unsafe !isInName(bytes[index]) { return false }
        return true
    }

    /// True if bytes are a value.
    ///
    /// It looks at eight at a time, because each answer brings an id of its own.
    static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        guard unsafe !isBlank(bytes[0]), unsafe !isBlank(bytes[bytes.count &- 1]) else {
            return false
        }
        var place = 0
        while place &+ 8 <= bytes.count {
            let word = unsafe UnsafeRawPointer(start + place).loadUnaligned(as: UInt64.self)
            if mayHaveControl(word) {
                for index in place..<place &+ 8 where unsafe !isInValue(bytes[index]) {
                    return false
                }
            }
            place &+= 8
        }
        if place < bytes.count, bytes.count >= 8 {
            // The last eight, some of which were looked at.
            let rest = unsafe UnsafeRawPointer(start + bytes.count - 8)
            if unsafe !mayHaveControl(rest.loadUnaligned(as: UInt64.self)) { return true }
        }
        for index in place..<bytes.count where unsafe !isInValue(bytes[index]) { return false }
        return true
    }

    /// True if one of eight bytes is below 0x20, or 0x7F: a borrow reaches the upper bit of such a
    /// byte, and of the one above it at the most.
    private static func mayHaveControl(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let upper = ones &* 0x80
        let deletes = word ^ (ones &* 0x7F)
        let low = (word &- ones &* 0x20) & ~word
        return (low | (deletes &- ones) & ~deletes) & upper != 0
    }
}
