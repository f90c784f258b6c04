import FanfareCore
import FanfareSystem

/// The places of things in a checkpoint's file.
enum CheckpointLayout {
    static let slotOffsets = [4096, 8192]
    static let fingerprintOffset = 12_288

    /// Returns the place of the marks in a new checkpoint: behind room for two fingerprints.
    ///
    /// The second fingerprint has other sizes and times, which are numbers of up to 20 digits.
    /// These never make it twice as long, and unused room takes none of the disk.
    static func marksOffset(fingerprintBytes: Int) -> Int {
        marksOffset(closeBehindBytes: 4 * fingerprintBytes)
    }

    /// Returns the place of the marks behind so many bytes from the first fingerprint's beginning
    /// on.
    static func marksOffset(closeBehindBytes count: Int) -> Int {
        let end = fingerprintOffset + count
        return (end + FileMapping.pageBytes - 1) / FileMapping.pageBytes * FileMapping.pageBytes
    }

    /// Returns the longest length of a fingerprint that leaves room for another one.
    static func fingerprintRoom(marksOffset: Int) -> Int {
        (marksOffset - fingerprintOffset) / 2
    }

    /// Returns the place of one of the two fingerprints.
    static func fingerprintOffset(isSecond: Bool, marksOffset: Int) -> Int {
        fingerprintOffset + (isSecond ? fingerprintRoom(marksOffset: marksOffset) : 0)
    }

    /// Returns the place of one of the two preludes: the first one is behind the title.
    static func preludeOffset(isSecond: Bool) -> Int {
        isSecond ? 2048 : OpenedCheckpoint.title.count
    }
}
