import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The memory of an unfinished job, from which a later run carries it on.
///
/// It has records of how far the job's files are whole, and marks of the rows that were sent. The
/// reader's thread reserves rows before it hands them out, the writer's thread records the length
/// of the report, and the lanes set marks.
final class Checkpoint<Storage: MarkStorage>: Sendable {
    private struct State {
        /// Its record tells how many bytes of marks there are.
        var log: CheckpointLog
    }

    let marks: StartMarks
    /// The checks by which a later run recognizes each row that was read, if they are kept.
    let checks: RowChecks?
    private let layout: MarkLayout
    private let storage: Storage
    private let marksOffset: Int
    /// True if records are forced to the disk: `--durability full`.
    let isDurable: Bool
    private let state: Mutex<State>

    /// Takes over a file.
    /// - Parameters:
    ///   - storage: The file, locked.
    ///   - layout: The layout of each row's marks.
    ///   - marksOffset: The place of the first marks.
    ///   - record: The record from which the job goes on.
    ///   - boot: The machine's present start.
    ///   - isDurable: True to force records to the disk.
    init(
        _ storage: Storage, layout: MarkLayout, marksOffset: Int, record: CheckpointRecord,
        boot: UInt64, isDurable: Bool
    ) {
        self.storage = storage
        self.layout = layout
        self.marksOffset = marksOffset
        self.isDurable = isDurable
        marks = unsafe StartMarks(memory: storage.memory, layout: layout)
        checks = unsafe layout == .marksAndChecks ? RowChecks(memory: storage.memory) : nil
        let log = CheckpointLog(behind: record, boot: boot, isDurable: isDurable)
        state = Mutex(State(log: log))
    }

    deinit { storage.unlock() }

    /// Another job may carry this one on, though its object is still there.
    func letGo() { storage.unlock() }

    /// Writes the known facts as the checkpoint's first word on this run; nothing was sent before
    /// it.
    func begin(at lengths: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.begin(at: lengths, on: storage)
        }
    }

    /// The last row that the marks have room for.
    var lastMarkedRow: UInt64? {
        layout.lastRow(in: state.withLock { $0.log.record.markBytes })
    }

    /// True if a request for a row may have been sent.
    ///
    /// The marks have room for all rows that lanes have got. A row that the reader has, and could not read, may be behind
    /// that, where there is no file.
    func mayHaveStarted(_ row: UInt64) -> Bool {
        lastMarkedRow.map { row <= $0 } ?? false && marks.isSet(row)
    }

    /// True if the provider may have acted on a request for any row, as far as the marks say.
    ///
    /// It may be read when all lanes have ended.
    var hasMarkedRows: Bool {
        guard let last = lastMarkedRow else { return false }
        return !marks.areClear(through: last)
    }

    // MARK: Reader

    /// Makes room for the marks of rows up to this one, which are about to be handed out.
    /// - Parameters:
    ///   - row: The last row.
    ///   - reserves: True if a loss of power leaves all rows up to this one in doubt; false in a job of several workers, whose
    ///     folder says which rows these are.
    /// - Throws: `FileError` when the disk has no room for their marks.
    func prepare(through row: UInt64, reserves: Bool = true) throws(FileError) {
        guard row <= Limits.checkpointRowsMax else {
            throw FileError(tooManyRows: Limits.checkpointRowsMax, storage.path)
        }
        try state.withLock { state throws(FileError) in
            if try makeRoom(layout.bytes(throughRow: row), &state) {
                try state.log.marksHaveGrown(on: storage)
            }
            if reserves { try state.log.reserve(through: row, on: storage) }
        }
    }

    /// - Returns: True if there was too little.
    private func makeRoom(_ bytes: Int, _ state: inout State) throws(FileError) -> Bool {
        let before = state.log.record.markBytes
        guard bytes > before else { return false }
        let stepBytes = Limits.checkpointStepGroups * layout.groupBytes
        let group = layout.newGroup
        var step: [UInt8] = []
        step.reserveCapacity(stepBytes)
        for _ in 0..<Limits.checkpointStepGroups { step += group }
        var end = before
        while end < bytes {
            try storage.reserve(marksOffset + end..<marksOffset + end + stepBytes)
            try storage.write(step, at: marksOffset + end)
            end += stepBytes
        }
        state.log.markBytes = end
        // Long behind: most rows there are finished, and the others' pages come back by themselves.
        let old = end - 2 * stepBytes
        if old > 0 { storage.forget(0..<old / FileMapping.pageBytes * FileMapping.pageBytes) }
        return true
    }

    // MARK: Writer

    /// The output files, whole up to now, are about to grow.
    func grow(from now: OutputLengths, to next: OutputLengths) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.grow(from: now, to: next, on: storage)
        }
    }

    /// The job is at rest: the files have these lengths and are on the disk.
    /// - Parameters:
    ///   - lengths: The lengths.
    ///   - reportChecksum: The report's checksum; 0 for none.
    /// - Throws: `FileError` when that cannot be written down.
    func rest(at lengths: OutputLengths, reportChecksum: UInt64) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.rest(at: lengths, reportChecksum: reportChecksum, on: storage)
        }
    }

    /// The job is at rest, and a copy of its report in order is about to be made, or is gone again.
    func orderReport(_ isBeingOrdered: Bool) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.orderReport(isBeingOrdered, on: storage)
        }
    }

    /// The job is at rest, and its report is about to be replaced by one of this length.
    func replaceReport(byBytes length: Int) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try state.log.replaceReport(byBytes: length, on: storage)
        }
    }

    /// The job is finished: nothing is left to be carried on.
    ///
    /// One that is gone already does no harm.
    func remove() throws(FileError) { try storage.remove() }

    /// The change that others have made to the file; `nil` if it is in its place.
    ///
    /// Other code notices a cut: the file's marks are mapped memory.
    var change: FileChange? {
        get throws(FileError) {
            switch try storage.standing() {
            case .asWritten, .resized: return nil
            case .removed:
                return .removed(storage.path, "it says which rows are in flight")
            case .renamed:
                return .moved(storage.path, "it says which rows are in flight")
            }
        }
    }

    /// Forgets all marks, and marks rows whose state is not known any more.
    ///
    /// No record says so before `begin`: another run that finds the marks like this needs them no
    /// more than this one.
    func replaceMarks(
        by rows: RowIntervals, unless isKnown: (UInt64) -> Bool
    ) throws(FileError) {
        try state.withLock { state throws(FileError) in
            try storage.truncate(toBytes: marksOffset)
            state.log.markBytes = 0
            guard let end = rows.end else { return }
            _ = try makeRoom(layout.bytes(throughRow: end - 1), &state)
        }
        for span in rows.spans {
            for row in span where !isKnown(row) { marks.set(row) }
        }
    }
}
