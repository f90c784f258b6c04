import FanfareCore

/// What an unfinished job has left behind, for the run that carries it on.
struct Resumption: Sendable {
    /// Rows that have a line in the report.
    let finished: RowSet
    /// What those lines add up to.
    let tally: Tally
    let latency: LatencyHistogram
    private let marks: StartMarks
    /// The last row that the marks had room for; behind it no row was ever sent.
    private let lastMarkedRow: UInt64

    /// Takes over what is known.
    /// - Parameter lastMarkedRow: The last row that `marks` has room for, nothing if there are none.
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
        for index in 0..<batch.rowCount {
            let row = batch.firstRow + UInt64(index)
            if finished.contains(row) {
                unsafe batch.rows[index].past = .finished
            } else if row <= lastMarkedRow, marks.isSet(row) {
                unsafe batch.rows[index].past = .inDoubt
            }
        }
    }
}
