import FanfareBase
import FanfareCore
import Testing

/// The memory of rows: what is kept of them comes back, and they are taken from both ends.
@Suite struct RowBatchTests {
    /// A batch with rows of one value, as a parser leaves them: their input, and each value is the whole row.
    private func batch(
        _ rows: [String], inputCapacity: Int = 256, lineEnd: String = "\n"
    ) -> RowBatch {
        let batch = RowBatch(inputCapacity: inputCapacity, rowCapacity: 8, slotCount: 1)
        for (index, row) in rows.enumerated() {
            let start = batch.inputEnd
            for byte in (row + lineEnd).utf8 {
                batch.bytes[batch.inputEnd] = byte
                batch.inputEnd += 1
            }
            batch.rows[index] = RowBatch.Row(
                line: UInt64(index + 2), start: start, length: row.utf8.count)
            batch.fields[index] = Field(.text, start: start, length: row.utf8.count)
            batch.rowCount += 1
        }
        batch.parsed = batch.inputEnd
        return batch
    }

    private func kept(_ batch: RowBatch, _ index: Int) -> [UInt8] {
        var buffer = ByteBuffer()
        batch.keepRow(index, verdict: .waiting, in: &buffer)
        return Array(buffer.bytes)
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func `rows are taken from both ends, and each once`() {
        let batch = batch(["a", "b", "c", "d", "e"])
        let taken = [false, true, true, false].map { batch.take(fromEnd: $0) }
        #expect(taken == [0, 4, 3, 1])
        #expect(batch.untaken == 2..<3)
        #expect(batch.take(fromEnd: true) == 2)
        #expect(batch.untaken.isEmpty)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a row that was kept comes back with its number, line and value`(lineEnd: String) throws {
        let source = batch(["first", "second"], lineEnd: lineEnd)
        let target = batch([])
        for index in [1, 0] {
            let bytes = kept(source, index)
            let count = try #require(bytes.withUnsafeBytes { target.addKeptRow($0) })
            #expect(count == bytes.count)
        }
        #expect(target.rowCount == 2)
        for (index, (row, number)) in [("second", 2), ("first", 1)].enumerated() {
            #expect(text(target.rawRow(index)) == row)
            #expect(text(target.value(target.field(row: index, slot: 0))) == row)
            #expect(target.number(of: index) == UInt64(number))
            #expect(target.rows[index].line == UInt64(number + 1))
            #expect(target.hasCarriageReturn(index) == (lineEnd == "\r\n"))
        }
    }

    @Test func `a row larger than the batch has room in an empty one, and in no other`() throws {
        let long = String(repeating: "x", count: 100)
        let bytes = kept(batch([long]), 0)
        let small = kept(batch(["y"]), 0)
        let target = batch([], inputCapacity: 50)
        #expect(small.withUnsafeBytes { target.addKeptRow($0) } == small.count)
        #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == nil)
        #expect(target.rowCount == 1 && text(target.rawRow(0)) == "y")
        target.reset()
        #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == bytes.count)
        #expect(text(target.rawRow(0)) == long)
    }

    @Test func `a batch holds as many rows as it has places for`() {
        let bytes = kept(batch(["y"]), 0)
        let target = batch(["a", "b", "c", "d", "e", "f", "g"])
        #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == bytes.count)
        #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == nil)
    }
}
