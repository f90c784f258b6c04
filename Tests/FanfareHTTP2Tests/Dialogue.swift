import FanfareBase
import FanfareHTTP2
import FanfareHTTP2Server

/// A client session with memory for its requests, and what its owner does with it.
struct TestClient: ~Copyable {
    var session: ClientSession
    let headers: RequestHeaders
    private var requests: [UInt32: UnsafeMutableBufferPointer<UInt8>] = [:]
    var events: [SessionEvent] = []
    /// Everything that was written.
    var written: [UInt8] = []

    static let token = String(repeating: "eyJhbGciOiJFUzI1NiIsImtpZCI6", count: 7)

    static let apnsFields = [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":path", nil), HeaderField(":authority", "api.push.apple.com"),
        HeaderField("authorization", "bearer " + token, .neverIndexed),
        HeaderField("apns-topic", "com.example.app"), HeaderField("apns-push-type", "alert"),
        HeaderField("apns-priority", "10"), HeaderField("apns-id", nil, .nameOnly),
    ]

    init(
        _ configuration: ClientSessionConfiguration = ClientSessionConfiguration(),
        fields: [HeaderField] = TestClient.apnsFields
    ) {
        session = ClientSession(configuration)
        headers = RequestHeaders(fields)
    }

    deinit {
        for memory in requests.values { memory.deallocate() }
    }

    @discardableResult
    mutating func submit(
        tag: UInt32, path: String = "/3/device/0123", id: String? = "0123", body: String = "{}"
    ) throws(HTTP2Error) -> StreamHandle {
        try submit(tag: tag, values: [path, id], body: Array(body.utf8))
    }

    /// Submits a request with these values, none for nil or an empty one.
    @discardableResult
    mutating func submit(
        tag: UInt32, values texts: [String?], body: [UInt8]
    ) throws(HTTP2Error) -> StreamHandle {
        let parts = texts.map { Array(($0 ?? "").utf8) }
        let bytes = parts.flatMap(\.self) + body
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        _ = memory.update(fromContentsOf: bytes)
        let whole = UnsafeBufferPointer(memory)
        var start = 0
        let values = parts.map { part in
            defer { start += part.count }
            return part.isEmpty
                ? .empty
                : UnsafeBufferPointer(rebasing: whole[start..<start + part.count])
        }
        let text = UnsafeBufferPointer(rebasing: whole[start..<bytes.count])
        let result: Result<StreamHandle, HTTP2Error> = values.withUnsafeBufferPointer { values in
            do throws(HTTP2Error) {
                return .success(
                    try session.submit(headers, values: values, body: text, tag: tag))
            } catch {
                return .failure(error)
            }
        }
        if case .failure = result { memory.deallocate() }
        let stream = try result.get()
        requests[stream.slot] = memory
        return stream
    }

    /// The reason why a request is not taken, nil if it is.
    mutating func refusal(tag: UInt32, path: String = "/") -> HTTP2Error.Kind? {
        do {
            try submit(tag: tag, path: path)
            return nil
        } catch {
            return error.kind
        }
    }

    mutating func drain() {
        while let event = session.nextEvent() {
            events.append(event)
            if case .streamClosed(let stream, _, _) = event {
                let memory = requests.removeValue(forKey: stream.slot)
                // Poisoned, so that a use after the end shows.
                memory?.update(repeating: 0xDD)
                memory?.deallocate()
            }
        }
    }

    mutating func receive(_ frames: [Frame]) throws(HTTP2Error) {
        try receive(frames.flatMap(\.bytes))
    }

    mutating func receive(_ bytes: [UInt8]) throws(HTTP2Error) {
        defer { drain() }
        try feed(bytes) { part throws(HTTP2Error) in try session.receive(part) }
    }

    /// The error with which a frame ends the connection, nil if it goes on.
    mutating func failure(of frames: Frame...) -> HTTP2ErrorCode? {
        do throws(HTTP2Error) {
            try receive(frames)
            return nil
        } catch {
            return error.code
        }
    }

    /// Writes all there is and returns it as frames.
    @discardableResult
    mutating func write(limit: Int = 1 << 20) -> [Frame] {
        Frame.parse(writeBytes(limit: limit))
    }

    mutating func writeBytes(limit: Int = 1 << 20) -> [UInt8] {
        var buffer = ByteBuffer()
        session.write(into: &buffer, limit: limit)
        drain()
        let bytes = Array(buffer.bytes)
        written += bytes
        return bytes
    }

    /// The ends of streams so far, by tag.
    var closed: [UInt32: HTTP2ErrorCode] {
        var result: [UInt32: HTTP2ErrorCode] = [:]
        for case .streamClosed(_, let tag, let code) in events {
            precondition(result[tag] == nil, "a stream ended twice")
            result[tag] = code
        }
        return result
    }

    /// The field `date` of an answer; nil if it has not come to its end.
    func date(tag: UInt32) -> String? {
        for case .streamClosed(let stream, tag, _) in events {
            return String(decoding: session.date(stream), as: UTF8.self)
        }
        return nil
    }

    /// The answer with a tag as text; releases it.
    mutating func takeAnswer(tag: UInt32) -> Answer? {
        for case .streamClosed(let stream, let streamTag, let code) in events where streamTag == tag
        {
            let response = session.response(stream)
            let answer = Answer(
                status: response.status, code: code, isComplete: response.isComplete,
                messageID: String(decoding: response.messageID, as: UTF8.self),
                retryAfter: String(decoding: response.retryAfter, as: UTF8.self),
                body: String(decoding: response.body, as: UTF8.self),
                bodyBytes: response.bodyBytes)
            session.release(stream)
            return answer
        }
        return nil
    }
}

struct Answer: Hashable {
    var status: UInt16 = 200
    var code = HTTP2ErrorCode.noError
    var isComplete = true
    var messageID = ""
    var retryAfter = ""
    var body = ""
    var bodyBytes: UInt64 = 0
}

/// A server session and what its owner does with it.
struct TestServer: ~Copyable {
    var session: ServerSession
    var events: [ServerSessionEvent] = []

    init(
        _ configuration: ServerSessionConfiguration = ServerSessionConfiguration()
    ) throws(HTTP2Error) {
        session = try ServerSession(configuration)
    }

    mutating func receive(_ bytes: [UInt8]) throws(HTTP2Error) {
        defer { while let event = session.nextEvent() { events.append(event) } }
        try feed(bytes) { part throws(HTTP2Error) in try session.receive(part) }
    }

    mutating func write() throws(HTTP2Error) -> [UInt8] {
        var buffer = ByteBuffer()
        _ = try session.write(into: &buffer, limit: 1 << 20)
        while let event = session.nextEvent() { events.append(event) }
        return Array(buffer.bytes)
    }

    var requests: [StreamHandle] {
        events.compactMap { if case .requestReceived(let stream) = $0 { stream } else { nil } }
    }

    func text(_ field: RequestField, _ stream: StreamHandle) -> String {
        String(decoding: session.field(field, of: stream), as: UTF8.self)
    }

    mutating func respond(
        _ stream: StreamHandle, status: UInt16 = 200, fields: [(String, String)] = [],
        body: String = ""
    ) throws(HTTP2Error) {
        let memory = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        let text = Array(body.utf8)
        let list = memory.map { name, value in
            ResponseField(
                name: UnsafeBufferPointer(start: copy(name), count: name.count),
                value: UnsafeBufferPointer(start: copy(value), count: value.count),
                isIndexed: false)
        }
        defer {
            for field in list {
                field.name.deallocate()
                field.value.deallocate()
            }
        }
        let result: Result<Void, HTTP2Error> = list.withUnsafeBufferPointer { list in
            text.withUnsafeBufferPointer { text in
                do throws(HTTP2Error) {
                    return .success(
                        try session.respond(stream, status: status, fields: list, body: text))
                } catch {
                    return .failure(error)
                }
            }
        }
        try result.get()
    }
}

private func copy(_ bytes: [UInt8]) -> UnsafePointer<UInt8> {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    memory.update(from: bytes, count: bytes.count)
    return UnsafePointer(memory)
}

private func feed(
    _ bytes: [UInt8], _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
) throws(HTTP2Error) {
    // Memory of exactly this size, so that a sanitizer sees what is read beyond it.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    try receive(UnsafeRawBufferPointer(memory))
}

/// Lets both sides talk until neither has anything to say; the server answers nothing by itself.
func exchange(_ client: inout TestClient, _ server: inout TestServer) throws(HTTP2Error) {
    while client.session.wantsWrite || server.session.wantsWrite {
        let up = client.writeBytes()
        try server.receive(up)
        let down = try server.write()
        try client.receive(down)
        if up.isEmpty && down.isEmpty { break }
    }
}
