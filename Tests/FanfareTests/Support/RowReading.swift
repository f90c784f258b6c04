import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// One row as a source gave it.
struct ReadRow: Equatable {
    var number: UInt64
    var input = 0
    var line: UInt64
    var token: String?
    var fault = RowFault.Code.none
}

/// Reads a source to its end and holds each row against the bytes of its input.
struct RowReading {
    private(set) var rows: [ReadRow] = []
    private(set) var batchCount = 0
    private let source: RowSource

    /// A source over inputs, with the token as the only column that must be there.
    static func source(
        _ inputs: [RowInput], _ change: (inout RowOptions) -> Void = { _ in },
        required: [(column: String, by: Statement)] = [("token", "every row needs")]
    ) -> RowSource {
        var options = RowOptions()
        change(&options)
        return RowSource(
            inputs,
            InputSpec(
                options: options, schema: RowSchema(mapping: options.mapping), required: required))
    }

    static func rows(
        _ inputs: [RowInput], inputCapacity: Int = 4096, rowCapacity: Int = 64,
        _ change: (inout RowOptions) -> Void = { _ in }
    ) throws -> [ReadRow] {
        var reading = RowReading(source(inputs, change))
        try reading.readAll(inputCapacity: inputCapacity, rowCapacity: rowCapacity)
        return reading.rows
    }

    init(_ source: RowSource) {
        self.source = source
    }

    /// Every batch is a new one, so that none has grown for the sake of an earlier row.
    mutating func readAll(inputCapacity: Int, rowCapacity: Int) throws {
        while true {
            let batch = RowBatch(
                inputCapacity: inputCapacity, rowCapacity: rowCapacity,
                slotCount: source.schema.slotCount)
            guard try source.fill(batch) else { break }
            batchCount += 1
            take(batch)
        }
        #expect(source.rowCount == UInt64(rows.count))
    }

    private mutating func take(_ batch: RowBatch) {
        #expect(batch.rowCount > 0)
        for index in 0..<batch.rowCount {
            let row = batch.rows[index]
            let token = batch.field(row: index, slot: RowSchema.Known.token.rawValue)
            rows.append(
                ReadRow(
                    number: batch.firstRow + UInt64(index), input: batch.inputIndex,
                    line: row.line, token: token.isMissing ? nil : String(batch.value(token)),
                    fault: row.fault.code))
            guard case .memory(let bytes, _) = source.inputs[batch.inputIndex] else { continue }
            let start = Int(batch.inputOffset) + Int(row.start)
            #expect(bytes[start..<start + Int(row.length)].elementsEqual(batch.rawRow(index)))
        }
    }
}
