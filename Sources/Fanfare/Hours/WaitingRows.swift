import FanfareBase
import FanfareCore
import FanfareSystem

/// A file of rows that wait for their windows, or for room, in chains of blocks, one for each
/// moment.
///
/// Rows of one moment come back in the order in which they came. The memory has the last block of
/// each chain and the place of its first one. Windows open at some forty moments of a day, one for
/// each offset from UTC. The file has no name: nothing is left of it, even if the process is
/// killed. A later run reads its rows from the inputs again.
///
/// Use it from one thread at a time.
final class WaitingRows {
    private final class Chain {
        /// The place of the next block to read; 0 if none has been written.
        var first = 0
        var last = 0
        /// The bytes that have not been written.
        var tail = ByteBuffer(capacity: 4096)
    }

    private let folder: String
    private var file: FileDescriptor?
    private var fileEnd = WaitingRows.blockHeadBytes
    private var chains: [Int64: Chain] = [:]
    /// Rows of the chain whose moment has come, and where the next one is.
    private var due = ByteBuffer()
    private var duePlace = 0
    private var dueRest: Chain?

    /// The next block's place, and the bytes of this one.
    private static let blockHeadBytes = 16

    init(folder: String) {
        self.folder = folder
    }

    /// Checks that the file can be made, before anything is sent.
    /// - Parameters:
    ///   - folder: The folder that holds it.
    ///   - reason: The thing that rows wait for, as a message names it.
    /// - Throws: `FanfareError.Code.output` when the file cannot be made.
    static func prove(
        _ folder: String, waitingFor reason: StaticString = "their window"
    ) throws(FanfareError) {
        do throws(FileError) {
            _ = try FileDescriptor.nameless(in: folder)
        } catch {
            throw FanfareError(
                .output,
                message: "a file in \(folder), where rows wait for \(reason), cannot be made: "
                    + error.reason)
        }
    }

    /// Rows that wait.
    private(set) var count: UInt64 = 0

    /// The moment when the first of them may go on, in UNIX seconds.
    var nextMoment: Int64? { count == 0 ? nil : hasDue ? .min : chains.keys.min() }

    private var hasDue: Bool { duePlace < due.count || dueRest != nil }

    // MARK: In

    /// Puts a row aside until a moment.
    func add(
        _ batch: RowBatch, _ index: Int, verdict: RowBatch.Verdict, until moment: Int64
    ) throws(FileError) {
        let chain = chains[moment] ?? Chain()
        chains[moment] = chain
        batch.keepRow(index, verdict: verdict, in: &chain.tail)
        count += 1
        if chain.tail.count >= Limits.waitingBlockBytes { try write(chain) }
    }

    private func write(_ chain: Chain) throws(FileError) {
        if file == nil {
            file = try .nameless(in: folder)
        }
        var block = ByteBuffer(capacity: chain.tail.count + Self.blockHeadBytes)
        Self.append(0, to: &block)
        Self.append(chain.tail.count, to: &block)
        unsafe block.append(chain.tail.bytes)
        try unsafe write(UnsafeRawBufferPointer(block.bytes), at: fileEnd)
        if chain.last == 0 {
            chain.first = fileEnd
        } else {
            var link = fileEnd
            try unsafe withUnsafeBytes(of: &link) { bytes throws(FileError) in
                unsafe try write(bytes, at: chain.last)
            }
        }
        chain.last = fileEnd
        fileEnd += block.count
        chain.tail.removeAll()
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at place: Int) throws(FileError) {
        unsafe try file?.write(bytes, at: place)
    }

    private static func append(_ number: Int, to buffer: inout ByteBuffer) {
        unsafe withUnsafeBytes(of: number) { bytes in
            unsafe buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    // MARK: Out

    /// Fills an empty batch with rows whose moment has come, the earliest first.
    /// - Parameters:
    ///   - batch: The batch to fill.
    ///   - now: The time in UNIX seconds; `Int64.max` for all rows, regardless of their moments.
    /// - Returns: True if there were any.
    /// - Throws: `FileError` when the file cannot be read.
    func fill(_ batch: RowBatch, now: Int64) throws(FileError) -> Bool {
        batch.reset()
        while true {
            while duePlace < due.count {
                let rest = unsafe UnsafeRawBufferPointer(due.bytes)
                guard
                    let bytes = unsafe batch.addKeptRow(
                        UnsafeRawBufferPointer(rebasing: rest[duePlace...]))
                else { return true }
                duePlace += bytes
                count -= 1
            }
            // No block is read any more: the file need not be longer than the rows that wait at one
            // time.
            if count == 0 { fileEnd = Self.blockHeadBytes }
            guard try readOn(now: now) else { return batch.rowCount > 0 }
        }
    }

    /// Fetches the next block of a chain that is due.
    /// - Returns: False if there is none.
    private func readOn(now: Int64) throws(FileError) -> Bool {
        due.removeAll()
        duePlace = 0
        if dueRest == nil, let moment = chains.keys.min(), moment <= now {
            dueRest = chains.removeValue(forKey: moment)
        }
        guard let chain = dueRest else { return false }
        guard chain.first != 0 else {
            unsafe due.append(chain.tail.bytes)
            dueRest = nil
            return true
        }
        var head = (next: 0, bytes: 0)
        _ = unsafe try withUnsafeMutableBytes(of: &head) { bytes throws(FileError) in
            unsafe try file?.read(into: bytes, at: chain.first)
        }
        let space = unsafe UnsafeMutableRawBufferPointer(
            start: due.space(head.bytes), count: head.bytes)
        _ = unsafe try file?.read(into: space, at: chain.first + Self.blockHeadBytes)
        due.commit(head.bytes)
        chain.first = head.next
        return true
    }
}
