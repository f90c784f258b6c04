import FanfareCore
import FanfareLoop
import Synchronization

/// The file that lets an unfinished job be carried on; beside its report, with `.checkpoint` behind
/// the name.
///
/// ```
///  0       4,096      8,192      12,288         next multiple of 64 KiB
///  │ prelude │ record A │ record B │ fingerprint │ marks: a bit for each row …
/// ```
///
/// The reader's thread makes room for rows before it hands them out, the writer's thread says what is
/// in the report, the lanes set marks. Whoever has it open has its lock; it goes with the process.
final class CheckpointFile: Sendable {
    /// What is behind a report's name.
    static let suffix = ".checkpoint"

    private struct State {
        var log: CheckpointLog
        /// Bytes of marks that the file has room for.
        var markBytes: Int
    }

    let path: String
    let marks: StartMarks
    private let file: FileDescriptor
    private let mapping: FileMapping
    private let marksOffset: Int
    /// Whether records are forced to the disk: `--durability full`.
    let isDurable: Bool
    private let state: Mutex<State>

    /// Takes over an opened file.
    /// - Parameters:
    ///   - opened: The file, locked.
    ///   - record: Where the job goes on.
    ///   - isDurable: Whether records are forced to the disk.
    /// - Throws: `FileError` when the marks cannot be had.
    init(
        _ opened: consuming OpenedCheckpoint, record: CheckpointRecord, isDurable: Bool
    ) throws(FileError) {
        path = opened.path
        self.isDurable = isDurable
        marksOffset = Layout.marksOffset(fingerprintBytes: opened.fingerprint.count)
        let size = try opened.file.size
        mapping = try FileMapping(
            opened.file, from: marksOffset,
            byteCount: StartMarks.bytes(throughRow: Limits.checkpointRowsMax))
        marks = unsafe StartMarks(memory: mapping.memory)
        file = opened.takeFile()
        let log = CheckpointLog(behind: record, boot: Machine.boot, isDurable: isDurable)
        state = Mutex(State(log: log, markBytes: max(0, size - marksOffset)))
    }

    deinit { file.unlock() }

    /// Another job may carry this one on, though its object is still there.
    func letGo() { file.unlock() }

    /// Makes what is known the checkpoint's first word on this run; nothing was sent before it.
    func begin(at lengths: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.begin(at: lengths, on: file)
        }
    }

    /// The last row that the marks have room for.
    var lastMarkedRow: UInt64? {
        let bytes = state.withLock { $0.markBytes } / 8 * 8
        return bytes == 0 ? nil : UInt64(bytes) * 8 - 1
    }

    // MARK: Reader

    /// Rows up to this one are about to be handed out.
    /// - Throws: When the disk has no room for their marks.
    func prepare(through row: UInt64) throws(FileError) {
        guard row <= Limits.checkpointRowsMax else {
            throw FileError(tooManyRows: Limits.checkpointRowsMax, path)
        }
        try state.withLock { state throws(FileError) in
            try makeRoom(StartMarks.bytes(throughRow: row), &state)
            try state.log.reserve(through: row, on: file)
        }
    }

    private func makeRoom(_ bytes: Int, _ state: inout State) throws(FileError) {
        guard bytes > state.markBytes else { return }
        let steps = (bytes - state.markBytes - 1) / Limits.checkpointStepBytes + 1
        let end = state.markBytes + steps * Limits.checkpointStepBytes
        try file.reserve(marksOffset + state.markBytes..<marksOffset + end)
        state.markBytes = end
        // Long behind: most rows there are finished, and the others' pages come back by themselves.
        let old = end - 2 * Limits.checkpointStepBytes
        if old > 0 { mapping.forget(0..<old / FileMapping.pageBytes * FileMapping.pageBytes) }
    }

    // MARK: Writer

    /// The output files, whole up to now, are about to grow.
    func grow(from now: OutputLengths, to next: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.grow(from: now, to: next, on: file)
        }
    }

    /// The job is at rest: the files have these lengths and are on the disk.
    func rest(at lengths: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.rest(at: lengths, on: file)
        }
    }

    /// The job is at rest, and its report is about to be replaced by one of this length.
    func replaceReport(byBytes length: Int) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.replaceReport(byBytes: length, on: file)
        }
    }

    /// The job is finished: nothing is left to be carried on.
    func remove() throws(FileError) {
        try FileDescriptor.remove(path)
    }

    /// Forgets all marks, and marks rows that nobody knows about any more.
    func replaceMarks(through row: UInt64, unless isKnown: (UInt64) -> Bool) throws(FileError) {
        try forgetMarks()
        guard row > 0 else { return }
        try prepare(through: row)
        for doubtful in 1...row where !isKnown(doubtful) { marks.set(doubtful) }
    }

    private func forgetMarks() throws(FileError) {
        try file.truncate(toBytes: marksOffset)
        state.withLock { $0.markBytes = 0 }
    }
}

extension CheckpointFile {
    /// Where things are in the file.
    enum Layout {
        static let slotOffsets = [4096, 8192]
        static let fingerprintOffset = 12_288

        static func marksOffset(fingerprintBytes: Int) -> Int {
            let end = fingerprintOffset + fingerprintBytes
            return (end + FileMapping.pageBytes - 1) / FileMapping.pageBytes * FileMapping.pageBytes
        }
    }
}
