import FanfareCore

/// Taking up rows: from the batch into a request's place.
extension LaneEngine {
    /// The next request to send, or `nil` when there is none now.
    ///
    /// Those that were refused or have waited long enough come first, then the next good row.
    mutating func nextRequest(now: Instant) -> RequestID? {
        if let id = dispatcher.nextReady(now: now) { return id }
        return dispatcher.mayTakeUp ? takeUpRow(now: now) : nil
    }

    /// Prepares the next row that can be sent; rows that cannot are reported on the way.
    private mutating func takeUpRow(now: Instant) -> RequestID? {
        guard let first = currentBatch() else { return nil }
        let id = dispatcher.takeUp()
        rows.makePlace(for: id)
        var next: RowBatch? = first
        while let batch = next, !isReportBehind {
            let index = batch.cursor
            batch.cursor += 1
            tally.rowsRead += 1
            if unsafe preparer.prepare(batch, index, into: &rows[id].pointee) { return id }
            reportInvalid(id, now: now)
            next = currentBatch()
        }
        dispatcher.finished(id)
        return nil
    }

    /// The batch with the next row, or `nil` when there is none now.
    private mutating func currentBatch() -> RowBatch? {
        if let batch {
            if batch.cursor < batch.rowCount { return batch }
            environment.recycle(batch)
        }
        batch = environment.nextBatch()
        return batch
    }

    /// Whether every row of the input has been taken up.
    var hasNoMoreRows: Bool {
        if let batch, batch.cursor < batch.rowCount { return false }
        return environment.isInputExhausted
    }
}
