import FanfareCore
import Testing

/// A report, read back by a reader of the tests' own.
struct Report {
    let columns: [String]
    let lines: [[String: String]]

    /// - Parameter text: The report; empty for a job that has not reached its provider and left none.
    /// - Throws: If it has no header.
    init(csv text: String) throws {
        guard !text.isEmpty else {
            columns = []
            lines = []
            return
        }
        var records = Self.records(text)
        columns = try #require(records.first, "the report is empty")
        records.removeFirst()
        lines = try records.map { [columns] fields in
            try #require(fields.count == columns.count, "a torn line: \(fields)")
            return Dictionary(uniqueKeysWithValues: zip(columns, fields))
        }
    }

    var rows: [Int] { lines.compactMap { Int($0["row"] ?? "") } }

    func line(_ row: Int) throws -> [String: String] {
        try #require(lines.first { $0["row"] == String(row) }, "row \(row) is not in the report")
    }

    /// The number of lines by outcome.
    var outcomes: [String: Int] {
        lines.reduce(into: [:]) { $0[$1["outcome"] ?? "", default: 0] += 1 }
    }

    /// Every row from 1 to `count` has one line, and no other row has any.
    func expectEveryRowOnce(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let sorted = rows.sorted()
        #expect(
            sorted.count == lines.count, "row numbers are numbers", sourceLocation: sourceLocation)
        // Compared first, because two long lists say little when they differ.
        guard sorted != Array(1...max(count, 1)) || count == 0 else { return }
        let missing = Set(1...max(count, 1)).subtracting(sorted).sorted().prefix(10)
        let twice = Dictionary(grouping: sorted) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        #expect(
            count == 0 && lines.isEmpty,
            "\(lines.count) lines for \(count) rows; missing \(missing), twice \(twice.prefix(10))",
            sourceLocation: sourceLocation)
    }

    /// RFC 4180, one character at a time.
    private static func records(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var bytes = Array(text.utf8)[...]
        func take() { record.append(String(decoding: field, as: UTF8.self)); field.removeAll() }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && bytes.first == UInt8(ascii: "\""):
                field.append(byte)
                bytes.removeFirst()
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                take()
            case UInt8(ascii: "\n") where !isQuoted:
                take()
                records.append(record)
                record.removeAll()
            default:
                field.append(byte)
            }
        }
        if !field.isEmpty || !record.isEmpty {
            take()
            records.append(record)
        }
        return records
    }
}
