internal import CSystem

/// A checksum of bytes, however they are divided: CRC-32C, as iSCSI and ext4 have it.
///
/// It helps against mistakes, not against malice. Where the processor has an instruction for it, eight bytes cost
/// little more than one; elsewhere a table does it byte by byte.
///
/// RFC 3720 §12.1, and appendix B.4 for examples
package struct CRC32C: Sendable {
    private static let isInProcessor = system_has_crc32c() != 0

    private var state = UInt32.max

    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 { ~state }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        if Self.isInProcessor {
            state = unsafe system_crc32c(state, start, bytes.count)
        } else {
            unsafe addByTable(bytes)
        }
    }

    /// The same byte by byte.
    mutating func addByTable(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        for place in 0..<bytes.count {
            let byte = unsafe bytes[place]
            state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8
        }
        self.state = state
    }

    /// The remainders of all bytes; the polynomial is 0x1EDC6F41, its lowest bit first.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78
        }
    }
}
