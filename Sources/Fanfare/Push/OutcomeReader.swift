import FanfareBase
import FanfareCore
import FanfareJSON

/// Takes the lines of a report apart that a job has just made, all that they say.
struct OutcomeReader {
    private let schema: RowSchema
    private var lines: ReportLineReader
    private let kind: ReportFormat.Kind
    private let columns: [String]
    private let carried: [(name: String, slot: Int)]
    private let id: Int
    private let token: Int
    private let reason: Int
    private let apnsID: Int
    private let latency: Int
    private let unregisteredAt: Int
    private var moment = TimestampReader()

    /// - Parameter format: How the lines are made.
    init(_ format: ReportFormat) {
        kind = format.kind
        // Columns of CSV by position: a carried one may have any name.
        let carriedColumns =
            kind == .csv
            ? format.carriedNames.indices.map { "carried \($0)" } : format.carriedNames
        columns = ReportFormat.columns + carriedColumns
        let schema = RowSchema(extra: columns)
        self.schema = schema
        lines = ReportLineReader(schema: schema)
        carried = zip(format.carriedNames, carriedColumns).map { ($0, schema.slot(ofColumn: $1)) }
        id = schema.slot(ofColumn: "id")
        token = schema.slot(ofColumn: "token")
        reason = schema.slot(ofColumn: "reason")
        apnsID = schema.slot(ofColumn: "apns_id")
        latency = schema.slot(ofColumn: "latency_ms")
        unregisteredAt = schema.slot(ofColumn: "unregistered_at")
    }

    /// Reads whole lines.
    mutating func outcomes(of text: [UInt8]) -> [PushOutcome] {
        guard !text.isEmpty else { return [] }
        // A row ends with a line, so one place more than there are lines is never needed.
        let lineEnds = text.count { $0 == UInt8(ascii: "\n") }
        let batch = RowBatch(
            inputCapacity: text.count, rowCapacity: lineEnds + 1, slotCount: schema.slotCount)
        unsafe batch.bytes.update(from: text, count: text.count)
        batch.inputEnd = text.count
        // The second line at least: the first one may begin with a byte order mark.
        switch kind {
        case .csv:
            var parser = CSVParser(
                schema: schema, columns: columns, delimiter: UInt8(ascii: ","), firstLine: 2)
            _ = parser.parse(batch, isFinal: true)
        case .ndjson:
            let parser = NDJSONParser(schema: schema, firstLine: 2)
            _ = parser.parse(batch, isFinal: true)
        }
        return (0..<batch.rowCount).map { outcome(batch, $0) }
    }

    private mutating func outcome(_ batch: RowBatch, _ index: Int) -> PushOutcome {
        func text(_ slot: Int) -> String {
            unsafe String(
                decoding: batch.value(batch.field(row: index, slot: slot)), as: UTF8.self)
        }
        func textOrNil(_ slot: Int) -> String? {
            let field = batch.field(row: index, slot: slot)
            return field.isMissing || field.length == 0 ? nil : text(slot)
        }
        guard let line = lines.line(batch, index) else {
            preconditionFailure("BUG: a report line that cannot be read back")
        }
        return PushOutcome(
            row: line.row, id: textOrNil(id), token: text(token),
            kind: PushOutcome.Kind(line.outcome), status: line.status == 0 ? nil : Int(line.status),
            reason: textOrNil(reason), apnsID: textOrNil(apnsID), attempts: Int(line.attempts),
            latency: textOrNil(latency).map { _ in .nanoseconds(line.latencyNanoseconds) },
            unregisteredAtMilliseconds: unsafe moment.milliseconds(
                batch.value(batch.field(row: index, slot: unregisteredAt))),
            sentAtMilliseconds: line.sentAtMilliseconds,
            carried: Dictionary(
                carried.map { ($0.name, text($0.slot)) }, uniquingKeysWith: { first, _ in first }))
    }
}
