import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server

/// Puts an answer together and gives it to the session.
enum AnswerWriter {
    /// Answers a request.
    /// - Parameters:
    ///   - stream: The request.
    ///   - decision: The decision about it.
    ///   - session: The connection.
    ///   - scratch: Memory for parts that have to be put together.
    ///   - answer: The prepared parts.
    ///   - isFirst: True if the client's header table does not know `apns-id` yet. The first one
    ///     goes into the table for the sake of its name; later values never repeat.
    /// - Throws: The session's error.
    static func respond(
        _ stream: StreamHandle, _ decision: PendingAnswer, in session: inout ServerSession,
        scratch: inout ByteBuffer, answer: PreparedAnswer, isFirst: Bool
    ) throws(HTTP2Error) {
        scratch.removeAll()
        decision.generatedID?.append(to: &scratch)
        let idBytes = scratch.count
        if !answer.bodyStart.isEmpty {
            scratch.append(answer.bodyStart)
            if decision.timestamp > 0 {
                scratch.append(",\"timestamp\":")
                scratch.append(decimal: decision.timestamp)
            }
            scratch.append("}")
        }
        let id =
            unsafe idBytes > 0
            ? UnsafeBufferPointer(rebasing: scratch.bytes[..<idBytes])
            : session.field(.apnsID, of: stream)
        let body = unsafe UnsafeBufferPointer(rebasing: scratch.bytes[idBytes...])
        let retryAfter =
            decision.retryDate > 0
            ? HTTPDateText.bytes(seconds: decision.retryDate) : answer.retryAfter
        // An array's bytes have to stay in place while the session copies them.
        try unsafe retryAfter.withUnsafeBufferPointer { retryAfter throws(HTTP2Error) in
            try unsafe withUnsafeTemporaryAllocation(of: ResponseField.self, capacity: 3) {
                fields throws(HTTP2Error) in
                var count = 1
                unsafe fields.initializeElement(
                    at: 0,
                    to: ResponseField(name: bytes("apns-id"), value: id, isIndexed: isFirst))
                if !body.isEmpty {
                    unsafe fields.initializeElement(
                        at: count,
                        to: ResponseField(
                            name: bytes("content-type"), value: bytes("application/json"),
                            isIndexed: true))
                    count += 1
                }
                if !retryAfter.isEmpty {
                    unsafe fields.initializeElement(
                        at: count,
                        to: ResponseField(
                            name: bytes("retry-after"), value: retryAfter, isIndexed: true))
                    count += 1
                }
                try unsafe session.respond(
                    stream, status: UInt16(answer.status),
                    fields: UnsafeBufferPointer(rebasing: fields[..<count]), body: body)
            }
        }
    }

    /// Answers a request for one of Google's services.
    /// - Parameters:
    ///   - stream: The request.
    ///   - answer: The answer.
    ///   - decision: The other parts of the decision about the request.
    ///   - rule: The value of `retry-after` in a rule of the scenario.
    ///   - date: The time of the answer.
    ///   - session: The connection.
    /// - Throws: The session's error.
    static func respond(
        _ stream: StreamHandle, _ answer: GoogleAnswer, _ decision: PendingAnswer,
        rule: PreparedAnswer, date: [UInt8], in session: inout ServerSession
    ) throws(HTTP2Error) {
        let retryAfter =
            if let seconds = answer.retryAfter {
                Array("\(seconds)".utf8)
            } else if decision.retryDate > 0 {
                HTTPDateText.bytes(seconds: decision.retryDate)
            } else {
                rule.retryAfter
            }
        // All arrays' bytes have to stay in place while the session copies them.
        try unsafe date.withUnsafeBufferPointer { date throws(HTTP2Error) in
            try unsafe retryAfter.withUnsafeBufferPointer { retryAfter throws(HTTP2Error) in
                try unsafe answer.body.withUnsafeBufferPointer { body throws(HTTP2Error) in
                    let fields = unsafe [
                        ResponseField(
                            name: bytes("content-type"), value: bytes(answer.content.type),
                            isIndexed: true),
                        ResponseField(name: bytes("date"), value: date, isIndexed: true),
                        ResponseField(
                            name: bytes("retry-after"), value: retryAfter, isIndexed: true),
                    ]
                    let count = retryAfter.isEmpty ? 2 : 3
                    try unsafe fields.withUnsafeBufferPointer { fields throws(HTTP2Error) in
                        try unsafe session.respond(
                            stream, status: UInt16(answer.status),
                            fields: UnsafeBufferPointer(rebasing: fields[..<count]), body: body)
                    }
                }
            }
        }
    }

    private static func bytes(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
