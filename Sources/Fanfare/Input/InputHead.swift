import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareJSON

/// The beginning of an input: its format, and the columns of its rows.
struct InputHead {
    /// The input's name in messages.
    let name: String
    /// The columns to read of a row, by their names in the input.
    var schema: RowSchema
    var format = RowFormat.ndjson
    /// Its columns, in order; of NDJSON those of the first line, if they were looked for.
    var columns: [String] = []
    /// True if no row has other columns.
    var areColumnsFixed = false
    /// The separator of CSV's fields.
    var delimiter = UInt8(ascii: ",")
    /// The header row and all before it, byte for byte and with a line end; empty without one.
    var header: [UInt8] = []
    /// The place where the first row may begin.
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

    /// Returns the reason why the rows of two inputs cannot go into one file; `nil` if they can.
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
        // Spreadsheets write empty columns behind the others.
        let named = columns.filter { !$0.utf8.allSatisfy { $0 == 0x20 } }
        let list = TerminalText.shown(
            named.map { TerminalText.shown($0, max: 32) }.joined(separator: ", "), max: 200)
        let rest = columns.count - named.count
        if rest == 0 { return list }
        return (named.isEmpty ? "" : "\(list) and ") + "\(rest) without a name"
    }
}

extension RowFormat {
    /// Returns the format that a file's name gives, if it gives one.
    ///
    /// The suffix of a compression stands behind it: `rows.csv.gz`.
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
