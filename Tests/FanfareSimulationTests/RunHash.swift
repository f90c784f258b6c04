import FanfareSystem

/// A hash of all that happens in a run: two runs of one seed have the same.
struct RunHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// FNV-1a of numbers in place of bytes.
    mutating func mix(_ number: UInt64) {
        value = (value ^ number) &* 0x100_0000_01B3
    }

    /// Mixes in a checksum of the bytes: each by itself took a tenth of a run.
    mutating func mix(_ bytes: [UInt8]) {
        var sum = CRC32C()
        bytes.withUnsafeBytes { sum.add($0) }
        mix(UInt64(sum.value))
        mix(UInt64(bytes.count))
    }
}
