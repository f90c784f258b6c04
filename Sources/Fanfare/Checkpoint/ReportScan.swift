import FanfareCompression
import FanfareCore
import FanfareLoop

/// Reads a report back: which rows it has a line for, and what they add up to.
///
/// A report is the log of its job. Its lines are read by the parsers that rows are read by; the first
/// line that is not whole ends it.
struct ReportScan {
    private(set) var rows = RowSet()
    private(set) var tally = Tally()
    private(set) var latency = LatencyHistogram()
    /// The end of the last line that is whole and right, the header among them.
    ///
    /// Of a compressed report all of it, or nothing if one line is wrong.
    private(set) var wholeBytes: Int = 0
    let isCompressed: Bool
    /// The line behind it, if there is something: its number and what is wrong with it.
    private(set) var fault: (line: UInt64, text: String)?

    private static let wanted = [
        "row", "outcome", "status", "reason", "attempts", "latency_ms",
    ]

    /// Reads a report.
    /// - Parameters:
    ///   - input: The report, as a file or as bytes.
    ///   - format: How its job writes it.
    ///   - compression: How it is compressed.
    ///   - byteCount: Its length as a file; what follows is not looked at.
    /// - Throws: `FanfareError.Code.input` when it cannot be read.
    init(
        _ input: RowInput, format: ReportFormat, compression: CompressionFormat? = nil,
        byteCount: Int
    ) throws(FanfareError) {
        isCompressed = compression != nil
        guard byteCount > 0 else { return }
        let schema = RowSchema(extra: Self.wanted)
        var options = RowOptions()
        options.format = format.kind == .csv ? .csv : .ndjson
        // Columns by position: a carried one may have any name.
        options.hasHeader = false
        options.delimiter = UInt8(ascii: ",")
        options.columns =
            ReportFormat.columns + format.carriedNames.indices.map { "carried \($0)" }
        let source = RowSource(
            inputs: [input], options: options, schema: schema, required: [],
            bytesMax: isCompressed ? byteCount : .max)
        try source.openFirst()
        var reader = LineReader(
            schema: schema, header: format.header, byteCount: isCompressed ? .max : byteCount)
        let batch = RowBatch(
            inputCapacity: Limits.batchInputBytes, rowCapacity: Limits.batchRows,
            slotCount: schema.slotCount)
        while fault == nil, try source.fill(batch) {
            for index in 0..<batch.rowCount where fault == nil {
                read(batch, index, &reader)
            }
        }
        if isCompressed { wholeBytes = fault == nil ? byteCount : 0 }
    }

    private mutating func read(_ batch: RowBatch, _ index: Int, _ reader: inout LineReader) {
        switch reader.read(batch, index) {
        case .header(let end):
            wholeBytes = end
        case .line(let line, let end):
            guard rows.insert(line.row) else {
                fault = (unsafe batch.rows[index].line, "row \(line.row) has two lines")
                return
            }
            count(line)
            wholeBytes = end
        case .fault(let text):
            fault = (unsafe batch.rows[index].line, text)
        }
    }

    private mutating func count(_ line: LineReader.Line) {
        tally.rowsRead += 1
        unsafe tally.record(
            line.outcome, status: line.status, reason: line.reason, index: line.index,
            attempts: line.attempts)
        if line.status != 0 { latency.record(nanoseconds: line.latencyNanoseconds) }
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

/// Takes the lines of a report apart.
private struct LineReader {
    @safe
    struct Line {
        var row: UInt64
        var outcome: Outcome
        var status: UInt16
        var reason: UnsafeBufferPointer<UInt8>
        var index: ReasonIndex
        var attempts: UInt16
        var latencyNanoseconds: Int64
    }

    enum Reading {
        case header(end: Int)
        case line(Line, end: Int)
        case fault(String)
    }

    private let byteCount: Int
    private let header: [UInt8]
    private var hasHeader: Bool
    private let slots: [Int]

    init(schema: RowSchema, header: String, byteCount: Int) {
        self.byteCount = byteCount
        self.header = Array(header.utf8.dropLast())
        hasHeader = header.isEmpty
        slots = ["row", "outcome", "status", "reason", "attempts", "latency_ms"].map {
            guard let slot = schema.slot(named: $0) else {
                preconditionFailure("BUG: a column of the report without a slot")
            }
            return slot
        }
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
        guard let line = line(batch, index) else { return .fault("it is no report line") }
        return .line(line, end: end)
    }

    private func line(_ batch: RowBatch, _ index: Int) -> Line? {
        guard unsafe batch.rows[index].fault.code == .none,
            let row = unsafe number(batch.value(batch.field(row: index, slot: slots[0]))),
            row > 0, row <= Limits.checkpointRowsMax,
            let outcome = unsafe Outcome(
                name: String(
                    decoding: batch.value(batch.field(row: index, slot: slots[1])), as: UTF8.self))
        else { return nil }
        let status = unsafe UInt16(
            clamping: number(batch.value(batch.field(row: index, slot: slots[2]))) ?? 0)
        let told = unsafe batch.value(batch.field(row: index, slot: slots[3]))
        let reason = unsafe outcome == .invalid ? Self.kind(of: told) : told
        let found = unsafe ResponseClass.of(status: status, reason: reason, bodyIsJSON: true)
        let attempts = unsafe number(batch.value(batch.field(row: index, slot: slots[4]))) ?? 0
        let latency = unsafe nanoseconds(batch.value(batch.field(row: index, slot: slots[5])))
        return unsafe Line(
            row: row, outcome: outcome, status: status, reason: reason,
            index: status == 0 ? .unlisted : found.reasonIndex,
            attempts: UInt16(clamping: attempts), latencyNanoseconds: latency)
    }

    /// What the tally counts a row under that was not sent: its reason (`line 17: not UTF-8, field 3`)
    /// without what is the row's own.
    private static func kind(
        of reason: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        guard let colon = unsafe reason.firstIndex(of: UInt8(ascii: ":")),
            colon + 2 <= reason.count
        else { return unsafe reason }
        let rest = unsafe UnsafeBufferPointer(rebasing: reason[(colon + 2)...])
        let kind = kinds.first { unsafe rest.starts(with: $0.bytes) }
        return unsafe kind?.bytes ?? reason
    }

    /// The longest first: one may begin like another.
    private static let kinds: [StaticString] =
        (RowFault.Code.allCases.map { RowFault($0).text } + RowProblem.allCases.map(\.text))
        .sorted { $0.utf8CodeUnitCount > $1.utf8CodeUnitCount }

    private func number(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count < 19 else { return nil }
        var value: UInt64 = 0
        for index in text.indices {
            let digit = unsafe text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + UInt64(digit)
        }
        return value
    }

    /// Milliseconds with three digits behind the point.
    private func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let point = unsafe text.firstIndex(of: UInt8(ascii: ".")),
            let whole = unsafe number(UnsafeBufferPointer(rebasing: text[..<point])),
            let rest = unsafe number(UnsafeBufferPointer(rebasing: text[(point + 1)...])),
            text.count - point == 4, whole < 1 << 40
        else { return unsafe Int64(clamping: number(text) ?? 0) * 1_000_000 }
        return Int64(whole) * 1_000_000 + Int64(rest) * 1000
    }
}
