import FanfareBase
package import FanfareCore
import FanfareSystem

/// Writes the lines of reports that are wanted, with the columns that are.
package struct ReportExtract: ~Copyable {
    /// The settings of an extract.
    package struct Settings {
        /// A line has to fit all of them.
        package var filters: [ReportFilter] = []
        /// `nil` for all that the first report has.
        package var columns: [String]?
        /// The path of the extract; `-` is standard output.
        package var path = "-"
        /// The format; `nil` to go by the name, and to write CSV if the name gives none.
        package var format: RowFormat?
        /// True if lines stand in the order of their rows; the reports are read twice then.
        package var isOrdered = false
        /// True if an existing file may be replaced.
        package var overwrites = false
        /// True if fields that a spreadsheet would take for a formula get an apostrophe.
        package var isForSpreadsheets = false
        /// Called while a database is made; if it returns true, the work ends.
        package var isCancelled: @Sendable () -> Bool = { false }

        /// True if the extract goes into a database.
        var isDatabase: Bool { format == nil && ReportTable.isNamed(path) }

        /// All lines and columns, as CSV, to standard output.
        package init() {}
    }

    /// The reason why there is no extract, or not a whole one.
    package enum Failure: Error {
        /// A column that was asked for is not in a report.
        case unknownColumn(String, in: String, known: [String])
        /// The reader of our output has enough.
        case readerGone
        case failed(FanfareError)
    }

    let settings: Settings
    /// The file for text; `nil` for a database.
    let file: OutputFile?
    /// The database, once its columns are known.
    private var table: ReportTable?
    private let kind: ReportFormat.Kind
    var block = ByteBuffer(capacity: Limits.reportBlockBytes + 4096)
    /// The columns that are written; empty until the first report has been looked at.
    private var columns: [String] = []
    /// True once the file has lost what it had: not before there is something to write.
    private var isBegun = false
    /// The error to report in place of one that only ends the reading.
    private var failure: Failure?

    init(_ settings: Settings, file: OutputFile?) {
        self.settings = settings
        self.file = file
        kind = Self.kind(settings)
    }

    /// Opens the extract's file.
    private static func open(
        _ inputs: [RowInput], _ settings: Settings
    ) throws(FanfareError) -> OutputFile? {
        let draft = settings.isDatabase ? [ReportTable.draft(of: settings.path)] : []
        let places = [settings.path] + draft
        for input in inputs where places.contains(where: { input.isRead(from: $0) }) {
            throw FanfareError(
                .configuration,
                "the lines would replace the report \(input.name); \(.extractPath, any: "FILE") "
                    + "names another file")
        }
        guard !settings.isForSpreadsheets || (!settings.isDatabase && kind(settings) == .csv) else {
            throw FanfareError(
                .configuration,
                "\(.isForSpreadsheets) is for CSV; the lines go to \(settings.path) in another "
                    + "format")
        }
        if settings.isDatabase {
            guard !settings.isOrdered else {
                throw FanfareError(
                    .configuration,
                    "a database has no order: leave out \(.isExtractOrdered), and ask it with "
                        + "ORDER BY")
            }
            try ReportDatabase.checkPlace(settings.path, replacesWhole: settings.overwrites)
            guard settings.overwrites || !FileDescriptor.exists(settings.path) else {
                throw OutputFiles.alreadyThere(settings.path, .extractPath)
            }
            return nil
        }
        ProcessSignal.blockBrokenPipe()
        do throws(FileError) {
            return try OutputFile(settings.path, mayExist: settings.overwrites)
        } catch {
            guard error.kind != .exists, error.kind != .isDirectory else {
                throw OutputFiles.alreadyThere(settings.path, .extractPath)
            }
            throw FanfareError(.output, "\(settings.path) cannot be created: \(error.reason)")
        }
    }

    private static func kind(_ settings: Settings) -> ReportFormat.Kind {
        let format = settings.format ?? RowFormat(ofPath: settings.path) ?? .csv
        return format == .csv ? .csv : .ndjson
    }

    /// Reads reports and writes the selected lines.
    /// - Parameters:
    ///   - inputs: The reports.
    ///   - settings: The selection and its destination.
    /// - Returns: The reports, with their incomplete ends.
    /// - Throws: `Failure`; lines that were already written stay.
    package static func write(
        _ inputs: [RowInput], _ settings: Settings
    ) throws(Failure) -> [ReportDigest.File] {
        let file: OutputFile?
        do throws(FanfareError) {
            file = try open(inputs, settings)
        } catch {
            throw .failed(error)
        }
        var extract = ReportExtract(settings, file: file)
        do throws(FanfareError) {
            if settings.isOrdered { return try extract.readInOrder(inputs) }
            var files: [ReportDigest.File] = []
            let counted = CountedLines(inputs)
            for input in inputs { files.append(try extract.read(input, counted)) }
            try extract.flush()
            try extract.table?.finish()
            return files
        } catch {
            if settings.isDatabase { ReportTable.discard(settings.path) }
            throw extract.failure ?? .failed(error)
        }
    }

    // MARK: One report

    private mutating func read(
        _ input: RowInput, _ counted: CountedLines
    ) throws(FanfareError) -> ReportDigest.File {
        let reader = try ReportReader(input, wantsAll: true)
        let lines = try begin(reader, input.name)
        return try reader.read { line, position throws(FanfareError) in
            guard lines.isWanted(position), try counted.has(line) else { return }
            if let table {
                try table.append(position, slots: lines.slots, isText: lines.isText)
                return
            }
            append(position, lines)
            if block.count >= Limits.reportBlockBytes { try flush() }
        }
    }

    /// The handling of one report's lines.
    struct Lines {
        let filters: [[(slot: Int?, alternative: ReportFilter.Alternative)]]
        /// For each column that is written, its place; `nil` where this report has none.
        let slots: [Int?]
        /// True if all values are text, including numbers.
        let isText: Bool

        func isWanted(_ position: ReportReader.Position) -> Bool {
            filters.allSatisfy { filter in
                filter.contains { slot, alternative in
                    let field = position.field(slot)
                    let value = unsafe position.batch.value(field.isMissing ? .missing : field)
                    return alternative.patterns.contains { unsafe $0.matches(value) }
                        != alternative.isNegated
                }
            }
        }
    }

    mutating func begin(
        _ reader: ReportReader, _ name: String
    ) throws(FanfareError) -> Lines {
        // A report without a line has the columns that all have.
        let known = reader.columns.isEmpty ? ReportFormat.columns : reader.columns
        let wanted = settings.filters.flatMap { $0.alternatives.map(\.column) }
        for column in wanted + (settings.columns ?? []) where !known.contains(column) {
            failure = .unknownColumn(column, in: name, known: known)
            throw FanfareError(.configuration, "\(name) has no column '\(column)'")
        }
        if columns.isEmpty {
            // A reader takes the first of two columns with one name.
            columns = settings.columns ?? known.distinct
            if settings.isDatabase {
                table = try ReportTable(
                    settings.path, columns: columns, isCancelled: settings.isCancelled)
            } else {
                writeHeader()
            }
        }
        return Lines(
            filters: settings.filters.map { filter in
                filter.alternatives.map { (reader.slot(of: $0.column), $0) }
            },
            slots: columns.map { reader.slot(of: $0) }, isText: reader.kind == .csv)
    }

    // MARK: Writing

    private mutating func writeHeader() {
        guard kind == .csv else { return }
        for (index, column) in columns.enumerated() {
            if index > 0 { block.append(UInt8(ascii: ",")) }
            var column = column
            column.withUTF8 { unsafe appendCSV($0) }
        }
        block.append(UInt8(ascii: "\n"))
    }

    mutating func append(_ position: ReportReader.Position, _ lines: Lines) {
        if kind == .ndjson { block.append(UInt8(ascii: "{")) }
        for (index, column) in columns.enumerated() {
            if index > 0 { block.append(UInt8(ascii: ",")) }
            let field = position.field(lines.slots[index])
            let value = unsafe position.batch.value(field)
            switch kind {
            case .csv:
                if columns.count == 1 && (field.isMissing || value.isEmpty) {
                    // A line with nothing on it is no line to those who read CSV.
                    block.append("\"\"")
                } else if !field.isMissing {
                    unsafe appendCSV(value)
                }
            case .ndjson:
                block.appendJSONString(column)
                block.append(UInt8(ascii: ":"))
                unsafe append(value, field, column, isText: lines.isText)
            }
        }
        if kind == .ndjson { block.append(UInt8(ascii: "}")) }
        block.append(UInt8(ascii: "\n"))
    }

    // https://owasp.org/www-community/attacks/CSV_Injection
    private mutating func appendCSV(_ value: UnsafeBufferPointer<UInt8>) {
        guard settings.isForSpreadsheets else { return unsafe block.appendCSVField(value) }
        block.appendCSVField(unsafe Self.withoutFormulas(Array(value)))
    }

    /// Returns a value with an apostrophe before all that a spreadsheet would take for a formula: at its beginning, and
    /// where it may begin a cell, which for some is behind a semicolon, a tab or a line end, with or without quotes.
    private static func withoutFormulas(_ value: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var beginsCell = true
        for (place, byte) in value.enumerated() {
            let isMark = "=+-@".utf8.contains(byte)
            let isBlank = place == 0 && "\t\r\n\0".utf8.contains(byte)
            if beginsCell && isMark || isBlank { text.append(UInt8(ascii: "'")) }
            text.append(byte)
            let isQuote = byte == UInt8(ascii: "\"") && place > 0
            beginsCell = ";\t\r\n".utf8.contains(byte) || beginsCell && isQuote
        }
        return text
    }

    /// Columns whose values are numbers in NDJSON.
    private static let numbers = ["row", "status", "attempts", "latency_ms"]

    private mutating func append(
        _ value: UnsafeBufferPointer<UInt8>, _ field: Field, _ column: String, isText: Bool
    ) {
        let isOurs = ReportFormat.columns.contains(column)
        if field.isMissing || (isText && isOurs && value.isEmpty) {
            block.append("null")
        } else if field.kind == .json || (isText && Self.numbers.contains(column)) {
            // In CSV everything is text; a text that is none of our numbers stays text.
            let isNumber = unsafe value.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
            if field.kind == .json || isNumber {
                unsafe block.append(value)
            } else {
                unsafe block.appendJSONString(value)
            }
        } else {
            unsafe block.appendJSONString(value)
        }
    }

    mutating func flush() throws(FanfareError) {
        guard let file else { return }
        do throws(FileError) {
            if !isBegun {
                try file.cut(toLength: 0)
                // Without a line it would be no compressed file at all.
                if file.isCompressed { try file.begin(with: []) }
                isBegun = true
            }
            _ = unsafe file.prepare(block.bytes)
            unsafe try file.append(block.bytes)
            block.removeAll()
        } catch {
            if error.kind == .brokenPipe { failure = .readerGone }
            throw FanfareError(.output, "\(file.name) cannot be written: \(error.reason)")
        }
    }
}
