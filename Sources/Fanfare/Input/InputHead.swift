import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareJSON

/// How an input begins: what it is, and what its rows are.
struct InputHead {
    /// What messages call the input.
    let name: String
    /// What is wanted of a row, by the names that the input has for it.
    var schema: RowSchema
    var format = RowFormat.ndjson
    /// Its columns, in order; of NDJSON those of the first line, if they were looked for.
    var columns: [String] = []
    /// Whether no row has others.
    var areColumnsFixed = false
    /// What separates the fields of CSV.
    var delimiter = UInt8(ascii: ",")
    /// The header row and all before it, byte for byte and with a line end; empty without one.
    var header: [UInt8] = []
    /// Where the first row may begin.
    var firstRow = (offset: 0, line: UInt64(1))
    /// The bytes that it begins with, as many as were there at once.
    var beginning: [UInt8] = []
    /// The columns that were found under other names and the like, in sentences.
    var notices: [Statement] = []

    /// Prepares to parse the rows.
    func parser(_ quotes: RowQuotes) -> any RowParser {
        switch format {
        case .ndjson: NDJSONParser(schema: schema, firstLine: firstRow.line)
        case .csv:
            CSVParser(
                schema: schema, columns: columns, delimiter: delimiter, firstLine: firstRow.line,
                quotes: quotes.meaning)
        }
    }

    /// What keeps the rows of two inputs from going into one file, for a message; `nil` if nothing does.
    func difference(from other: InputHead) -> String? {
        if format != other.format { return "one is CSV and one is NDJSON" }
        guard format == .csv else { return nil }
        if columns != other.columns { return "their columns differ" }
        return delimiter == other.delimiter ? nil : "their fields are separated differently"
    }

    /// Columns as a message may show them.
    ///
    /// A file without a header has tokens where names are expected, and no message shows a whole
    /// token: 32 characters are enough of any name.
    static func list(_ columns: [String]) -> String {
        if columns.isEmpty { return "none" }
        return TerminalText.shown(
            columns.map { TerminalText.shown($0, max: 32) }.joined(separator: ", "), max: 200)
    }
}

extension RowFormat {
    /// The format that a file's name tells, if it does.
    ///
    /// Whether it is compressed stands behind: `rows.csv.gz`.
    init?(ofPath path: String) {
        let name = CompressionFormat.split(path).name.lowercased()
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") {
            self = .csv
        } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }
}
