import FanfareBase
import FanfareHTTP2

@testable import FanfareHTTP1

/// A session with memory for its request, and what its owner does with it.
struct TestClient: ~Copyable {
    var session: HTTP1Session
    let headers: RequestHeaders
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    var events: [SessionEvent] = []
    /// Everything that was written.
    var written: [UInt8] = []

    static let getFields = [
        HeaderField(":method", "GET"), HeaderField(":scheme", "http"),
        HeaderField(":path", "/hello.txt"), HeaderField(":authority", "www.example.com"),
    ]

    static let postFields = [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":path", beginning: "/3/device/"),
        HeaderField(":authority", "api.push.apple.com"),
        HeaderField("authorization", "bearer e30.e30.x", .neverIndexed),
        HeaderField("apns-topic", usual: "com.example.app"), HeaderField("apns-id", nil, .nameOnly),
    ]

    init(
        fields: [HeaderField] = TestClient.getFields, bodyKept: Int = 4096,
        bodyBytesMax: UInt64 = Limits.answerBodyBytes
    ) {
        session = HTTP1Session(responseBodyBytes: bodyKept, bodyBytesMax: bodyBytesMax)
        headers = RequestHeaders(fields)
    }

    deinit { memory.deallocate() }

    /// Submits a request; a value that is nil is left out.
    @discardableResult
    mutating func submit(
        tag: UInt32 = 1, values texts: [String?] = [], body: [UInt8] = []
    ) throws(HTTP1Error) -> StreamHandle {
        let parts = texts.map { $0.map { Array($0.utf8) } }
        let bytes = parts.flatMap { $0 ?? [] } + body
        memory.deallocate()
        memory = .allocate(capacity: max(bytes.count, 1))
        _ = memory.update(fromContentsOf: bytes)
        let whole = UnsafeBufferPointer(memory)
        var start = 0
        let values = parts.map { part in
            defer { start += part?.count ?? 0 }
            return part.map { UnsafeBufferPointer(rebasing: whole[start..<start + $0.count]) }
                ?? .empty
        }
        let text = UnsafeBufferPointer(rebasing: whole[start..<bytes.count])
        let result: Result<StreamHandle, HTTP1Error> = values.withUnsafeBufferPointer { values in
            do throws(HTTP1Error) {
                return .success(
                    try session.submit(headers, values: values, body: text, tag: tag))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The reason why a request is not taken; nil if it is.
    mutating func refusal(values: [String?] = [], body: [UInt8] = []) -> HTTP1Error? {
        do throws(HTTP1Error) {
            try submit(values: values, body: body)
            return nil
        } catch {
            return error
        }
    }

    /// Writes all there is, and returns it.
    @discardableResult
    mutating func write(limit: Int = 1 << 20) -> String {
        var buffer = ByteBuffer()
        session.write(into: &buffer, limit: limit)
        let bytes = Array(buffer.bytes)
        written += bytes
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes bytes of the peer.
    /// - Returns: The fault in them; nil if there is none.
    @discardableResult
    mutating func receive(
        _ bytes: some Collection<UInt8>, hasLeft: Bool = true
    ) -> AnswerFault? {
        // Memory of exactly this size, so that a sanitizer sees what is read beyond it.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer {
            copy.deallocate()
            while let event = session.nextEvent() { events.append(event) }
        }
        copy.copyBytes(from: bytes)
        do throws(HTTP1Error) {
            try session.receive(UnsafeRawBufferPointer(copy), hasLeft: hasLeft)
            return nil
        } catch {
            guard case .malformed(let fault) = error else { return nil }
            return fault
        }
    }

    @discardableResult
    mutating func receive(_ text: String) -> AnswerFault? { receive(Array(text.utf8)) }

    mutating func end(isClean: Bool) {
        session.endReceived(isClean: isClean)
        while let event = session.nextEvent() { events.append(event) }
    }

    /// The ends of requests so far, by tag.
    var closed: [UInt32: HTTP2ErrorCode] {
        var result: [UInt32: HTTP2ErrorCode] = [:]
        for case .streamClosed(_, let tag, let code) in events {
            precondition(result[tag] == nil, "a request ended twice")
            result[tag] = code
        }
        return result
    }

    /// The answer to the request as far as it has come.
    mutating func answer(to stream: StreamHandle) -> Answer {
        let response = session.response(stream)
        return Answer(
            status: response.status, isComplete: response.isComplete,
            messageID: String(decoding: response.messageID, as: UTF8.self),
            retryAfter: String(decoding: response.retryAfter, as: UTF8.self),
            date: String(decoding: session.date(stream), as: UTF8.self),
            body: Array(response.body), bodyBytes: response.bodyBytes)
    }
}

/// The parts of an answer that a session keeps.
struct Answer: Equatable {
    var status: UInt16 = 200
    var isComplete = true
    var messageID = ""
    var retryAfter = ""
    var date = ""
    var body: [UInt8] = []
    var bodyBytes: UInt64 = 0

    init(
        status: UInt16 = 200, isComplete: Bool = true, messageID: String = "",
        retryAfter: String = "", date: String = "", body: [UInt8] = [], bodyBytes: UInt64? = nil
    ) {
        self.status = status
        self.isComplete = isComplete
        self.messageID = messageID
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
        self.bodyBytes = bodyBytes ?? UInt64(body.count)
    }

    init(_ status: UInt16, _ body: String) {
        self.init(status: status, body: Array(body.utf8))
    }

    static let none = Answer(status: 0, isComplete: false)
}

/// The outcome of one request when a server says these bytes; the same however they are cut.
struct Outcome: Equatable {
    var answer = Answer.none
    var code: HTTP2ErrorCode?
    var fault: AnswerFault?
    /// The connection takes another request.
    var goesOn = true

    /// A whole answer.
    static func whole(_ answer: Answer, goesOn: Bool = true) -> Outcome {
        Outcome(answer: answer, code: .noError, goesOn: goesOn)
    }

    /// An answer that breaks HTTP.
    static func refused(_ fault: AnswerFault) -> Outcome {
        Outcome(code: .protocolError, fault: fault, goesOn: false)
    }

    /// Sends a request, and hears the pieces.
    static func of(
        _ pieces: some Sequence<ArraySlice<UInt8>>, isHead: Bool = false, isClosed: Bool = false,
        bodyBytesMax: UInt64 = Limits.answerBodyBytes
    ) throws -> Outcome {
        var fields = TestClient.getFields
        if isHead { fields[0] = HeaderField(":method", "HEAD") }
        var client = TestClient(fields: fields, bodyBytesMax: bodyBytesMax)
        let stream = try client.submit()
        client.write()
        var outcome = Outcome()
        for piece in pieces where outcome.fault == nil { outcome.fault = client.receive(piece) }
        if isClosed { client.end(isClean: true) }
        outcome.answer = client.answer(to: stream)
        outcome.code = client.closed[1]
        outcome.goesOn = client.session.canOpenStreams
        return outcome
    }

    static func of(
        _ bytes: [UInt8], isHead: Bool = false, isClosed: Bool = false
    ) throws -> Outcome {
        try of([bytes[...]], isHead: isHead, isClosed: isClosed)
    }

    static func of(
        _ text: String, isHead: Bool = false, isClosed: Bool = false
    ) throws -> Outcome {
        try of(Array(text.utf8), isHead: isHead, isClosed: isClosed)
    }
}

/// The ways to cut a text in two, and into single bytes.
func cuts(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    (0...bytes.count).map { [bytes[..<$0], bytes[$0...]] } + [bytes.indices.map { bytes[$0...$0] }]
}
