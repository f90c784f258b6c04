#if canImport(Glibc)
    import Glibc
#endif

extension ByteBuffer {
    /// Appends text as the inside of a JSON string: quotes, backslashes and control characters escaped.
    ///
    /// Everything else stays as it is, so UTF-8 goes in and UTF-8 comes out.
    /// Source: RFC 8259 section 7
    @inlinable
    package mutating func append(jsonEscaped text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        var at = 0
        while true {
            let clean = unsafe jsonCleanCount(start + at, text.count - at)
            if clean > 0 {
                unsafe append(UnsafeBufferPointer(start: start + at, count: clean))
                at += clean
            }
            guard at < text.count else { return }
            unsafe append(jsonEscapeOf: start[at])
            at += 1
        }
    }

    /// Appends the escape of a byte that needs one.
    @usableFromInline
    @inline(never)
    mutating func append(jsonEscapeOf byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append("u00")
            append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            append(byte & 0x0F < 10 ? 0x30 + byte & 0x0F : 0x57 + byte & 0x0F)
        }
    }
}

/// Returns the number of bytes at the beginning that can stand in a JSON string as they are.
@inlinable
func jsonCleanCount(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let source = unsafe UnsafeRawPointer(start)
    var at = 0
    while at &+ 8 <= count {
        // Eight bytes lie before `count`. A byte's high bit gets set where the byte is below 0x20, a
        // quote or a backslash; borrows make only later bytes wrong, and the first one is looked for.
        let word = unsafe UInt64(
            littleEndian: source.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let found =
            ((word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (slashes &- ones)
                & ~slashes)
            & highs
        if found != 0 { return at &+ found.trailingZeroBitCount / 8 }
        at &+= 8
    }
    while at < count {
        let byte = unsafe start[at]
        if byte < 0x20 || byte == 0x22 || byte == 0x5C { return at }
        at &+= 1
    }
    return count
}
