import FanfareCore
import FanfareJSON

/// A row as the tests compare it.
struct TestRow: Equatable {
    var line: UInt64
    var raw: String
    var fault: RowFault
    var values: [String]

    /// Faults without their column, which the slow reading does not know.
    static func == (left: TestRow, right: TestRow) -> Bool {
        left.line == right.line && left.raw == right.raw && left.values == right.values
            && left.fault.code == right.fault.code
    }
}

let testSchema = RowSchema(extra: ["name", "badge", "user.name", "user", "user.age.x", "list"])

/// Does what the reader does: fills batches, hands them on, grows them, gives rows up.
struct RowCollector {
    var schema = testSchema
    var inputCapacity = 200
    var rowCapacity = 5
    var inputCapacityMax = 1 << 20
    var firstLine: UInt64 = 1

    func read(_ pieces: [[UInt8]]) -> [TestRow] {
        let parser = NDJSONParser(schema: schema, firstLine: firstLine)
        var rows: [TestRow] = []
        var batch = newBatch()
        var input = pieces.flatMap { $0 }[...]
        var pieceEnds = pieces.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
            .dropFirst()
        var end = 0
        while true {
            let progress = parser.parse(
                batch, isFinal: pieceEnds.isEmpty && input.startIndex == end)
            if progress == .batchFull {
                batch = handOn(batch, to: &rows)
                continue
            }
            if input.startIndex == end {
                guard let next = pieceEnds.popFirst() else { break }
                end = next
                continue
            }
            if batch.inputEnd == batch.inputCapacity {
                if batch.rowCount > 0 || batch.parsed > 0 {
                    batch = handOn(batch, to: &rows)
                } else if batch.inputCapacity < inputCapacityMax {
                    batch.grow(toInputCapacity: min(2 * batch.inputCapacity, inputCapacityMax))
                } else {
                    _ = parser.abandonRow(in: batch)
                }
                continue
            }
            let count = min(end - input.startIndex, batch.inputCapacity - batch.inputEnd)
            (batch.bytes + batch.inputEnd).update(from: Array(input.prefix(count)), count: count)
            batch.inputEnd += count
            input = input.dropFirst(count)
        }
        precondition(batch.parsed == batch.inputEnd)
        _ = handOn(batch, to: &rows)
        return rows
    }

    private func newBatch() -> RowBatch {
        let batch = RowBatch(
            inputCapacity: inputCapacity, rowCapacity: rowCapacity, slotCount: schema.slotCount)
        // The rest of an earlier content must not matter.
        batch.bytes.initialize(repeating: UInt8(ascii: "\""), count: 2 * inputCapacity)
        return batch
    }

    private func handOn(_ batch: RowBatch, to rows: inout [TestRow]) -> RowBatch {
        for index in 0..<batch.rowCount {
            let row = batch.rows[index]
            let values = (0..<schema.slotCount).map { slot -> String in
                let field = batch.field(row: index, slot: slot)
                let text = String(decoding: batch.value(field), as: UTF8.self)
                return switch field.kind {
                case .missing: "missing"
                case .null: "null"
                case .text: "text:" + text
                case .json: "json:" + text
                }
            }
            rows.append(
                TestRow(
                    line: row.line, raw: String(decoding: batch.rawRow(index), as: UTF8.self),
                    fault: row.fault, values: values))
        }
        let next = newBatch()
        let left = batch.inputEnd - batch.parsed
        if left > next.inputCapacity { next.grow(toInputCapacity: left) }
        next.bytes.update(from: batch.bytes + batch.parsed, count: left)
        next.inputEnd = left
        return next
    }
}

/// The expected rows, by the slow reading of each line.
enum SlowRows {
    static func read(_ input: [UInt8]) -> [TestRow] {
        var input = input[...]
        if input.starts(with: [0xEF, 0xBB, 0xBF]) { input = input.dropFirst(3) }
        var rows: [TestRow] = []
        for (index, line) in input.split(separator: 10, omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            let raw = line.last == 13 ? line.dropLast() : line
            let (fault, values) = values(Array(line))
            rows.append(
                TestRow(
                    line: UInt64(index + 1), raw: String(decoding: raw, as: UTF8.self),
                    fault: RowFault(fault), values: values))
        }
        return rows
    }

    private static func values(_ line: [UInt8]) -> (RowFault.Code, [String]) {
        let none = Array(repeating: "missing", count: testSchema.slotCount)
        guard String(validating: line, as: UTF8.self) != nil else { return (.lineNotUTF8, none) }
        guard let value = ReferenceJSON.parse(line) else { return (.invalidJSON, none) }
        guard case .object = value else { return (.notAnObject, none) }
        return (
            .none,
            testSchema.names.map { name in
                let path = name.split(separator: ".").map { Array($0.utf8) }
                let found = member([Array(name.utf8)], of: value) ?? member(path, of: value)
                return found.map(describe) ?? "missing"
            }
        )
    }

    private static func member(_ path: [[UInt8]], of value: ReferenceJSON.Value) -> ReferenceJSON
        .Value?
    {
        guard let key = path.first else { return value }
        guard case .object(_, let members) = value,
            let found = members.last(where: { $0.key == key })
        else { return nil }
        return member(Array(path.dropFirst()), of: found.value)
    }

    private static func describe(_ value: ReferenceJSON.Value) -> String {
        switch value {
        case .null: "null"
        case .string(let text): "text:" + String(decoding: text, as: UTF8.self)
        case .other(let raw), .array(let raw), .object(let raw, _):
            "json:" + String(decoding: raw, as: UTF8.self)
        }
    }
}

/// SplitMix64, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func interestingByte() -> UInt8 {
        let bytes = Array("\"\\{}[]:,0 -e.tn\r\t\u{1}\u{C}".utf8) + [0x00, 0x80, 0xC3, 0xFF, 0x0A]
        return below(4) == 0 ? UInt8(below(256)) : bytes[below(bytes.count)]
    }
}
