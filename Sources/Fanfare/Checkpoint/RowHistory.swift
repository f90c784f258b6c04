import FanfareBase
import FanfareCore
import FanfareSystem

/// The reader's work on a batch besides reading it: none, when nothing has to be remembered of
/// rows.
struct RowHistory<Marks: MarkStorage>: Sendable {
    /// The results of an earlier run.
    var resumption: Resumption?
    /// The checkpoint for a later run.
    var checkpoint: Checkpoint<Marks>?
    /// The filter that leaves rows out because of their tokens.
    var tokens: TokenFilter?
    /// The count of duplicates in passing.
    var census: TokenCensus?
    /// The selection that finds rows for a later run to send.
    var selection: RowSelection?

    /// The grants of rows, in a job of several workers.
    var grants: (any RowGrants)?

    /// Returns the trace of a row, counted from 1, but for lines of this run.
    var trace: @Sendable (UInt64) -> RowTrace {
        { [finished = resumption?.finished, checkpoint] row in
            if finished?.contains(row) ?? false { return .line }
            // Without marks nothing is known.
            return checkpoint?.mayHaveStarted(row) ?? true ? .mark : .none
        }
    }

    /// Deals with a batch that is about to be handed out.
    /// - Throws: `FanfareError` with code `output` when the checkpoint cannot take its rows, or with
    ///   code `input` when the inputs cannot be read once more.
    func record(_ batch: RowBatch) throws(FanfareError) {
        resumption?.mark(batch)
        try tokens?.mark(batch)
        selection?.mark(batch)
        census?.count(batch)
        try told(\.outputError) { () throws(FileError) in
            try checkpoint?.prepare(
                through: batch.firstRow + UInt64(batch.rowCount) - 1, reserves: grants == nil)
        }
        if let checks = checkpoint?.checks { try compare(batch, checks) }
        grants?.judge(batch)
    }

    /// Keeps the checks of rows; those of rows that an earlier run has read have to be the same.
    ///
    /// If one row of a batch differs, none of them is handed out.
    private func compare(_ batch: RowBatch, _ checks: RowChecks) throws(FanfareError) {
        for index in 0..<batch.rowCount {
            let row = batch.firstRow + UInt64(index)
            let (check, known) = unsafe (RowCheck.of(batch.rawRow(index)), checks[row])
            if known == 0 {
                // Without its end it may be half a row: a pipe that is stopped with the job ends anywhere.
                if Self.isWhole(batch, index) { checks[row] = check }
            } else if known != check {
                throw FanfareError(
                    .configuration,
                    "row \(row) (line \(unsafe batch.rows[index].line)) is not the one that was read when "
                        + "the job began: \(.resumes) needs the same rows in the same order")
            }
        }
    }

    private static func isWhole(_ batch: RowBatch, _ index: Int) -> Bool {
        let row = unsafe batch.rows[index]
        // The quotes' meaning decides how much of a row that is too long is there.
        guard row.fault.code != .rowTooLong else { return false }
        let end = Int(row.start) + Int(row.length)
        // Of CR and LF both are behind the row.
        let behind = unsafe UnsafeBufferPointer(
            start: batch.bytes + end, count: min(2, batch.inputEnd - end))
        return unsafe behind.contains(UInt8(ascii: "\n"))
    }

    /// The rows that have an outcome when the run is done, with those of earlier runs.
    /// - Parameter count: The rows that were read.
    /// - Returns: The number.
    func reportedRows(ofRead count: UInt64) -> UInt64 {
        if let grants { return grants.handedOutCount }
        guard let selection else { return count }
        return (resumption?.tally.finished ?? 0) + selection.takenCount
    }

    /// All rows were read: there must be as many as an earlier run has seen.
    /// - Throws: `FanfareError` with code `configuration` when there are fewer.
    func reachedEnd(rowCount: UInt64) throws(FanfareError) {
        // Behind those that are wanted none was looked for.
        guard selection?.endsEarly != true, grants == nil else { return }
        tokens?.reachedEnd()
        let next = rowCount + 1
        var isShorter = next <= resumption?.finished.highest ?? 0
        if let checkpoint, let checks = checkpoint.checks, let last = checkpoint.lastMarkedRow {
            isShorter = isShorter || next <= last && checks[next] != 0
        }
        guard isShorter else { return }
        throw FanfareError(
            .configuration,
            "the input has \(rowCount) rows, and there were more when the job began: \(.resumes) "
                + "needs the same rows in the same order")
    }
}
