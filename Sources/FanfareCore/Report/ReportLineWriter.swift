package import FanfareBase

/// Joins the texts of rows and their outcomes to the lines of a report.
///
/// It holds the dates of the last line, so each lane has a writer of its own. See `ReportFormat`
/// for the texts.
package struct ReportLineWriter: Sendable {
    private let kind: ReportFormat.Kind
    private var sentAt = TimestampWriter()
    private var unregisteredAt = TimestampWriter()
    /// The texts of the last outcome that rows have in common, with what may still tell those rows apart.
    private var shared: (text: [UInt8], outcome: Outcome, attempts: UInt16) = ([], .unknown, 0)

    /// Creates a writer for one kind of lines.
    package init(_ kind: ReportFormat.Kind) { self.kind = kind }

    /// Appends one whole line.
    /// - Parameters:
    ///   - prefix: The row's texts from `ReportFormat.appendPrefix`.
    ///   - result: The row's outcome.
    ///   - suffix: The row's carried columns from `ReportFormat.appendSuffix`.
    ///   - buffer: The buffer that gets the line.
    package mutating func append(
        prefix: UnsafeBufferPointer<UInt8>,
        result: RowResult,
        suffix: UnsafeBufferPointer<UInt8>,
        into buffer: inout ByteBuffer
    ) {
        // Room for all but unusual texts, so that growing happens once at most.
        unsafe buffer.reserve(
            prefix.count + result.reason.count + result.messageID.count + suffix.count + 256)
        unsafe buffer.append(prefix)
        switch kind {
        case .csv: appendCSV(result, into: &buffer)
        case .ndjson: appendNDJSON(result, into: &buffer)
        }
        unsafe buffer.append(suffix)
        if kind == .ndjson { buffer.append(UInt8(ascii: "}")) }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of a row that shares its request.
    /// - Parameters:
    ///   - prefix: The row's texts from `ReportFormat.appendPrefix`.
    ///   - result: The row's outcome.
    ///   - isAgain: True if outcome and attempts are all in which it may differ from the one before.
    ///   - suffix: The row's carried columns from `ReportFormat.appendSuffix`.
    ///   - buffer: The buffer that gets the line.
    package mutating func append(
        prefix: UnsafeBufferPointer<UInt8>,
        shared result: RowResult,
        isAgain: Bool,
        suffix: UnsafeBufferPointer<UInt8>,
        into buffer: inout ByteBuffer
    ) {
        let isSame =
            unsafe isAgain && shared.outcome == result.outcome
            && shared.attempts == result.attempts && (!result.isOwnID || result.messageID.isEmpty)
        if !isSame {
            var text = ByteBuffer()
            switch kind {
            case .csv: appendCSV(result, into: &text)
            case .ndjson: appendNDJSON(result, into: &text)
            }
            shared = unsafe (Array(text.bytes), result.outcome, result.attempts)
        }
        buffer.reserve(prefix.count + shared.text.count + suffix.count + 2)
        unsafe buffer.append(prefix)
        unsafe shared.text.withUnsafeBufferPointer { unsafe buffer.append($0) }
        unsafe buffer.append(suffix)
        if kind == .ndjson { buffer.append(UInt8(ascii: "}")) }
        buffer.append(UInt8(ascii: "\n"))
    }

    private mutating func appendCSV(_ result: RowResult, into buffer: inout ByteBuffer) {
        let comma = UInt8(ascii: ",")
        buffer.append(result.outcome.name)
        buffer.append(comma)
        if result.status != 0 { buffer.append(decimal: UInt64(result.status)) }
        buffer.append(comma)
        unsafe buffer.appendCSVField(result.reason)
        buffer.append(comma)
        if result.isOwnID {
            unsafe buffer.append(result.messageID)
        } else {
            unsafe buffer.appendCSVField(result.messageID)
        }
        buffer.append(comma)
        buffer.append(decimal: UInt64(result.attempts))
        buffer.append(comma)
        if result.latencyNanoseconds >= 0 {
            buffer.append(millisecondsOf: result.latencyNanoseconds)
        }
        buffer.append(comma)
        if let moment = result.unregisteredAtMilliseconds {
            unregisteredAt.append(milliseconds: moment, to: &buffer)
        }
        buffer.append(comma)
        if let moment = result.sentAtMilliseconds {
            sentAt.append(milliseconds: moment, to: &buffer)
        }
    }

    private mutating func appendNDJSON(_ result: RowResult, into buffer: inout ByteBuffer) {
        buffer.append(#""outcome":""#)
        buffer.append(result.outcome.name)
        buffer.append(#"","status":"#)
        if result.status != 0 {
            buffer.append(decimal: UInt64(result.status))
        } else {
            buffer.append("null")
        }
        buffer.append(#","reason":"#)
        unsafe Self.append(textOrNull: result.reason, into: &buffer)
        buffer.append(#","message_id":"#)
        unsafe Self.append(textOrNull: result.messageID, into: &buffer)
        buffer.append(#","attempts":"#)
        buffer.append(decimal: UInt64(result.attempts))
        buffer.append(#","latency_ms":"#)
        if result.latencyNanoseconds >= 0 {
            buffer.append(millisecondsOf: result.latencyNanoseconds)
        } else {
            buffer.append("null")
        }
        buffer.append(#","unregistered_at":"#)
        Self.append(result.unregisteredAtMilliseconds, by: &unregisteredAt, into: &buffer)
        buffer.append(#","sent_at":"#)
        Self.append(result.sentAtMilliseconds, by: &sentAt, into: &buffer)
    }

    private static func append(
        textOrNull text: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
    ) {
        if text.isEmpty { buffer.append("null") } else { unsafe buffer.appendJSONString(text) }
    }

    private static func append(
        _ moment: Int64?, by writer: inout TimestampWriter, into buffer: inout ByteBuffer
    ) {
        guard let moment else { return buffer.append("null") }
        buffer.append(UInt8(ascii: "\""))
        writer.append(milliseconds: moment, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
    }
}
