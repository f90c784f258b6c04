import FanfareBase
import FanfareCore

/// Finds the row boundaries of the inputs with the parsers that read the rows.
///
/// A cut is a function of the bytes alone: it ends after so many rows, or with its input, and the cut behind the last
/// row may be empty. So two workers that cut make the same cuts.
struct ClusterCutter {
    private let inputs: ClusterInputs
    private let cutRows: UInt64
    private let batch: RowBatch
    private var reader: RowReader?
    private var input = 0
    /// The row behind the last cut.
    ///
    /// At the end of an input there is no reader to know it, and the engine may not have heard of that cut yet.
    private var next: UInt64?

    init(_ inputs: ClusterInputs, cutRows: UInt64) {
        self.inputs = inputs
        self.cutRows = cutRows
        batch = RowBatch(slotCount: inputs.spec.schema.slotCount)
    }

    /// True if the next cut can be made without knowing the last one.
    func isAt(_ row: UInt64) -> Bool { row == 0 || next == row }

    /// Goes behind a cut that another worker has made.
    mutating func move(behind cut: ClusterCut) throws(FanfareError) {
        var place = cut.place
        place.offset += cut.byteCount
        place.line += cut.lineCount
        input = place.input
        reader = try inputs.reader(at: place, rowsBefore: cut.endRow)
        next = cut.endRow
    }

    /// Makes the cut at a row, after `isAt` has said so.
    /// - Throws: `FanfareError` with code `input`; the rows before the fault are a cut of their own.
    mutating func cut(at row: UInt64) throws(FanfareError) -> ClusterCut {
        if row == 0 { (reader, input) = (nil, 0) }
        while true {
            let reader = try opened(row)
            var place = ClusterCut.Place()
            place.input = input
            place.offset = reader.offset
            place.line = reader.parser.line
            let isOver = try read(reader, upTo: row + cutRows)
            let isLast = isOver && input == inputs.inputs.count - 1
            if isOver && !isLast {
                self.reader = nil
                input += 1
                // An input without any more rows is no cut.
                if reader.rowCount == row { continue }
            }
            var cut = ClusterCut(firstRow: row, endRow: reader.rowCount, sum: 0, isLast: isLast)
            cut.place = place
            cut.byteCount = reader.offset - place.offset
            cut.lineCount = reader.parser.line - place.line
            cut.sum = try inputs.checksum(of: cut)
            next = cut.endRow
            return cut
        }
    }

    private mutating func opened(_ row: UInt64) throws(FanfareError) -> RowReader {
        if let reader { return reader }
        let made = try inputs.reader(at: inputs.beginning(ofInput: input), rowsBefore: row)
        reader = made
        return made
    }

    /// - Returns: True if the input has no more rows.
    private func read(_ reader: RowReader, upTo end: UInt64) throws(FanfareError) -> Bool {
        let start = reader.rowCount
        while reader.rowCount < end {
            if reader.skip(using: batch, most: Int(end - reader.rowCount)) { continue }
            batch.rowLimit = Int(min(end - reader.rowCount, UInt64(batch.rowCapacity)))
            do throws(FanfareError) {
                guard try reader.fill(batch) else { return true }
            } catch {
                if reader.rowCount == start { throw error }
                return false
            }
        }
        return false
    }
}
