import FanfareBase
import FanfareCore
import FanfareJSON

/// The rows that everything is measured with, and what is made of them.
///
/// Some 12,000 rows in 32 batches as a job has them: more than a processor learns by heart.
final class Material {
    static let batches = 32
    /// The template of the other benchmarks.
    static let template =
        #"{"aps":{"alert":{"title":"Hello {{name}}","body":"Your weekly summary is ready. "#
        + #"Tap to see what is new."},"sound":"default"}}"#

    let schema = RowSchema(extra: ["name"])
    let csv: [RowBatch]
    let ndjson: [RowBatch]
    let csvBytes: Int
    let ndjsonBytes: Int
    private(set) var rowCount = 0

    init() {
        let tables = Self.inputs(.csv)
        let lines = Self.inputs(.ndjson)
        csv = tables.map { [schema] in Self.batch($0, schema) }
        ndjson = lines.map { [schema] in Self.batch($0, schema) }
        csvBytes = tables.joined().count
        ndjsonBytes = lines.joined().count
        rowCount = parseCSV()
        precondition(rowCount > 0 && parseNDJSON() == rowCount)
    }

    /// The texts of all batches: as many whole rows as fit into each.
    private static func inputs(_ format: RowGenerator.Format) -> [[UInt8]] {
        var generator = RowGenerator(seed: 7)
        return (0..<batches).map { _ in
            var text = ByteBuffer(capacity: Limits.batchInputBytes)
            // A row of NDJSON has about 130 bytes, so that these are always enough room.
            generator.appendRows(count: 375, format: format, into: &text)
            precondition(text.count <= Limits.batchInputBytes)
            return Array(text.bytes)
        }
    }

    private static func batch(_ input: [UInt8], _ schema: RowSchema) -> RowBatch {
        let batch = RowBatch(
            inputCapacity: Limits.batchInputBytes, rowCapacity: Limits.batchRows,
            slotCount: schema.slotCount)
        batch.bytes.update(from: input, count: input.count)
        batch.inputEnd = input.count
        return batch
    }

    /// Makes rows of all batches anew.
    func parseCSV() -> Int {
        var parser = CSVParser(
            schema: schema, columns: RowGenerator.columns, delimiter: UInt8(ascii: ","),
            firstLine: 2)
        return csv.reduce(0) { $0 + Self.parse($1, &parser) }
    }

    func parseNDJSON() -> Int {
        var parser = NDJSONParser(schema: schema, firstLine: 1)
        return ndjson.reduce(0) { $0 + Self.parse($1, &parser) }
    }

    private static func parse(_ batch: RowBatch, _ parser: inout some RowParser) -> Int {
        // The input stays in the memory, so that its copy from a file is not measured.
        let inputEnd = batch.inputEnd
        batch.reset()
        batch.inputEnd = inputEnd
        precondition(parser.parse(batch, isFinal: true) == .needsInput, "a batch is too small")
        return batch.rowCount
    }

    func token(_ batch: RowBatch, _ row: Int) -> UnsafeBufferPointer<UInt8> {
        batch.value(batch.field(row: row, slot: RowSchema.Known.token.slot))
    }
}
