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

    @Test func `each value of a row that was kept comes back in its own slot`() throws {
        let source = RowBatch(inputCapacity: 64, rowCapacity: 8, slotCount: 3)
        for (index, row) in ["a,bb,ccc\n", "dddd,e,ff\n"].enumerated() {
            var start = source.inputEnd
            for byte in row.utf8 {
                source.bytes[source.inputEnd] = byte
                source.inputEnd += 1
            }
            source.rows[index] = RowBatch.Row(
                line: UInt64(index + 2), start: start, length: row.utf8.count - 1)
            for (slot, value) in row.dropLast().split(separator: ",").enumerated() {
                source.fields[index * 3 + slot] = Field(
                    .text, start: start, length: value.utf8.count)
                start += value.utf8.count + 1
            }
            source.rowCount += 1
        }
        source.parsed = source.inputEnd
        let target = RowBatch(inputCapacity: 64, rowCapacity: 8, slotCount: 3)
        for index in [1, 0] {
            let bytes = kept(source, index)
            #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == bytes.count)
        }
        let values = (0..<2).map { row in
            (0..<3).map { text(target.value(target.field(row: row, slot: $0))) }
        }
        #expect(values == [["dddd", "e", "ff"], ["a", "bb", "ccc"]])
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

    @Test func `what is wrong with a row is kept with it`() {
        let source = batch(["first", "second"])
        let fault = RowFault(.tooManyFields, column: 70_000)
        source.rows[1].fault = fault
        let target = batch([])
        for index in 0...1 {
            let bytes = kept(source, index)
            #expect(bytes.withUnsafeBytes { target.addKeptRow($0) } == bytes.count)
        }
        #expect(target.rows[0].fault == .none && target.rows[1].fault == fault)
        #expect(target.verdicts == [.waiting, .waiting])
    }

    // MARK: From batch to batch

    /// All that a lane sees of a row.
    private func seen(_ batch: RowBatch, _ index: Int) -> [String] {
        let fields = (0..<batch.slotCount).map { slot in
            let field = batch.field(row: index, slot: slot)
            return "\(field.kind) \(text(batch.value(field)))"
        }
        let row = batch.rows[index]
        return fields + [
            text(batch.rawRow(index)), "\(batch.number(of: index)) \(row.line) \(row.fault)",
            "\(batch.hasCarriageReturn(index)) \(batch.hasJSONStrings)",
        ]
    }

    /// Reads rows with values of all kinds, with escapes and without them, and some with faults.
    private func parsed(_ input: String, isJSON: Bool) -> RowBatch {
        let schema = RowSchema(extra: ["name", "Name"])
        let batch = RowBatch(inputCapacity: 2048, rowCapacity: 16, slotCount: schema.slotCount)
        for byte in input.utf8 {
            batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
        batch.firstRow = 100
        var parser: any RowParser = CSVParser(
            schema: schema, columns: ["token", "name", "id", "payload"],
            delimiter: UInt8(ascii: ","), firstLine: 2)
        _ = parser.parse(batch, isFinal: true)
        batch.hasJSONStrings = isJSON
        return batch
    }

    @Test(arguments: ["\n", "\r\n"], [false, true])
    func `a row goes into another batch as it is`(lineEnd: String, isJSON: Bool) {
        let rows = [
            "aa,plain,1,{}", #"bb,"quoted, and ""doubled""",2,"{""a"":1}""#, "cc,,,", "dd",
            #"ee,"x" y,3,"#, "ff,\"two\(lineEnd)lines \"\"\",4,z", "gg,last,5,{}",
        ]
        let source = parsed(rows.joined(separator: lineEnd) + lineEnd, isJSON: isJSON)
        #expect(source.rowCount == rows.count)
        let target = RowBatch(inputCapacity: 2048, rowCapacity: 16, slotCount: source.slotCount)
        let order = [1, 0, 3, 5, 2, 6, 4]
        for index in order {
            #expect(target.addRow(index, of: source, verdict: index == 0 ? .inDoubt : .none))
        }
        // Again into another one: now no row is where a parser would leave it.
        let last = RowBatch(inputCapacity: 2048, rowCapacity: 16, slotCount: source.slotCount)
        for index in 0..<order.count {
            #expect(last.addRow(index, of: target, verdict: target.verdicts[index]))
        }
        for batch in [target, last] {
            #expect((0..<order.count).map { seen(batch, $0) } == order.map { seen(source, $0) })
            #expect(batch.verdicts == order.map { $0 == 0 ? .inDoubt : .none })
            #expect(batch.untaken == 0..<7 && batch.parsed == batch.inputEnd)
        }
    }

    @Test func `a batch takes rows up to its bytes and its places, and an empty one grows`() {
        let long = String(repeating: "x", count: 100)
        let source = batch(["y", long, "z"])
        let target = batch([], inputCapacity: 50)
        #expect(target.addRow(0, of: source, verdict: .none))
        #expect(!target.addRow(1, of: source, verdict: .none))
        #expect(target.rowCount == 1 && target.numbers == [1])
        #expect(target.addRow(2, of: source, verdict: .none))
        target.reset()
        #expect(target.addRow(1, of: source, verdict: .none) && text(target.rawRow(0)) == long)
        target.reset()
        for _ in 0..<8 { #expect(target.addRow(0, of: source, verdict: .none)) }
        #expect(!target.addRow(0, of: source, verdict: .none) && target.rowCount == 8)
    }

    @Test func `rows of tables and of JSON do not share a batch`() {
        let (table, json) = (batch(["a"]), batch(["b"]))
        json.hasJSONStrings = true
        let target = batch([])
        #expect(target.addRow(0, of: json, verdict: .none) && target.hasJSONStrings)
        #expect(!target.addRow(0, of: table, verdict: .none))
        target.reset()
        #expect(target.addRow(0, of: table, verdict: .none) && !target.hasJSONStrings)
    }
}
