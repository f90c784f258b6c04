import FanfareCore
import FanfareSystem

/// The places of things in a checkpoint's file.
enum CheckpointLayout {
    static let slotOffsets = [4096, 8192]
    static let fingerprintOffset = 12_288

    /// Where the marks of a new checkpoint begin: behind room for two fingerprints.
    ///
    /// Another one has other sizes and times, which are numbers of up to 20 digits. That never makes it
    /// twice as long, and room that is not used takes none of the disk.
    static func marksOffset(fingerprintBytes: Int) -> Int {
        marksOffset(closeBehindBytes: 4 * fingerprintBytes)
    }

    /// Where the marks begin behind so many bytes from the first fingerprint's beginning on.
    static func marksOffset(closeBehindBytes count: Int) -> Int {
        let end = fingerprintOffset + count
        return (end + FileMapping.pageBytes - 1) / FileMapping.pageBytes * FileMapping.pageBytes
    }

    /// How long a fingerprint may be, so that there is room for another one.
    static func fingerprintRoom(marksOffset: Int) -> Int {
        (marksOffset - fingerprintOffset) / 2
    }

    /// Where one of the two fingerprints begins.
    static func fingerprintOffset(isSecond: Bool, marksOffset: Int) -> Int {
        fingerprintOffset + (isSecond ? fingerprintRoom(marksOffset: marksOffset) : 0)
    }

    /// Where one of the two preludes begins: the first one behind the title.
    static func preludeOffset(isSecond: Bool) -> Int {
        isSecond ? 2048 : OpenedCheckpoint.title.count
    }
}
