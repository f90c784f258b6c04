import FanfareCore

#if canImport(Glibc)
    import Glibc
#endif

extension UnsafeBufferPointer<UInt8> {
    /// Returns true if these are the bytes of a text known at build time.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        unsafe count == text.utf8CodeUnitCount && starts(with: text)
    }

    @inline(__always)
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return count == 0 }
        return unsafe memcmp(left, right, count) == 0
    }

    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        guard let start = baseAddress else { return text.utf8CodeUnitCount == 0 }
        return unsafe memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return false }
        return unsafe dropping(first: count - length).equals(text)
    }

    /// The bytes behind the first `length`.
    func dropping(first length: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: self[length...])
    }

    /// The bytes before the last `length`.
    func dropping(last length: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: self[..<(count - length)])
    }
}

extension UInt8 {
    @inline(__always)
    var isHexDigit: Bool {
        let lower = self | 0x20
        return (self &- 0x30) < 10 || (lower &- 0x61) < 6
    }

    /// A letter, digit, `-` or `_`.
    var isBase64URL: Bool {
        let lower = self | 0x20
        return (self &- 0x30) < 10 || (lower &- 0x61) < 26 || self == 0x2D || self == 0x5F
    }
}
