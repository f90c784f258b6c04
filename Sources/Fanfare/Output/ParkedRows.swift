import FanfareBase
import FanfareCore
import FanfareSystem

/// A file of rows that wait, in chains of blocks: one for each host that has no room, or for each moment.
///
/// The rows of a chain come back in the order in which they came. The memory has the last block of each
/// chain, and the one that is read. The file has no name: nothing is left of it, even if the process is
/// killed, and a later run reads its rows from the inputs again.
///
/// Use it from one thread at a time.
final class ParkedRows {
    /// The rows of one host or moment.
    final class Chain {
        /// The place of the next block to read, and of the last one; -1 if none has been written.
        fileprivate var first = -1
        fileprivate var last = -1
        /// The bytes that have not been written.
        fileprivate var tail = ByteBuffer(capacity: 512)
        /// The bytes that are read, and the place of the next row there.
        fileprivate var due = ByteBuffer(capacity: 16)
        fileprivate var duePlace = 0
        /// The rows in it.
        fileprivate(set) var count = 0
    }

    private let folder: String
    /// The bytes of a chain in memory before they go to the file.
    private let blockBytes: Int
    /// The room of a block in the file: a block and a usual row more.
    private let slotBytes: Int
    private var file: FileDescriptor?
    private var fileEnd = 0
    /// Places that blocks of the usual size may have again.
    private var free: [Int] = []
    /// The place of the next block, the bytes of this one, and the bytes that it takes in the file.
    private static let headBytes = 24

    init(folder: String, blockBytes: Int = Limits.parkedBlockBytes) {
        self.folder = folder
        self.blockBytes = blockBytes
        slotBytes = blockBytes + Limits.parkedMarginBytes
    }

    /// Puts a row behind the others of its chain.
    func add(
        _ batch: RowBatch, _ index: Int, verdict: RowBatch.Verdict, to chain: Chain
    ) throws(FileError) {
        batch.keepRow(index, verdict: verdict, in: &chain.tail)
        chain.count += 1
        if chain.tail.count >= blockBytes { try write(chain) }
    }

    /// Adds the first rows of a chain to a batch, as many as it has room for.
    /// - Throws: `FileError` when the file cannot be read.
    func fill(_ batch: RowBatch, from chain: Chain) throws(FileError) {
        while chain.count > 0 {
            while chain.duePlace < chain.due.count {
                let rest = unsafe UnsafeRawBufferPointer(chain.due.bytes)
                guard
                    let bytes = unsafe batch.addKeptRow(
                        UnsafeRawBufferPointer(rebasing: rest[chain.duePlace...]))
                else { return }
                chain.duePlace += bytes
                chain.count -= 1
            }
            try readOn(chain)
        }
    }

    /// Begins the file anew, when no chain has rows: it need not be longer than those that wait at one time.
    func clear() {
        fileEnd = 0
        free = []
    }

    private func write(_ chain: Chain) throws(FileError) {
        if file == nil { file = try .nameless(in: folder) }
        let bytes = Self.headBytes + chain.tail.count
        let isUsual = bytes <= slotBytes
        let room = isUsual ? slotBytes : bytes
        let place: Int
        if isUsual, let old = free.popLast() {
            place = old
        } else {
            place = fileEnd
            fileEnd += room
        }
        var block = ByteBuffer(capacity: bytes)
        for number in [-1, chain.tail.count, room] { Self.append(number, to: &block) }
        unsafe block.append(chain.tail.bytes)
        unsafe try file?.write(UnsafeRawBufferPointer(block.bytes), at: place)
        if chain.last < 0 {
            chain.first = place
        } else {
            var link = place
            let last = chain.last
            try unsafe withUnsafeBytes(of: &link) { bytes throws(FileError) in
                unsafe try file?.write(bytes, at: last)
            }
        }
        chain.last = place
        chain.tail.removeAll()
    }

    /// Fetches the next block of a chain: from the file, or the one that was not written yet.
    private func readOn(_ chain: Chain) throws(FileError) {
        chain.due.removeAll()
        chain.duePlace = 0
        guard chain.first >= 0 else {
            unsafe chain.due.append(chain.tail.bytes)
            chain.tail.removeAll()
            return
        }
        var head = (next: 0, bytes: 0, room: 0)
        let place = chain.first
        _ = unsafe try withUnsafeMutableBytes(of: &head) { bytes throws(FileError) in
            unsafe try file?.read(into: bytes, at: place)
        }
        let space = unsafe UnsafeMutableRawBufferPointer(
            start: chain.due.space(head.bytes), count: head.bytes)
        _ = unsafe try file?.read(into: space, at: place + Self.headBytes)
        chain.due.commit(head.bytes)
        if head.room == slotBytes { free.append(place) }
        chain.first = head.next
        if head.next < 0 { chain.last = -1 }
    }

    private static func append(_ number: Int, to buffer: inout ByteBuffer) {
        unsafe withUnsafeBytes(of: number) { bytes in
            unsafe buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }
}

extension Limits {
    /// The bytes of a host's rows in memory before they go to the file.
    ///
    /// A host with rows in the file has one such block to write and one to read: 512 hosts at work have 16 MiB, and the
    /// 1,024 of `hostsSittingOutMax` 32 MiB.
    static let parkedBlockBytes = 16 * 1024

    /// The room in the file for the row with which a block becomes full.
    static let parkedMarginBytes = 16 * 1024
}
