import FanfareBase
import FanfareCore
import FanfareTestSupport

/// A row as a parser has found it.
struct FuzzedRow: Equatable {
    var line: UInt64
    var raw: [UInt8]
    var fault: RowFault
    var values: [[UInt8]?]
}

/// Reads rows as the reader's thread does: piece by piece, from batch to batch.
struct BatchReader {
    let schema: RowSchema
    var inputCapacity = 256
    var rowCapacity = 8
    /// Rows that do not fit into a batch of this size are given up.
    var inputCapacityMax = 1 << 20

    /// Reads all pieces.
    /// - Throws: If a value lies outside of its batch.
    func rows(
        _ pieces: [ArraySlice<UInt8>], _ parser: some RowParser
    ) throws(Violation) -> [FuzzedRow] {
        var parser = parser
        var (batch, spare) = (makeBatch(), makeBatch())
        var rows: [FuzzedRow] = []
        var waiting = pieces.filter { !$0.isEmpty }[...]
        var piece: ArraySlice<UInt8> = []
        while true {
            if piece.isEmpty { piece = waiting.popFirst() ?? [] }
            let count = min(piece.count, batch.inputCapacity - batch.inputEnd)
            for (index, byte) in piece.prefix(count).enumerated() {
                batch.bytes[batch.inputEnd + index] = byte
            }
            batch.inputEnd += count
            piece = piece.dropFirst(count)
            let isFinal = piece.isEmpty && waiting.isEmpty
            let progress = parser.parse(batch, isFinal: isFinal)
            try Violation.check(
                progress == .needsInput || batch.rowCount == batch.rowCapacity,
                "a batch is full with \(batch.rowCount) rows")
            if isFinal && batch.parsed == batch.inputEnd {
                return rows + (try collect(batch))
            }
            guard progress == .batchFull || batch.inputEnd == batch.inputCapacity || isFinal else {
                continue
            }
            if batch.rowCount > 0 || batch.parsed > 0 {
                rows += try collect(batch)
                batch.moveRest(to: spare)
                swap(&batch, &spare)
            } else if batch.inputCapacity < inputCapacityMax {
                batch.grow(toInputCapacity: min(2 * batch.inputCapacity, inputCapacityMax))
            } else {
                _ = parser.abandonRow(in: batch)
            }
        }
    }

    private func makeBatch() -> RowBatch {
        RowBatch(
            inputCapacity: inputCapacity, rowCapacity: rowCapacity, slotCount: schema.slotCount)
    }

    private func collect(_ batch: RowBatch) throws(Violation) -> [FuzzedRow] {
        try Violation.check(
            batch.scratchEnd <= 2 * batch.inputCapacity && batch.parsed <= batch.inputEnd,
            "a batch is overrun")
        var rows: [FuzzedRow] = []
        for index in 0..<batch.rowCount {
            let row = batch.rows[index]
            try Violation.check(
                Int(row.start) + Int(row.length) <= batch.parsed, "a row is outside of its batch")
            var values: [[UInt8]?] = []
            for slot in 0..<schema.slotCount {
                values.append(try value(batch, batch.field(row: index, slot: slot)))
            }
            rows.append(
                FuzzedRow(
                    line: row.line, raw: Array(batch.rawRow(index)), fault: row.fault,
                    values: values))
        }
        return rows
    }

    private func value(_ batch: RowBatch, _ field: Field) throws(Violation) -> [UInt8]? {
        if field.isMissing { return nil }
        let end = field.offset + field.length
        try Violation.check(
            end <= batch.parsed || field.offset >= batch.inputCapacity && end <= batch.scratchEnd,
            "a value at \(field.offset)..<\(end) is outside of its batch")
        let bytes = Array(batch.value(field))
        try Violation.check(
            String(validating: bytes, as: UTF8.self) != nil, "a value is not UTF-8")
        return bytes
    }
}
