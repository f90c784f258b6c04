import FanfareBase
import FanfareCore

@testable import FanfareHTTP2

/// A client session with requests in flight, and what its owner sees of them.
struct FuzzedClient: ~Copyable {
    /// The outcome of a run; the same however the peer's bytes were cut.
    struct Result: Equatable {
        var ends: [String] = []
        var written: [UInt8] = []
        var failure: HTTP2ErrorCode?
    }

    private var session: ClientSession
    private let headers = RequestHeaders([
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":path", nil), HeaderField(":authority", "api.push.apple.com"),
        HeaderField("authorization", "bearer e30.e30.x", .neverIndexed),
        HeaderField("apns-topic", "com.example.app"), HeaderField("apns-id", nil, .nameOnly),
    ])
    private var memory: [UInt32: UnsafeMutableBufferPointer<UInt8>] = [:]
    private var nextTag: UInt32 = 1
    private(set) var result = Result()

    /// Requests that have not ended.
    var openCount: Int { memory.count }
    var takesRequests: Bool { session.canOpenStreams }

    init() {
        session = ClientSession(ClientSessionConfiguration(streamCapacity: 16))
    }

    deinit {
        for bytes in memory.values { bytes.deallocate() }
    }

    mutating func submit(bodyBytes: Int) throws(Violation) {
        let path = Array("/3/device/0123456789abcdef".utf8)
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: path.count + bodyBytes)
        _ = bytes.update(fromContentsOf: path)
        for index in path.count..<bytes.count { bytes[index] = UInt8(ascii: " ") }
        let whole = UnsafeBufferPointer(bytes)
        let values = [
            UnsafeBufferPointer(rebasing: whole[..<path.count]),
            UnsafeBufferPointer(rebasing: whole[..<8]),
        ]
        let tag = nextTag
        let stream = values.withUnsafeBufferPointer { values in
            try? session.submit(
                headers, values: values,
                body: UnsafeBufferPointer(rebasing: whole[path.count...]), tag: tag)
        }
        guard let stream else {
            bytes.deallocate()
            throw Violation("a request is not taken, though there is room")
        }
        try Violation.check(memory[stream.slot] == nil, "a slot that is in use is given out")
        memory[stream.slot] = bytes
        nextTag += 1
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        // Memory of exactly this size, so that reading beyond it shows.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        do throws(HTTP2Error) {
            try session.receive(UnsafeRawBufferPointer(copy))
        } catch {
            result.failure = error.code
        }
    }

    mutating func write(limit: Int) {
        var buffer = ByteBuffer()
        session.write(into: &buffer, limit: limit)
        result.written += Array(buffer.bytes)
    }

    /// Takes all events, and looks at the answers.
    mutating func drain() throws(Violation) {
        while let event = session.nextEvent() {
            guard case .streamClosed(let stream, let tag, let code) = event else {
                result.ends.append("\(event)")
                continue
            }
            guard let bytes = memory.removeValue(forKey: stream.slot) else {
                throw Violation("stream \(stream.id) ends twice")
            }
            // A read of it from now on is wrong, and the sanitizer says so.
            bytes.deallocate()
            let answer = session.response(stream)
            try Violation.check(
                answer.body.count <= Limits.responseBodyBytes
                    && answer.messageID.count <= AnswerField.valueBytesKept
                    && answer.retryAfter.count <= AnswerField.valueBytesKept,
                "more of an answer is kept than may be")
            try Violation.check(
                answer.status == 0 || (200...999).contains(answer.status),
                "status \(answer.status)")
            try Violation.check(
                !answer.isComplete || answer.status != 0 || code != .noError,
                "an answer without a status is whole")
            result.ends.append(
                "\(tag) \(code) \(answer.status) \(answer.isComplete) \(Array(answer.messageID)) "
                    + "\(Array(answer.retryAfter)) \(Array(answer.body))")
            session.release(stream)
        }
        try Violation.check(session.heldBytes < 1 << 20, "\(session.heldBytes) bytes are held")
        // Streams that are open when a connection fails get no event.
        try Violation.check(
            result.failure != nil || session.openStreams == memory.count,
            "\(session.openStreams) streams are open, of \(memory.count)")
    }
}
