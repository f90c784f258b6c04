/// A check whether bytes are UTF-8, without making a `String` of them.
package enum UTF8Check {
    /// Returns the offset of the first byte that does not begin a well-formed character.
    ///
    /// ASCII goes by eight bytes at a time.
    /// - Returns: `nil` if all bytes are UTF-8.
    ///
    /// Unicode 16.0, table 3-7
    package static func firstFault(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        let count = bytes.count
        var offset = 0
        while offset < count {
            if count - offset >= 8 {
                let word = unsafe UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    offset += 8
                    continue
                }
            }
            let length = unsafe characterLength(start + offset, count - offset)
            if length == 0 { return offset }
            offset += length
        }
        return nil
    }

    /// Returns the length of the well-formed character at the front; 0 if there is none.
    @inline(__always)
    static func characterLength(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        let lead = unsafe bytes[0]
        if lead < 0x80 { return 1 }
        // The second byte has narrower bounds where the lead allows overlong forms, surrogates or
        // numbers beyond U+10FFFF.
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard count >= length, unsafe second.contains(bytes[1]) else { return 0 }
        for index in 2..<max(length, 2) where unsafe bytes[index] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
