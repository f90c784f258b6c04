import FanfareCore

/// The results of an unfinished job, for the run that carries it on.
struct Resumption: Sendable {
    /// Rows that have a line in the report.
    let finished: RowSet
    /// The sums of those lines.
    let tally: Tally
    let latency: LatencyHistogram
    private let marks: StartMarks
    /// The last row that the marks had room for; behind it no row was ever sent.
    private let lastMarkedRow: UInt64

    /// Takes over the known facts.
    /// - Parameters:
    ///   - scan: The report as it was read back.
    ///   - marks: The marks of earlier runs.
    ///   - lastMarkedRow: The last row that `marks` has room for; `nil` if there are none.
    init(_ scan: ReportScan, marks: StartMarks, lastMarkedRow: UInt64?) {
        finished = scan.rows
        tally = scan.tally
        latency = scan.latency
        self.marks = marks
        self.lastMarkedRow = lastMarkedRow ?? 0
    }

    /// Marks the rows of a batch that are not to be treated as new ones.
    func mark(_ batch: RowBatch) {
        guard batch.firstRow <= max(finished.highest, lastMarkedRow) else { return }
        for row in batch.firstRow..<batch.firstRow + UInt64(batch.rowCount) {
            batch.verdicts.append(verdict(on: row))
        }
    }

    private func verdict(on row: UInt64) -> RowBatch.Verdict {
        if finished.contains(row) { return .finished }
        return row <= lastMarkedRow && marks.isSet(row) ? .inDoubt : .none
    }
}
