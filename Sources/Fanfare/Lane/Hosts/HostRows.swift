import FanfareBase
import FanfareCore
import FanfareSystem

/// The rows on their way to one host: some in memory, and the others behind them in a file.
///
/// ```
///  rows ──┬─► queued ──► the host's engine
///         └─► chain ──────┘
/// ```
/// Use it from one thread.
final class HostRows {
    private let parked: ParkedRows
    private let slotCount: Int
    private let chain = ParkedRows.Chain()
    private var queued: RowBatch?
    /// A batch without rows that is used again.
    private var spare: RowBatch?
    /// The earliest end of a window among the rows in the file.
    private var chainCloses = Instant.distantFuture

    init(_ parked: ParkedRows, slotCount: Int) {
        self.parked = parked
        self.slotCount = slotCount
    }

    /// True if no row waits here.
    var isEmpty: Bool { chain.count == 0 && (queued?.untaken.isEmpty ?? true) }

    /// Takes a row in.
    /// - Throws: `FileError` when it has to wait in the file, and cannot.
    func put(
        _ batch: RowBatch, _ index: Int, verdict: RowBatch.Verdict
    ) throws(FileError) {
        if chain.count == 0 {
            let target = queued ?? emptyBatch()
            queued = target
            if target.addRow(index, of: batch, verdict: verdict) {
                target.closes = min(target.closes, batch.closes)
                return
            }
        }
        try parked.add(batch, index, verdict: verdict, to: chain)
        chainCloses = min(chainCloses, batch.closes)
    }

    /// The next batch with rows; `nil` if none waits.
    func next() throws(FileError) -> RowBatch? {
        if let batch = queued, !batch.untaken.isEmpty {
            queued = nil
            return batch
        }
        guard chain.count > 0 else { return nil }
        let batch = queued ?? emptyBatch()
        queued = nil
        batch.reset()
        try parked.fill(batch, from: chain)
        batch.closes = chainCloses
        if chain.count == 0 { chainCloses = .distantFuture }
        return batch
    }

    /// Takes a batch back that has no rows left.
    func recycle(_ batch: RowBatch) {
        // One that has grown for a large row would keep its memory for as long as the host is open.
        guard spare == nil, batch.inputCapacity <= Limits.hostBatchBytes else { return }
        batch.reset()
        spare = batch
    }

    private func emptyBatch() -> RowBatch {
        if let batch = spare {
            spare = nil
            return batch
        }
        return RowBatch(
            inputCapacity: Limits.hostBatchBytes, rowCapacity: Limits.hostBatchRows,
            slotCount: slotCount)
    }
}
