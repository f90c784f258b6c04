import FanfareBase
package import FanfareCore

/// Reads an existing report, line by line, of any job and with any end.
///
/// A job that was killed leaves an incomplete line, or an incomplete compressed block: the result
/// says so, and the lines before it count. Any other text that is no line of a report is an error,
/// and so is any such row of a database, which a job leaves whole or not at all.
struct ReportReader {
    /// A line, and where the other values of it are.
    @safe
    struct Position {
        let batch: RowBatch
        let index: Int

        /// A value of the line; missing where its report has no such column.
        func field(_ slot: Int?) -> Field {
            slot.map { batch.field(row: index, slot: $0) } ?? .missing
        }
    }

    /// The format of the report.
    let kind: ReportFormat.Kind
    private let found: ReportColumns
    private let rows: RowReader
    private var schema: RowSchema { rows.head.schema }
    private let name: String
    private let isDatabase: Bool

    /// Opens a report and reads its beginning.
    /// - Parameters:
    ///   - input: The report.
    ///   - wantsAll: True to read all columns, and not only those of `ReportLine` and the key.
    /// - Throws: `FanfareError.Code.input` when the file cannot be read, or is no report.
    init(_ input: RowInput, wantsAll: Bool = false) throws(FanfareError) {
        name = input.name
        let database = try ReportDatabase.lines(of: input, wantsAll: wantsAll)
        isDatabase = database != nil
        var options = RowOptions()
        options.delimiter = UInt8(ascii: ",")
        // A job has written them: a value may look like a line, be it of another report.
        options.quotes = .trusted
        rows = try RowReader(
            database?.input ?? input,
            InputSpec(
                options: options, schema: RowSchema(extra: ReportLineReader.columns),
                wantsAllColumns: wantsAll))
        // In a database our numbers are numbers and everything else is text, as in CSV.
        kind = rows.head.format == .csv || database != nil ? .csv : .ndjson
        found = ReportColumns(database?.columns ?? rows.head.columns)
        guard kind == .ndjson || found.areWhole else {
            throw FanfareError(
                .input,
                message:
                    "\(name) is no report: its first line is not the header of one, which begins with "
                    + ReportFormat.columns.prefix(4).joined(separator: ",") + ",…")
        }
    }

    /// Its columns under the names that they have now; of NDJSON those of the first line.
    var columns: [String] { found.names }

    /// True if it has all columns of a report's own.
    var isWhole: Bool { found.areWhole }

    /// Returns the place of a column's values; `nil` if there is no such column.
    func slot(of column: String) -> Int? { schema.slot(named: found.nameInFile(of: column)) }

    /// - Throws: `FanfareError.Code.input` when there is no such column.
    fileprivate func slot(of column: String, in input: RowInput) throws(FanfareError) -> Int {
        guard columns.contains(column), let slot = slot(of: column) else {
            let near = NearWords.nearest(to: column, among: columns)
            let advice =
                near.first.map { "did you mean '\($0)'?" }
                ?? "its columns are \(columns.joined(separator: ", "))"
            throw FanfareError(
                .input, message: "\(input.name) has no column '\(column)'; \(advice)")
        }
        return slot
    }

    /// Reads all lines.
    /// - Parameter each: Called for every complete line.
    /// - Returns: The number of lines, and an incomplete end.
    /// - Throws: `FanfareError.Code.input` when reading fails, or a line is not a report's; and the
    ///   errors of `each`.
    func read(
        _ each: (ReportLine, Position) throws(FanfareError) -> Void
    ) throws(FanfareError) -> ReportDigest.File {
        var file = ReportDigest.File(name: name, lines: 0)
        var reader = ReportLineReader(schema: schema)
        let batch = RowBatch(slotCount: schema.slotCount)
        /// A line that is wrong, unless it is the last one.
        var doubtful: (line: UInt64, text: String)?
        while try fill(batch, &file) {
            for index in 0..<batch.rowCount {
                let number = unsafe batch.rows[index].line
                if let doubtful { throw noLine(doubtful) }
                guard Self.hasLineEnd(batch, index) else {
                    doubtful = (number, "it has no end")
                    continue
                }
                guard let line = reader.line(batch, index) else {
                    doubtful = (number, fault(of: batch, index))
                    continue
                }
                try each(line, Position(batch: batch, index: index))
                file.lines += 1
            }
        }
        if let doubtful, isDatabase { throw noLine(doubtful) }
        if let doubtful { file.torn = "line \(doubtful.line) is not whole: \(doubtful.text)" }
        return file
    }

    /// - Returns: False at the end, which may be where a compressed report has been cut off.
    private func fill(
        _ batch: RowBatch, _ file: inout ReportDigest.File
    ) throws(FanfareError) -> Bool {
        do throws(FanfareError) {
            return try rows.fill(batch)
        } catch {
            guard rows.text.fault?.isCutOff == true else { throw error }
            file.torn = "its last block is cut off"
            return false
        }
    }

    private func noLine(_ fault: (line: UInt64, text: String)) -> FanfareError {
        FanfareError(
            .input,
            message:
                "\(name), \(isDatabase ? "row" : "line") \(fault.line), is no line of a report: "
                + fault.text)
    }

    private func fault(of batch: RowBatch, _ index: Int) -> String {
        let fault = unsafe batch.rows[index].fault
        if fault.code != .none { return "\(fault.text)" }
        return "it has no row number, or no outcome"
    }

    /// A line is whole when something stands behind it: only the last one can have no end.
    private static func hasLineEnd(_ batch: RowBatch, _ index: Int) -> Bool {
        let row = unsafe batch.rows[index]
        return Int(row.start) + Int(row.length) < batch.inputEnd
    }
}

extension ReportDigest {
    /// Reads reports as those of one job.
    ///
    /// A line about a lost worker or report is left out of the sums if a report has another one of its row.
    /// - Parameters:
    ///   - inputs: The reports.
    ///   - keepsSeries: True to keep the course over time.
    ///   - column: The column whose values the outcomes are counted by; `nil` for none.
    ///   - wantsJobs: True to look which jobs the ids of the rows name, and to keep the rows of each report.
    /// - Returns: The sums of all lines.
    /// - Throws: `FanfareError.Code.input` when a file cannot be read, or is no report.
    package static func reading(
        _ inputs: [RowInput], keepsSeries: Bool = false, by column: String? = nil,
        wantsJobs: Bool = false
    ) throws(FanfareError) -> ReportDigest {
        var digest = ReportDigest(keepsSeries: keepsSeries)
        digest.groups = column.map { OutcomeGroups(column: $0) }
        digest.jobs = wantsJobs ? [] : nil
        let counted = CountedLines(inputs)
        for input in inputs {
            let reader = try ReportReader(input, wantsAll: column != nil || wantsJobs)
            let slot = try column.map { column throws(FanfareError) in
                try reader.slot(of: column, in: input)
            }
            var part = wantsJobs ? ReportRows(file: input.name) : nil
            let idSlot = wantsJobs ? reader.slot(of: "message_id") : nil
            let file = try reader.read { line, position throws(FanfareError) in
                let counts = try counted.has(line)
                digest.record(line, counts: counts)
                part?.note(row: line.row, isWrittenOff: line.isWrittenOff)
                if let idSlot {
                    let id = unsafe position.batch.value(position.field(idSlot))
                    if id.count == JobIdentity.idBytes {
                        digest.record(
                            id: unsafe String(decoding: id, as: UTF8.self), ofRow: line.row,
                            in: input.name)
                    }
                }
                guard let slot, counts else { return }
                let value = unsafe position.batch.value(position.field(slot))
                digest.groups?.record(unsafe String(decoding: value, as: UTF8.self), line.outcome)
            }
            digest.files.append(file)
            if let part { digest.parts.append(part) }
        }
        digest.groups?.sort()
        return digest
    }
}
