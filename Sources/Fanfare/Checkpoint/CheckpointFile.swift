import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The file that lets an unfinished job be carried on; beside its report, with `.checkpoint` behind
/// the name.
///
/// ```
///  0         2,048     4,096      8,192      12,288        half way      a multiple of 64 KiB
///  │ prelude │ another │ record A │ record B │ fingerprint │ another one │ marks: two bits for each row …
/// ```
///
/// The preludes, the records and the fingerprints have checksums, the marks are kept twice, and the
/// record says how many there are: damage is found, and none of it is taken for a row that was not sent.
/// The record says, too, which fingerprint counts: the other one may be half written. A second one is made
/// when inputs have changed that no run has begun.
///
/// The reader's thread makes room for rows before it hands them out, the writer's thread says what is
/// in the report, the lanes set marks. The process that has it open has its lock, which goes with
/// the process.
final class CheckpointFile: Sendable {
    /// What is behind a report's name.
    static let suffix = ".checkpoint"

    private struct State {
        /// Its record tells how many bytes of marks there are.
        var log: CheckpointLog
    }

    let path: String
    let marks: StartMarks
    /// What each row that was read is known by, if that is kept.
    let checks: RowChecks?
    private let layout: MarkLayout
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
        marksOffset = opened.marksOffset
        layout = opened.layout
        mapping = try FileMapping(
            opened.file, from: marksOffset,
            byteCount: layout.bytes(throughRow: Limits.checkpointRowsMax))
        marks = unsafe StartMarks(memory: mapping.memory, layout: layout)
        checks = unsafe layout == .marksAndChecks ? RowChecks(memory: mapping.memory) : nil
        file = opened.takeFile()
        let log = CheckpointLog(behind: record, boot: Machine.boot, isDurable: isDurable)
        state = Mutex(State(log: log))
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
        layout.lastRow(in: state.withLock { $0.log.record.markBytes })
    }

    /// Whether the provider may have acted on a request for any row, as far as the marks say.
    ///
    /// For when no lane is at work any more.
    var hasMarkedRows: Bool {
        guard let last = lastMarkedRow else { return false }
        return !marks.areClear(through: last)
    }

    // MARK: Reader

    /// Rows up to this one are about to be handed out.
    /// - Throws: When the disk has no room for their marks.
    func prepare(through row: UInt64) throws(FileError) {
        guard row <= Limits.checkpointRowsMax else {
            throw FileError(tooManyRows: Limits.checkpointRowsMax, path)
        }
        try state.withLock { state throws(FileError) in
            if try makeRoom(layout.bytes(throughRow: row), &state) {
                try state.log.marksHaveGrown(on: file)
            }
            try state.log.reserve(through: row, on: file)
        }
    }

    /// - Returns: Whether there was too little.
    private func makeRoom(_ bytes: Int, _ state: inout State) throws(FileError) -> Bool {
        let before = state.log.record.markBytes
        guard bytes > before else { return false }
        let stepBytes = Limits.checkpointStepGroups * layout.groupBytes
        let step = Array(
            [[UInt8]](repeating: layout.newGroup, count: Limits.checkpointStepGroups).joined())
        var end = before
        while end < bytes {
            try file.reserve(marksOffset + end..<marksOffset + end + stepBytes)
            try file.write(step, at: marksOffset + end)
            end += stepBytes
        }
        state.log.markBytes = end
        // Long behind: most rows there are finished, and the others' pages come back by themselves.
        let old = end - 2 * stepBytes
        if old > 0 { mapping.forget(0..<old / FileMapping.pageBytes * FileMapping.pageBytes) }
        return true
    }

    // MARK: Writer

    /// The output files, whole up to now, are about to grow.
    func grow(from now: OutputLengths, to next: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.grow(from: now, to: next, on: file)
        }
    }

    /// The job is at rest: the files have these lengths and are on the disk.
    /// - Parameters:
    ///   - lengths: The lengths.
    ///   - reportChecksum: The report's checksum; 0 for none.
    /// - Throws: `FileError` when that cannot be written down.
    func rest(at lengths: OutputLengths, reportChecksum: UInt64) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.rest(at: lengths, reportChecksum: reportChecksum, on: file)
        }
    }

    /// The job is at rest, and a copy of its report in order is about to be made, or is gone again.
    func orderReport(_ isBeingOrdered: Bool) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.orderReport(isBeingOrdered, on: file)
        }
    }

    /// The job is at rest, and its report is about to be replaced by one of this length.
    func replaceReport(byBytes length: Int) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.replaceReport(byBytes: length, on: file)
        }
    }

    /// The job is finished: nothing is left to be carried on.
    ///
    /// One that is gone already does no harm.
    func remove() throws(FileError) {
        try FileDescriptor.removeIfThere(path)
    }

    /// What has become of the file behind our back; `nil` if it is where it was.
    ///
    /// That it was cut is noticed by other means: its marks are memory.
    var change: FileChange? {
        get throws(FileError) {
            switch try file.standing(bytes: file.size) {
            case .asWritten, .resized: return nil
            case .removed:
                return .removed(path, "it says which rows are in flight")
            case .renamed:
                return .moved(path, "it says which rows are in flight")
            }
        }
    }

    /// Forgets all marks, and marks rows of which nothing is known any more.
    ///
    /// No record says so before `begin`: another run that finds them like this asks for them no more
    /// than this one.
    func replaceMarks(through row: UInt64, unless isKnown: (UInt64) -> Bool) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try file.truncate(toBytes: marksOffset)
            state.log.markBytes = 0
            guard row > 0 else { return }
            _ = try makeRoom(layout.bytes(throughRow: row), &state)
        }
        guard row > 0 else { return }
        for doubtful in 1...row where !isKnown(doubtful) { marks.set(doubtful) }
    }
}

extension CheckpointFile {
    /// Where things are in the file.
    enum Layout {
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
}
