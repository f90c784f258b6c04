import FanfareCore
import FanfareSystem
import Synchronization

/// The cuts that this process has summed itself, and the files that it has read for that.
///
/// The cutter's thread fills it, and the reader's asks. It has room for as many as are cut ahead, some 100 KiB.
final class SummedCuts: Sendable {
    private struct Entry {
        let cut: ClusterCut
        let version: FileDescriptor.Version
    }

    private static let count: UInt64 = 1_024

    private let entries = Mutex<[UInt64: Entry]>([:])

    /// The place of a cut, which it shares with those that come so many later.
    private static func place(of cut: ClusterCut) -> UInt64 {
        cut.firstRow / max(1, cut.endRow - cut.firstRow) % count
    }

    func note(_ cut: ClusterCut, _ version: FileDescriptor.Version) {
        entries.withLock { $0[Self.place(of: cut)] = Entry(cut: cut, version: version) }
    }

    /// True if a cut has these bytes in this version of its file.
    func has(_ cut: ClusterCut, _ version: FileDescriptor.Version) -> Bool {
        let entry = entries.withLock { $0[Self.place(of: cut)] }
        guard let entry, entry.version == version else { return false }
        return entry.cut.place == cut.place && entry.cut.byteCount == cut.byteCount
            && entry.cut.sum == cut.sum
    }
}
