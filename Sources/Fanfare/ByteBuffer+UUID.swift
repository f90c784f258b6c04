import FanfareBase

extension ByteBuffer {
    /// Appends bits as a UUID, in lowercase: 36 characters.
    ///
    /// RFC 9562 §4
    mutating func appendUUID(_ bits: UInt128) {
        var shift: UInt128 = 128
        for (place, digits) in [8, 4, 4, 4, 12].enumerated() {
            if place > 0 { append("-") }
            shift -= UInt128(digits * 4)
            appendHexadecimal(UInt64(truncatingIfNeeded: bits >> shift), digits: digits)
        }
    }
}
