/// The bytes that HTTP/1.1 allows in the names and values of fields.
enum FieldText {
    /// True if bytes are a token, as names are. RFC 9110 §5.6.2
    static func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        for index in 0..<bytes.count where unsafe !isInToken(bytes[index]) { return false }
        return true
    }

    private static func isInToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"),
            UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// True if bytes have no control characters but tabs, so that they cannot end their line. RFC
    /// 9110 §5.5
    static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // All are looked at, so that the processor looks at many at a time.
        var bad: UInt8 = 0
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            let isControl: UInt8 = byte < 0x20 ? 1 : 0
            let isTab: UInt8 = byte == 0x09 ? 1 : 0
            let isDelete: UInt8 = byte == 0x7F ? 1 : 0
            bad |= isControl & ~isTab | isDelete
        }
        return bad == 0
    }

    /// True if bytes can be a part of a target: no blank ends it. RFC 9112 §3.2
    static func isInTarget(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<bytes.count where unsafe !(0x21...0x7E).contains(bytes[index]) {
            return false
        }
        return true
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns the bytes without the blanks before and behind them. RFC 9110 §5.6.3
    static func trimmed(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, bytes.count)
        while start < end, unsafe isBlank(bytes[start]) { start += 1 }
        while start < end, unsafe isBlank(bytes[end - 1]) { end -= 1 }
        return unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// True if bytes are a word, in letters of any case.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - word: Letters in lower case, and characters without case.
    /// - Returns: True if they are equal.
    static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        let word = unsafe UnsafeBufferPointer(
            start: word.utf8Start, count: word.utf8CodeUnitCount)
        return unsafe equals(bytes, word)
    }

    /// True if bytes are a word, in letters of any case.
    static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: [UInt8]) -> Bool {
        unsafe word.withUnsafeBufferPointer { unsafe equals(bytes, $0) }
    }

    private static func equals(
        _ bytes: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard bytes.count == word.count else { return false }
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            guard unsafe (isUpper ? byte | 0x20 : byte) == word[index] else { return false }
        }
        return true
    }
}
