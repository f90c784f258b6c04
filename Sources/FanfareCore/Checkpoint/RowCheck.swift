/// A short number made of a row's bytes, by which the row is known again.
///
/// Two rows have the same one by chance with a probability of one in 65,535. It helps against
/// mistakes, not against malice.
package enum RowCheck {
    /// Returns the number of some bytes; never 0.
    package static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt16 {
        let hash = unsafe Mixing.hash(UnsafeRawBufferPointer(bytes), seed: 0)
        let folded = hash ^ hash >> 32
        return max(1, UInt16(truncatingIfNeeded: folded ^ folded >> 16))
    }
}

/// A fast hash of bytes, by multiplication to 128 bits as wyhash has it.
///
/// Files keep the hashes of bytes: the hash must not change within a version of these files.
package enum Mixing {
    private static let first: UInt64 = 0xA076_1D64_78BD_642F
    private static let second: UInt64 = 0xE703_7ED1_A0B4_28DB

    /// Returns the hash of some bytes, which follow those with the hash `seed`.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) &* first
        var offset = 0
        while offset + 16 <= bytes.count {
            hash = unsafe mix(
                word(bytes, offset) ^ first, word(bytes, offset + 8) ^ second ^ hash)
            offset += 16
        }
        var rest: (UInt64, UInt64) = (0, 0)
        if offset + 8 <= bytes.count {
            rest.0 = unsafe word(bytes, offset)
            offset += 8
        }
        while offset < bytes.count {
            rest.1 = unsafe rest.1 << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(rest.0 ^ first, rest.1 ^ second ^ hash)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return UInt64(littleEndian: word)
    }

    private static func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
