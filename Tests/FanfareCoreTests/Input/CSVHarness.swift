import FanfareCore
import FanfareTestSupport
import Testing

/// Reads CSV as the reader thread does: piece by piece, from batch to batch.
struct CSVHarness {
    var columns = ["a", "b"]
    var delimiter = UInt8(ascii: ",")
    var firstLine: UInt64 = 2
    var inputCapacity = 4096
    /// Rows that do not fit into a batch of this size are abandoned.
    var inputCapacityMax = 1 << 20
    var rowCapacity = 64
    /// The end of the input is only known when a read brings nothing.
    var endsLate = false

    /// Reads the input in pieces of the given sizes, then all that is left.
    func rows(of input: [UInt8], pieces: [Int] = []) -> [ReadRow] {
        let schema = RowSchema(extra: columns)
        var parser = CSVParser(
            schema: schema, columns: columns, delimiter: delimiter, firstLine: firstLine)
        var batch = makeBatch(schema)
        var spare = makeBatch(schema)
        var rows: [ReadRow] = []
        var offset = 0
        var pieces = pieces[...]
        while true {
            let wanted = pieces.popFirst() ?? .max
            let count = min(wanted, batch.inputCapacity - batch.inputEnd, input.count - offset)
            for index in 0..<count { batch.bytes[batch.inputEnd + index] = input[offset + index] }
            batch.inputEnd += count
            offset += count
            let isFinal = offset == input.count && (count == 0 || !endsLate)
            let progress = parser.parse(batch, isFinal: isFinal)
            #expect(progress == .needsInput || batch.rowCount == batch.rowCapacity)
            if isFinal && batch.parsed == batch.inputEnd {
                return rows + collect(batch, schema)
            }
            guard progress == .batchFull || batch.inputEnd == batch.inputCapacity else { continue }
            if batch.rowCount > 0 || batch.parsed > 0 {
                rows += collect(batch, schema)
                batch.moveRest(to: spare)
                swap(&batch, &spare)
            } else if batch.inputCapacity < inputCapacityMax {
                batch.grow(toInputCapacity: min(2 * batch.inputCapacity, inputCapacityMax))
            } else {
                _ = parser.abandonRow(in: batch)
            }
        }
    }

    private func makeBatch(_ schema: RowSchema) -> RowBatch {
        RowBatch(
            inputCapacity: inputCapacity, rowCapacity: rowCapacity, slotCount: schema.slotCount)
    }

    private func collect(_ batch: RowBatch, _ schema: RowSchema) -> [ReadRow] {
        #expect(batch.scratchEnd <= 2 * batch.inputCapacity)
        return (0..<batch.rowCount).map { index in
            ReadRow(
                line: batch.rows[index].line, raw: Array(batch.rawRow(index)),
                values: columns.map { name in
                    guard let slot = schema.slot(named: name) else { return nil }
                    let field = batch.field(row: index, slot: slot)
                    return field.isMissing ? nil : Array(batch.value(field))
                },
                fault: batch.rows[index].fault)
        }
    }
}

extension CSVHarness {
    func reference(_ input: [UInt8]) -> [ReadRow] {
        var reference = ReferenceCSV(
            input, columnCount: columns.count, delimiter: delimiter, firstLine: firstLine)
        return reference.rows()
    }

    /// Reads the input in every way there is and expects the same rows each time.
    func expectSameRows(
        _ input: [UInt8], as expected: [ReadRow], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var harness = self
        func expect(_ pieces: [Int], _ way: String) {
            let rows = harness.rows(of: input, pieces: pieces)
            #expect(
                rows == expected,
                "\(way): \(String(decoding: input, as: UTF8.self).debugDescription)",
                sourceLocation: sourceLocation)
        }
        let bytes = [Int](repeating: 1, count: input.count)
        for endsLate in [false, true] {
            harness = self
            harness.endsLate = endsLate
            expect([], "whole")
            expect(bytes, "byte by byte")
            for split in 1..<max(input.count, 2) { expect([split], "split at \(split)") }
            harness.rowCapacity = 1
            expect([], "one row to a batch")
            expect(bytes, "one row to a batch, byte by byte")
            harness.rowCapacity = 3
            harness.inputCapacity = 8
            expect([], "small batches that grow")
            expect([5], "small batches that grow, split")
            expect(bytes, "small batches that grow, byte by byte")
        }
        for capacityMax in [8, 13] {
            expectSameRows(input, as: expected, abandoningBeyond: capacityMax, sourceLocation)
        }
    }

    /// Reads the input with so little memory that long rows are given up, and expects all others.
    func expectSameRows(
        _ input: [UInt8], as expected: [ReadRow], abandoningBeyond capacityMax: Int,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var harness = self
        harness.inputCapacity = 8
        harness.inputCapacityMax = capacityMax
        harness.rowCapacity = 2
        for pieces in [[], [3], [Int](repeating: 1, count: input.count)] {
            var rows = harness.rows(of: input, pieces: pieces)
            for index in rows.indices.prefix(expected.count)
            where rows[index].fault.code == .rowTooLong {
                // With its line end of up to two bytes it did not fit.
                #expect(expected[index].raw.count + 2 > capacityMax, sourceLocation: sourceLocation)
                #expect(rows[index].values.allSatisfy { $0 == nil }, sourceLocation: sourceLocation)
                #expect(rows[index].line == expected[index].line, sourceLocation: sourceLocation)
                rows[index] = expected[index]
            }
            #expect(rows == expected, "abandoning, \(input)", sourceLocation: sourceLocation)
        }
    }
}
