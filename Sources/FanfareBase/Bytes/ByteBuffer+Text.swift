extension ByteBuffer {
    /// Appends a CSV field, in quotes only if it needs them.
    ///
    /// Bytes that are not UTF-8 become U+FFFD, so that a report can always be read back.
    ///
    /// RFC 4180 §2
    package mutating func appendCSVField(_ bytes: UnsafeBufferPointer<UInt8>) {
        if unsafe TextScan.isPlainCSV(bytes) {
            unsafe append(bytes)
        } else {
            unsafe appendUnusualCSVField(bytes)
        }
    }

    /// Appends a CSV field, in quotes only if it needs them.
    package mutating func appendCSVField(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe appendCSVField($0) }
    }

    @inline(never)
    private mutating func appendUnusualCSVField(_ bytes: UnsafeBufferPointer<UInt8>) {
        let needsQuotes = unsafe bytes.contains {
            $0 == 0x22 || $0 == 0x2C || $0 == 0x0D || $0 == 0x0A
        }
        if needsQuotes { append(UInt8(ascii: "\"")) }
        var index = 0
        while index < bytes.count {
            let byte = unsafe bytes[index]
            if byte >= 0x80 {
                unsafe index += appendSequence(UnsafeBufferPointer(rebasing: bytes[index...]))
            } else {
                if byte == 0x22 { append(byte) }
                append(byte)
                index += 1
            }
        }
        if needsQuotes { append(UInt8(ascii: "\"")) }
    }

    /// Appends a JSON string with its quotes.
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    ///
    /// RFC 8259 §7
    package mutating func appendJSONString(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        if unsafe TextScan.isPlainJSON(bytes) {
            unsafe append(bytes)
        } else {
            unsafe appendEscaped(bytes)
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a JSON string with its quotes.
    package mutating func appendJSONString(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe appendJSONString($0) }
    }

    /// Appends a JSON string with its quotes.
    ///
    /// It is not for the path of a row.
    package mutating func appendJSONString(_ text: String) {
        var text = text
        text.withUTF8 { unsafe appendJSONString($0) }
    }

    @inline(never)
    private mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count {
            let byte = unsafe bytes[index]
            index += 1
            switch byte {
            case 0x22: append(#"\""#)
            case 0x5C: append(#"\\"#)
            case 0x08: append(#"\b"#)
            case 0x09: append(#"\t"#)
            case 0x0A: append(#"\n"#)
            case 0x0C: append(#"\f"#)
            case 0x0D: append(#"\r"#)
            case ..<0x20:
                append(#"\u00"#)
                appendHexadecimal(UInt64(byte), digits: 2)
            case 0x80...:
                index -= 1
                unsafe index += appendSequence(UnsafeBufferPointer(rebasing: bytes[index...]))
            default: append(byte)
            }
        }
    }

    /// Appends the UTF-8 sequence at the front of `bytes`, or U+FFFD for one byte that begins none.
    /// - Returns: The bytes that are dealt with.
    private mutating func appendSequence(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let length = unsafe bytes.baseAddress.map {
            unsafe UTF8Check.characterLength($0, bytes.count)
        }
        guard let length, length > 0 else {
            append("\u{FFFD}" as StaticString)
            return 1
        }
        unsafe append(UnsafeBufferPointer(rebasing: bytes[..<length]))
        return length
    }

    /// Appends the lowest digits of a number in base 16, with small letters.
    package mutating func appendHexadecimal(_ value: UInt64, digits: Int) {
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * place) & 15)
            append(digit < 10 ? 48 + digit : 87 + digit)
        }
    }
}
