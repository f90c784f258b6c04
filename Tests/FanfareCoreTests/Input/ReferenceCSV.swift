import FanfareCore

/// A row as a parser has read it: what tests compare.
struct ReadRow: Equatable, CustomStringConvertible {
    var line: UInt64
    var raw: [UInt8]
    /// One for each column of the header; `nil` where the row has none.
    var values: [[UInt8]?]
    var fault: RowFault

    var description: String {
        let texts = values.map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "–" }
        return "line \(line), \(fault.code) \(fault.column), \(texts), \(raw)"
    }
}

/// CSV by the book and one byte after the other: slow, but easy to see through.
struct ReferenceCSV {
    let input: [UInt8]
    let columnCount: Int
    let delimiter: UInt8
    private var offset = 0
    private var line: UInt64

    init(_ input: [UInt8], columnCount: Int, delimiter: UInt8, firstLine: UInt64) {
        self.input = input
        self.columnCount = columnCount
        self.delimiter = delimiter
        self.line = firstLine
        if firstLine == 1 && input.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    mutating func rows() -> [ReadRow] {
        var rows: [ReadRow] = []
        while offset < input.count {
            if lineEndLength > 0 {
                passLineEnd()
            } else if let end = endOfDelimiters {
                offset = end
                if offset < input.count { passLineEnd() }
            } else {
                rows.append(row())
            }
        }
        return rows
    }

    /// The bytes of the line end at `offset`: LF, CRLF, or CR as the last byte of the input.
    private var lineEndLength: Int {
        let rest = input[offset...].prefix(2)
        if rest.first == 10 || rest.elementsEqual([13]) { return 1 }
        return rest.elementsEqual([13, 10]) ? 2 : 0
    }

    /// The end of a line that has nothing but delimiters, without its line end.
    private var endOfDelimiters: Int? {
        let rest = input[offset...].drop { $0 == delimiter }
        let isLine =
            rest.isEmpty || rest.first == 10 || rest.elementsEqual([13])
            || rest.starts(with: [13, 10])
        return rest.startIndex > offset && isLine ? rest.startIndex : nil
    }

    private mutating func passLineEnd() {
        offset += lineEndLength
        line += 1
    }

    private mutating func row() -> ReadRow {
        var row = ReadRow(line: line, raw: [], values: [], fault: .none)
        let start = offset
        while true {
            let isQuoted = offset < input.count && input[offset] == 34
            guard let value = isQuoted ? quoted() : unquoted() else {
                row.fault = RowFault(.unclosedQuote, column: row.values.count + 1)
                break
            }
            if offset < input.count && input[offset] != delimiter && lineEndLength == 0 {
                row.fault = RowFault(.textAfterQuote, column: row.values.count + 1)
                while offset < input.count && lineEndLength == 0 { offset += 1 }
                break
            }
            row.values.append(value)
            if offset == input.count || lineEndLength > 0 { break }
            offset += 1
        }
        row.raw = Array(input[start..<offset])
        if offset < input.count { passLineEnd() }
        finish(&row)
        return row
    }

    /// Everything up to the next delimiter or line end.
    private mutating func unquoted() -> [UInt8]? {
        let start = offset
        while offset < input.count && input[offset] != delimiter && lineEndLength == 0 {
            offset += 1
        }
        return Array(input[start..<offset])
    }

    /// The value between quotes; `nil` if the second one is not there.
    private mutating func quoted() -> [UInt8]? {
        var value: [UInt8] = []
        offset += 1
        while offset < input.count {
            let byte = input[offset]
            offset += 1
            if byte == 34 {
                guard offset < input.count && input[offset] == 34 else { return value }
                offset += 1
            }
            if byte == 10 { line += 1 }
            value.append(byte)
        }
        return nil
    }

    private func finish(_ row: inout ReadRow) {
        if row.fault == .none && row.values.count > columnCount {
            row.fault = RowFault(.tooManyFields, column: columnCount + 1)
        }
        if row.fault == .none && row.values.count < columnCount {
            row.fault = RowFault(.tooFewFields, column: row.values.count + 1)
        }
        row.values = Array(row.values.prefix(columnCount))
        row.values += Array(repeating: nil, count: columnCount - row.values.count)
        for (index, value) in row.values.enumerated() {
            guard let value, String(validating: value, as: UTF8.self) == nil else { continue }
            row.values[index] = nil
            if row.fault == .none { row.fault = RowFault(.invalidUTF8, column: index + 1) }
        }
    }
}
