import FanfareBase
import FanfareCompression
import FanfareCore

/// Reads a report back: the rows that have a line, and the sums of the lines.
///
/// A report is the log of its job. The parsers of rows read its lines; the first line that is not
/// whole ends it.
struct ReportScan {
    private(set) var rows = RowSet()
    private(set) var tally = Tally()
    private(set) var latency = LatencyHistogram()
    /// The end of the last line that is whole and right, the header among them.
    ///
    /// Of a compressed report all of it, or nothing if one line is wrong.
    private(set) var wholeBytes: Int = 0
    let isCompressed: Bool
    /// The payloads that rows choose from, as the report names them.
    private let variants: [[UInt8]]
    /// The place of the name in a line; `nil` where rows do not choose.
    private var variantSlot: Int?
    /// The bytes of the parts before the one that is read.
    private var partOffset = 0
    /// The line behind it, if there is one: its number and its fault.
    private(set) var fault: (line: UInt64, text: String)?
    /// The file that the fault is in.
    private(set) var faultName = ""

    /// Reads a report.
    /// - Parameters:
    ///   - input: The report, as a file or as bytes.
    ///   - format: The format that its job writes.
    ///   - variants: The payloads that rows choose from, in order.
    ///   - compression: The compression; `nil` for none.
    ///   - byteCount: Its length as a file; later bytes are ignored.
    /// - Throws: `FanfareError.Code.input` when it cannot be read.
    init(
        _ input: RowInput, format: ReportFormat, variants: [String] = [],
        compression: CompressionFormat? = nil, byteCount: Int
    ) throws(FanfareError) {
        try self.init(
            parts: [(input, byteCount)], format: format, variants: variants,
            compression: compression)
    }

    /// Reads a report in parts, each with its own header.
    /// - Parameters:
    ///   - parts: The parts in order, with the number of bytes to read.
    ///   - format: The format that its job writes.
    ///   - variants: The payloads that rows choose from, in order.
    ///   - compression: The compression; `nil` for none.
    /// - Throws: `FanfareError.Code.input` when a part cannot be read.
    init(
        parts: [(input: RowInput, byteCount: Int)], format: ReportFormat,
        variants: [String] = [], compression: CompressionFormat? = nil
    ) throws(FanfareError) {
        isCompressed = compression != nil
        self.variants = variants.map { Array($0.utf8) }
        // The name is the last of the carried columns.
        let column = "carried \(format.carriedNames.count - 1)"
        let schema = RowSchema(
            extra: ReportLineReader.columns + (variants.isEmpty ? [] : [column]))
        variantSlot = variants.isEmpty ? nil : schema.slot(named: column)
        let batch = RowBatch(slotCount: schema.slotCount)
        for (input, byteCount) in parts where fault == nil && byteCount > 0 {
            partOffset = wholeBytes
            try read(input, format, schema, byteCount, batch)
            if fault != nil {
                faultName = input.name
            } else if isCompressed {
                wholeBytes = partOffset + byteCount
            } else if wholeBytes < partOffset + byteCount {
                // Nothing may follow a line that is not whole.
                break
            }
        }
        if isCompressed && fault != nil { wholeBytes = 0 }
    }

    private mutating func read(
        _ input: RowInput, _ format: ReportFormat, _ schema: RowSchema, _ byteCount: Int,
        _ batch: RowBatch
    ) throws(FanfareError) {
        var options = RowOptions()
        options.format = format.kind == .csv ? .csv : .ndjson
        // Columns by position: a carried one may have any name.
        options.hasHeader = false
        options.delimiter = UInt8(ascii: ",")
        // We have written them: no quote is left open, and a value may look like a line.
        options.quotes = .trusted
        options.columns =
            ReportFormat.columns + format.carriedNames.indices.map { "carried \($0)" }
        let rows = try RowReader(
            input,
            InputSpec(
                options: options, schema: schema, bytesMax: isCompressed ? byteCount : .max))
        var reader = ScannedLines(
            schema: schema, header: format.header, byteCount: isCompressed ? .max : byteCount)
        while fault == nil, try rows.fill(batch) {
            for index in 0..<batch.rowCount where fault == nil {
                read(batch, index, &reader)
            }
        }
    }

    private mutating func read(_ batch: RowBatch, _ index: Int, _ reader: inout ScannedLines) {
        switch reader.read(batch, index) {
        case .header(let end):
            wholeBytes = partOffset + end
        case .line(let line, let end):
            guard rows.insert(line.row) else {
                fault = (unsafe batch.rows[index].line, "row \(line.row) has two lines")
                return
            }
            count(line)
            countVariant(of: batch, index, line.outcome)
            wholeBytes = partOffset + end
        case .fault(let text):
            fault = (unsafe batch.rows[index].line, text)
        }
    }

    private mutating func count(_ line: ReportLine) {
        tally.rowsRead += 1
        unsafe tally.record(
            line.outcome, status: line.status, reason: line.reason, index: line.index,
            attempts: line.attempts)
        if line.status != 0 { latency.record(nanoseconds: line.latencyNanoseconds) }
    }

    private mutating func countVariant(of batch: RowBatch, _ index: Int, _ outcome: Outcome) {
        guard let variantSlot else { return }
        let name = unsafe batch.value(batch.field(row: index, slot: variantSlot))
        guard let place = variants.firstIndex(where: { unsafe name.elementsEqual($0) }) else {
            return
        }
        tally.record(outcome, variant: UInt8(place + 1))
    }
}

extension Recovery {
    /// Takes over how far the report is whole.
    /// - Returns: The line that must be right and is not, if there is one: the report was changed.
    mutating func take(_ scan: ReportScan) -> (line: UInt64, text: String)? {
        if scan.wholeBytes < certainReportBytes || scan.isCompressed, let fault = scan.fault {
            return fault
        }
        lengths.report = scan.wholeBytes
        return nil
    }
}

/// The lines of a report of which is known how it begins and how long it is.
private struct ScannedLines {
    enum Reading {
        case header(end: Int)
        case line(ReportLine, end: Int)
        case fault(String)
    }

    private let byteCount: Int
    private let header: [UInt8]
    private var hasHeader: Bool
    private var reader: ReportLineReader

    init(schema: RowSchema, header: String, byteCount: Int) {
        self.byteCount = byteCount
        self.header = Array(header.utf8.dropLast())
        hasHeader = header.isEmpty
        reader = ReportLineReader(schema: schema)
    }

    /// True if a block of the disk, which has 512 bytes at least, is missing in a line: a loss of power leaves zeros there, and
    /// what comes behind may be the end of another line.
    private static func hasHole(_ raw: UnsafeBufferPointer<UInt8>) -> Bool {
        guard raw.count >= 512 else { return false }
        var zeros = 0
        for index in raw.indices {
            zeros = unsafe raw[index] == 0 ? zeros + 1 : 0
            if zeros == 512 { return true }
        }
        return false
    }

    mutating func read(_ batch: RowBatch, _ index: Int) -> Reading {
        let raw = unsafe batch.rawRow(index)
        let start = unsafe Int(batch.inputOffset) + Int(batch.rows[index].start)
        let end = start + raw.count + 1
        guard end <= byteCount else { return .fault("it is torn") }
        if !hasHeader {
            hasHeader = true
            guard unsafe raw.elementsEqual(header) else {
                return .fault("it is not the header of this job's report")
            }
            return .header(end: end)
        }
        guard unsafe !Self.hasHole(raw) else {
            return .fault("it has bytes that the disk never got")
        }
        guard let line = reader.line(batch, index) else { return .fault("it is no report line") }
        return .line(line, end: end)
    }
}
