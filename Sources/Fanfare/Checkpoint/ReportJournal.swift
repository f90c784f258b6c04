import FanfareCore
import FanfareSystem

/// The writer of a job's files in their right order.
///
/// The files are the report, the files beside it, and the checkpoint, whose records say how far the
/// others are whole. A run after a kill relies on the order. A simulation drives the same value on
/// a disk of its own.
struct ReportJournal<Disk: JobDisk>: Sendable {
    let files: RecordFiles<Disk>
    /// `nil` when nothing could be carried on: the report is no file that can be read again.
    let checkpoint: Checkpoint<Disk.Marks>?

    /// Writes to open files.
    /// - Parameters:
    ///   - files: The files, with their headers.
    ///   - checkpoint: Their checkpoint, if the job can be carried on.
    init(_ files: RecordFiles<Disk>, checkpoint: Checkpoint<Disk.Marks>? = nil) {
        self.files = files
        self.checkpoint = checkpoint
    }

    // MARK: The beginning

    /// Writes the first record of a run; nothing was sent before it.
    func begin() throws(FileError) {
        guard let checkpoint else { return }
        // Everything that the record calls certain has to outlive a loss of power: headers, and
        // lines that were found and may not have reached the disk.
        try files.synchronize()
        try checkpoint.begin(at: files.lengths)
    }

    /// Continues where another run has ended; the files were cut to where they are whole.
    /// - Parameters:
    ///   - found: The files of that run.
    ///   - granted: The rows that the folder of a worker of several was granted, counted from 1.
    /// - Returns: The facts that this run needs; `nil` without a checkpoint.
    /// - Throws: `FileError` when the record cannot be written.
    func carryOn(
        _ found: FoundJournal, granted: RowIntervals = RowIntervals()
    ) throws(FileError) -> Resumption? {
        guard let checkpoint else { return nil }
        let isKnown = { (row: UInt64) in found.scan.rows.contains(row) }
        switch found.recovery.doubt {
        case .marks: break
        case .everyRow(let last):
            try checkpoint.replaceMarks(by: RowIntervals(1..<last + 1), unless: isKnown)
        case .granted: try checkpoint.replaceMarks(by: granted, unless: isKnown)
        }
        try begin()
        return Resumption(
            found.scan, marks: checkpoint.marks, lastMarkedRow: checkpoint.lastMarkedRow)
    }

    // MARK: Blocks

    /// Writes a block to the files.
    /// - Returns: The number of its rows in the files, and the failure that kept the others out.
    func write(_ block: ReportBlock) -> RecordFiles<Disk>.Appended {
        var appended = RecordFiles<Disk>.Appended(rowCount: 0)
        do throws(FileError) {
            let growth = files.prepare(block)
            // A record speaks of a part's header as of any other bytes.
            if try files.makeRoom(for: growth), checkpoint?.isDurable == true {
                try files.synchronize()
            }
            try checkpoint?.grow(from: files.lengths, to: files.lengths + growth)
            appended = files.append(block)
            if checkpoint?.isDurable == true { try files.synchronize() }
        } catch {
            appended.failure = appended.failure ?? error.sentence
        }
        return appended
    }

    /// A change that others have made to a file.
    enum Change {
        /// Others have changed it.
        case changed(FileChange, isReport: Bool)
        /// It cannot be looked at.
        case unknown(FileError)
    }

    /// Checks the files.
    /// - Parameter isOver: True if all rows have their lines, so that the checkpoint is of no use.
    /// - Returns: A file's change; `nil` if all are as they were written.
    func change(isOver: Bool = false) -> Change? {
        do throws(FileError) {
            if let (kind, change) = try files.change {
                return .changed(change, isReport: kind == .report)
            }
            guard !isOver, let change = try checkpoint?.change else { return nil }
            return .changed(change, isReport: false)
        } catch {
            return .unknown(error)
        }
    }

    // MARK: The end

    /// Leaves the files so that the job can be carried on.
    /// - Parameter change: Checks the files once they are on the disk: nothing can be said about a
    ///   report that has gone.
    /// - Returns: The result of `change`.
    /// - Throws: `FileError` when the record cannot be written.
    func rest<Found>(change: () -> Found?) throws(FileError) -> Found? {
        guard let checkpoint else { return nil }
        try files.synchronize()
        let found = change()
        let checksum = try found == nil ? files.report?.checksum ?? 0 : 0
        try checkpoint.rest(at: files.lengths, reportChecksum: checksum)
        return found
    }

    /// Leaves nothing to be carried on: all rows have their lines.
    func end() throws(FileError) {
        guard let checkpoint else { return }
        if checkpoint.isDurable { try files.synchronize() }
        try checkpoint.remove()
    }

    /// Leaves nothing behind of a job without results.
    /// - Returns: False if the checkpoint is still there.
    func discard() -> Bool {
        guard let checkpoint else { return false }
        files.remove()
        return (try? checkpoint.remove()) != nil
    }
}

extension ReportJournal where Disk == FileSystem {
    /// Another job may have the files, and carry this one on.
    func letGo() {
        files.letGo()
        checkpoint?.letGo()
    }
}
