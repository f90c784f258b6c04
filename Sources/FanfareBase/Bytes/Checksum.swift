/// A checksum that shows whether bytes came through whole: FNV-1a of 64 bits.
///
/// It helps against tearing, not against malice.
package enum Checksum {
    /// Returns the checksum of some bytes.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
