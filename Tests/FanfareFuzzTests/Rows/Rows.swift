import FanfareBase
import FanfareCore
import FanfareJSON

extension FuzzTarget {
    private static let columns = ["token", "a", "b"]
    private static let delimiters: [UInt8] = Array(",;\t|".utf8)

    /// CSV: the delimiter and how large a batch is, then the text; and the same as a head.
    static let csv = FuzzTarget("csv") { bytes throws(Violation) in
        var input = InputReader(bytes)
        let delimiter = delimiters[input.byte() % 4]
        let schema = RowSchema(extra: columns)
        try read(Array(input.rest.dropFirst()), schema, input.byte()) {
            CSVParser(schema: schema, columns: columns, delimiter: delimiter, firstLine: 2)
        }
        try readHead(Array(input.rest.prefix(100)))
    }

    /// NDJSON: how large a batch is, then the text.
    static let ndjson = FuzzTarget("ndjson") { bytes throws(Violation) in
        var input = InputReader(bytes)
        let size = input.byte()
        let schema = RowSchema(extra: ["token", "a", "b.c", "b.c.d"])
        try read(Array(input.rest), schema, size) { NDJSONParser(schema: schema, firstLine: 1) }
    }

    private static func read<Parser: RowParser>(
        _ text: [UInt8], _ schema: RowSchema, _ size: Int, _ parser: () -> Parser
    ) throws(Violation) {
        var reader = BatchReader(schema: schema)
        var first: [FuzzedRow]?
        for pieces in Pieces.ways(text) {
            let rows = try reader.rows(pieces, parser())
            if let first, first != rows {
                throw Violation("pieces make a difference: \(first) and \(rows)")
            }
            first = first ?? rows
        }
        // With so little memory that rows are given up: every line is counted all the same.
        reader.inputCapacity = 8 + size % 32
        reader.inputCapacityMax = 8 + size
        reader.rowCapacity = 1 + size % 3
        for pieces in Pieces.ways(text) {
            let rows = try reader.rows(pieces, parser())
            let lines = rows.map(\.line)
            try Violation.check(
                zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "lines go back: \(lines)")
        }
    }

    /// A head is the same as soon as it is whole.
    private static func readHead(_ text: [UInt8]) throws(Violation) {
        func head(_ count: Int) -> CSVHeader.HeaderResult {
            var header = CSVHeader(delimiter: nil)
            return text[..<count].withUnsafeBufferPointer {
                header.parse($0, isFinal: count == text.count)
            }
        }
        let whole = head(text.count)
        try Violation.check(whole != .needsMoreInput, "a head needs more than there is")
        guard case .header(_, _, let consumed, _) = whole else { return }
        try Violation.check(consumed <= text.count, "a head is longer than its text")
        for count in consumed...text.count where head(count) != .needsMoreInput {
            try Violation.check(
                head(count) == whole, "a head differs when it is cut off at \(count)")
        }
    }

    /// A template, then 0, then a row of NDJSON: what comes of it is JSON.
    static let template = FuzzTarget("template") { bytes throws(Violation) in
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let validator = JSONValidator()
        var json = ByteBuffer()
        guard Array(parts[0]).withUnsafeBufferPointer({ validator.minify($0, into: &json) }),
            let names = try? PayloadTemplate.columnNames(inJSON: Array(json.bytes))
        else { return }
        let schema = RowSchema(extra: names)
        guard
            let template = try? PayloadTemplate(
                json: Array(json.bytes), schema: schema, isJSON: { validator.isValid($0) })
        else { return }
        let row = Array(parts.count > 1 ? parts[1] : []) + [0x0A]
        let batch = RowBatch(
            inputCapacity: row.count, rowCapacity: 8, slotCount: schema.slotCount)
        for (isJSON, parser) in parsers(schema, names) {
            batch.reset()
            batch.hasJSONStrings = isJSON
            batch.bytes.update(from: row, count: row.count)
            batch.inputEnd = row.count
            var parser = parser
            _ = parser.parse(batch, isFinal: true)
            try render(batch, template, validator)
        }
    }

    private static func parsers(
        _ schema: RowSchema, _ names: [String]
    ) -> [(isJSON: Bool, any RowParser)] {
        [
            (true, NDJSONParser(schema: schema, firstLine: 1)),
            (
                false,
                CSVParser(
                    schema: schema, columns: names.isEmpty ? ["a"] : names, delimiter: 0x2C,
                    firstLine: 1)
            ),
        ]
    }

    private static func render(
        _ batch: RowBatch, _ template: PayloadTemplate, _ validator: JSONValidator
    ) throws(Violation) {
        for index in 0..<batch.rowCount where batch.rows[index].fault.code == .none {
            var payload = ByteBuffer()
            let fault = template.render(
                batch, row: index, into: &payload, isJSON: { validator.isValid($0) })
            if fault != nil {
                try Violation.check(payload.isEmpty, "a payload in spite of a fault")
            } else {
                let text = String(decoding: payload.bytes, as: UTF8.self)
                try Violation.check(validator.isValid(payload.bytes), "not JSON: \(text)")
            }
        }
    }
}
