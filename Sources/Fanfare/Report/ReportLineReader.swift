import FanfareBase
import FanfareCore

/// Takes the lines of a report apart that a parser of rows has found.
struct ReportLineReader {
    /// The columns that it reads.
    static let columns = [
        "row", "outcome", "status", "reason", "attempts", "latency_ms", "sent_at",
    ]

    private let row: Int
    private let outcome: Int
    private let status: Int
    private let reason: Int
    private let attempts: Int
    private let latency: Int
    private let sentAt: Int
    private var moment = TimestampReader()

    /// - Parameter schema: Has all of `columns`.
    init(schema: RowSchema) {
        row = schema.slot(ofColumn: "row")
        outcome = schema.slot(ofColumn: "outcome")
        status = schema.slot(ofColumn: "status")
        reason = schema.slot(ofColumn: "reason")
        attempts = schema.slot(ofColumn: "attempts")
        latency = schema.slot(ofColumn: "latency_ms")
        sentAt = schema.slot(ofColumn: "sent_at")
    }

    /// Parses a line.
    /// - Returns: The line's values; `nil` if it is no line of a report.
    mutating func line(_ batch: RowBatch, _ index: Int) -> ReportLine? {
        // A value that is null in NDJSON and SQLite is empty in CSV.
        func text(_ slot: Int) -> UnsafeBufferPointer<UInt8> {
            let field = batch.field(row: index, slot: slot)
            return unsafe field.isMissing ? .empty : batch.value(field)
        }
        guard unsafe batch.rows[index].fault.code == .none,
            let row = unsafe Self.number(text(row)),
            row > 0, row <= Limits.checkpointRowsMax,
            let outcome = unsafe Outcome(name: text(outcome))
        else { return nil }
        let status = unsafe UInt16(clamping: Self.number(text(self.status)) ?? 0)
        let told = unsafe text(self.reason)
        let reason = unsafe outcome == .invalid ? Self.kind(of: told) : Self.hostKind(of: told)
        // The table's 200 has no reason. Where providers answer 200 for each row, the reason is the verdict.
        let isUnlisted = status == 0 || (status == 200 && !reason.isEmpty)
        let place: ReasonIndex =
            unsafe isUnlisted
            ? .unlisted
            : ResponseClass.of(status: status, reason: reason, bodyIsJSON: true).reasonIndex
        return unsafe ReportLine(
            row: row, outcome: outcome, status: status, reason: reason, index: place,
            attempts: UInt16(clamping: Self.number(text(attempts)) ?? 0),
            latencyNanoseconds: Self.nanoseconds(text(latency)),
            sentAtMilliseconds: moment.milliseconds(text(sentAt)))
    }

    /// Returns the kind that the tally counts an unsent row under.
    ///
    /// It is the reason (`line 17: not UTF-8, field 3`) without the part that is the row's own.
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

    /// Returns the reason of a row whose host was given up without the cause, and any other as it is.
    private static func hostKind(
        of reason: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let kind = RowProblem.hostGivenUp.text
        return unsafe reason.starts(with: kind.bytes) ? kind.bytes : reason
    }

    /// The same of a text.
    static func kind(of reason: String) -> String {
        var reason = reason
        return reason.withUTF8 { unsafe String(decoding: kind(of: $0), as: UTF8.self) }
    }

    /// The longest first: one may begin like another.
    private static let kinds: [StaticString] =
        (RowFault.Code.allCases.map { RowFault($0).text } + RowProblem.allCases.map(\.text))
        .sorted { $0.utf8CodeUnitCount > $1.utf8CodeUnitCount }

    private static func number(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
        text.count < 19 ? unsafe text.decimal : nil
    }

    /// Milliseconds with three digits behind the point.
    private static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let point = unsafe text.firstIndex(of: UInt8(ascii: ".")),
            let whole = unsafe number(UnsafeBufferPointer(rebasing: text[..<point])),
            let rest = unsafe number(UnsafeBufferPointer(rebasing: text[(point + 1)...])),
            text.count - point == 4, whole < 1 << 40
        else { return unsafe Int64(min(number(text) ?? 0, 1 << 40)) * 1_000_000 }
        return Int64(whole) * 1_000_000 + Int64(rest) * 1000
    }
}

extension RowSchema {
    /// The slot of a column that the schema was made with.
    func slot(ofColumn name: String) -> Int {
        guard let slot = slot(named: name) else {
            preconditionFailure("BUG: a column of the report without a slot")
        }
        return slot
    }
}
