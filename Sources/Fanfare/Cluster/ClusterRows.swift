import FanfareBase
import FanfareCore

/// The rows that a worker was granted, read from wherever they are; for the reader's thread.
final class ClusterRows: GrantedRows {
    private let inputs: ClusterInputs
    private let desk: ClusterDesk
    private let meter: InputMeter
    /// Rows to be passed over.
    private let passedOver: RowBatch
    private var reader: RowReader?
    private var cut: ClusterCut?
    /// The rows that are to be read next, which lie in the cut, and those that the desk has given behind them.
    private var rest: ClusterMember.HandOut?
    private var later: ClusterMember.HandOut?
    /// Rows read so far.
    private(set) var rowCount: UInt64 = 0

    init(_ inputs: ClusterInputs, _ desk: ClusterDesk, meter: InputMeter) {
        self.inputs = inputs
        self.desk = desk
        self.meter = meter
        passedOver = RowBatch(slotCount: inputs.spec.schema.slotCount)
    }

    /// True if there is nothing to read now; rows that are there are taken at once.
    ///
    /// The desk's answer holds for this moment only. If it had rows, and had none when they are asked for, the reader
    /// would wait, and rows that are sorted and make no batch with it: they may be all that lanes may have.
    var wouldWait: Bool {
        guard rest == nil, later == nil else { return false }
        switch desk.look() {
        case .rows(let out): later = out
        case .none: return true
        case .over: break
        }
        return false
    }

    /// Fills a batch with granted rows; waits for them.
    /// - Returns: False when there are none left.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool {
        if rest == nil { rest = try next() }
        guard let out = rest else { return false }
        let wanted = out.rows.upperBound - out.rows.lowerBound
        batch.rowLimit = Int(min(wanted, UInt64(batch.rowCapacity)))
        guard let reader, try reader.fill(batch) else {
            guard try isAsSummed() else { return false }
            throw differs(out)
        }
        // The bytes that were read are those that were summed, if the file was not written to before this look at it.
        guard try isAsSummed() else { return false }
        let end = out.rows.lowerBound + UInt64(batch.rowCount)
        rest =
            end < out.rows.upperBound
            ? .init(key: out.key, rows: end..<out.rows.upperBound, isInDoubt: out.isInDoubt) : nil
        rowCount += UInt64(batch.rowCount)
        batch.inputIndex = cut?.place.input ?? 0
        meter.rowsWereRead(batch.rowCount)
        return true
    }

    /// True if the cut still has the bytes of its sum; if not, the worker leaves before any other row of it.
    ///
    /// It is one look at the file's times for each batch, and a sum if they have changed.
    private func isAsSummed() throws(FanfareError) -> Bool {
        guard let cut else { return true }
        guard try inputs.has(cut) else {
            desk.inputDiffers(cut)
            return false
        }
        return true
    }

    /// Waits for rows, and goes to the first one of them.
    private func next() throws(FanfareError) -> ClusterMember.HandOut? {
        while var out = later ?? desk.next(isOver: { inputs.cancellation.isSet }) {
            later = nil
            let row = out.rows.lowerBound
            if cut.map({ !($0.firstRow..<$0.endRow).contains(row) }) ?? true {
                guard let found = desk.cut(containing: row) else { return nil }
                guard try inputs.has(found) else {
                    desk.inputDiffers(found)
                    return nil
                }
                if reader?.rowCount != found.firstRow || found.place.input != cut?.place.input {
                    reader = nil
                }
                cut = found
            }
            if let end = cut?.endRow, end < out.rows.upperBound {
                // The bytes behind the cut were not compared yet.
                later = .init(
                    key: out.key, rows: end..<out.rows.upperBound, isInDoubt: out.isInDoubt)
                out.rows = row..<end
            }
            try go(to: row)
            return out
        }
        return nil
    }

    private func go(to row: UInt64) throws(FanfareError) {
        guard let cut else { return }
        if reader.map({ $0.rowCount > row || $0.rowCount < cut.firstRow }) ?? true {
            reader = try inputs.reader(
                at: cut.place, rowsBefore: cut.firstRow, meter: meter)
        }
        while let reader, reader.rowCount < row {
            if reader.skip(using: passedOver, most: Int(row - reader.rowCount)) { continue }
            passedOver.rowLimit = Int(
                min(row - reader.rowCount, UInt64(passedOver.rowCapacity)))
            guard try reader.fill(passedOver) else { break }
        }
    }

    private func differs(_ out: ClusterMember.HandOut) -> FanfareError {
        FanfareError(
            .input,
            "\(inputs.inputs[cut?.place.input ?? 0].name) ends before row \(out.rows.lowerBound + 1), "
                + "which it had when the job began")
    }
}
