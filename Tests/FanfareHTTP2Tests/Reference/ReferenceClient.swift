import CNghttp2
import FanfareBase
import FanfareHTTP2

/// A client session by nghttp2, against which ours is held, with its checks of HTTP messages.
///
/// Keeps of an answer what ours keeps, by the same rules, and tells the same events. It is written to
/// be read, not to be fast.
final class ReferenceClient {
    struct Stream {
        var tag: UInt32
        var body: [UInt8]
        var sent = 0
        var status: UInt16 = 0
        var hasAnswer = false
        var isMalformed = false
        var headerListBytes = 0
        var answerBody: [UInt8] = []
        var answer = Answer(status: 0, isComplete: false)
    }

    private(set) var events: [Event] = []
    /// The reason why the connection is over.
    private(set) var failure: HTTP2ErrorCode?
    private var streams: [Int32: Stream] = [:]
    private var session: OpaquePointer?

    /// The events that both sessions can tell.
    enum Event: Hashable {
        case settings(UInt32)
        case goAway(Int32, HTTP2ErrorCode)
        case ping
        case closed(tag: UInt32, Answer)
    }

    init() {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.install(in: callbacks)
        var option: OpaquePointer?
        nghttp2_option_new(&option)
        defer { nghttp2_option_del(option) }
        nghttp2_option_set_no_closed_streams(option, 1)
        let me = Unmanaged.passUnretained(self).toOpaque()
        precondition(nghttp2_session_client_new2(&session, callbacks, me, option) == 0)
        let window = UInt32(Limits.receiveWindowBytes)
        let settings = [
            (NGHTTP2_SETTINGS_ENABLE_PUSH, 0), (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(Limits.headerListBytes)),
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        precondition(nghttp2_submit_settings(session, 0, settings, settings.count) == 0)
        nghttp2_session_set_local_window_size(session, 0, 0, Int32(window))
    }

    deinit {
        nghttp2_session_del(session)
    }

    /// True if new requests are taken.
    var canOpenStreams: Bool {
        failure == nil && nghttp2_session_check_request_allowed(session) != 0
    }

    /// True if nothing is to come and nothing to go.
    var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    var connectionSendWindow: Int { Int(nghttp2_session_get_remote_window_size(session)) }

    func submit(_ fields: [(name: String, value: String)], body: [UInt8], tag: UInt32) -> Int32 {
        var text = fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        return text.withUnsafeMutableBufferPointer { text in
            var next = text.baseAddress
            let pairs = fields.map { field in
                let name = next
                let value = next.map { $0 + field.name.utf8.count }
                next = value.map { $0 + field.value.utf8.count }
                return nghttp2_nv(
                    name: name, value: value, namelen: field.name.utf8.count,
                    valuelen: field.value.utf8.count, flags: 0)
            }
            var source = nghttp2_data_provider()
            source.read_callback = body.isEmpty ? nil : Self.bodySource
            let id = nghttp2_submit_request(session, nil, pairs, pairs.count, &source, nil)
            precondition(id > 0)
            streams[id] = Stream(tag: tag, body: body)
            return id
        }
    }

    func reset(_ id: Int32) {
        guard streams[id] != nil else { return }
        nghttp2_submit_rst_stream(session, 0, id, HTTP2ErrorCode.cancel.rawValue)
    }

    func receive(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        let taken = nghttp2_session_mem_recv(session, bytes, bytes.count)
        switch taken {
        case Int(NGHTTP2_ERR_FLOODED.rawValue), Self.tooManyContinuations:
            failure = .enhanceYourCalm
        case ..<0:
            failure = .internalError
        default:
            break
        }
    }

    /// Everything there is to write; a GOAWAY with a reason ends the session.
    func write() -> [UInt8] {
        guard failure == nil else { return [] }
        var bytes: [UInt8] = []
        var chunk: UnsafePointer<UInt8>?
        while case let count = nghttp2_session_mem_send(session, &chunk), count > 0 {
            bytes += UnsafeBufferPointer(start: chunk, count: count)
        }
        for frame in Frame.parse(bytes) where frame.kind == .goAway && frame.goAwayCode != 0 {
            failure = HTTP2ErrorCode(rawValue: frame.goAwayCode)
        }
        return bytes
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// NGHTTP2_ERR_TOO_MANY_CONTINUATIONS, which older headers do not name. CVE-2024-28182
    private static let tooManyContinuations = -538

    // MARK: Callbacks

    private static let bodySource: nghttp2_data_source_read_callback = {
        _, id, target, room, flags, _, userData in
        let me = client(behind: userData)
        guard let stream = me.streams[id] else { return 0 }
        let part = stream.body[stream.sent...].prefix(room)
        for (index, byte) in part.enumerated() { target?[index] = byte }
        me.streams[id]?.sent += part.count
        if stream.sent + part.count == stream.body.count {
            flags?.pointee = NGHTTP2_DATA_FLAG_EOF.rawValue
        }
        return part.count
    }

    private static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, userData in
            let name = String(
                decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
            let value = UnsafeBufferPointer(start: value, count: valueCount)
            return client(behind: userData).received(
                name, nameCount, Array(value), frame?.pointee.hd.stream_id ?? 0)
        }
        // A field that nghttp2 would leave out is to cost the stream, as RFC 9113 §8.2.1 has it.
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
            _, _, _, _, _, _, _, _ in NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, count, userData in
            client(behind: userData).received(
                body: Array(UnsafeBufferPointer(start: bytes, count: count)), id)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, userData in
            if let frame { client(behind: userData).received(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, id, code, userData in
            client(behind: userData).closed(id, HTTP2ErrorCode(rawValue: code))
            return 0
        }
    }

    private func received(
        _ name: String, _ nameCount: Int, _ value: [UInt8], _ id: Int32
    ) -> Int32 {
        guard var stream = streams[id], !stream.isMalformed else { return 0 }
        defer { streams[id] = stream }
        stream.headerListBytes += nameCount + value.count + 32
        var isRight = stream.headerListBytes <= Limits.headerListBytes
        if !stream.hasAnswer {
            let text = String(decoding: value, as: UTF8.self)
            switch name {
            case ":status":
                let status = text.utf8.count == 3 ? UInt16(text) ?? 0 : 0
                isRight = isRight && stream.status == 0 && status >= 100 && status != 101
                stream.status = status
            case "apns-id" where value.count <= 36: stream.answer.messageID = text
            case "retry-after" where value.count <= 32: stream.answer.retryAfter = text
            default: break
            }
        }
        if isRight { return 0 }
        stream.isMalformed = true
        reset(malformed: id)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private func received(body: [UInt8], _ id: Int32) {
        guard var stream = streams[id], !stream.isMalformed else { return }
        defer { streams[id] = stream }
        guard stream.hasAnswer else {
            stream.isMalformed = true
            return reset(malformed: id)
        }
        stream.answer.bodyBytes += UInt64(body.count)
        stream.answerBody += body.prefix(Limits.responseBodyBytes - stream.answerBody.count)
    }

    private func received(_ frame: nghttp2_frame) {
        let isFlagged = frame.hd.flags & 1 != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_SETTINGS.rawValue where !isFlagged:
            events.append(
                .settings(
                    nghttp2_session_get_remote_settings(
                        session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)))
        case NGHTTP2_PING.rawValue where isFlagged:
            events.append(.ping)
        case NGHTTP2_GOAWAY.rawValue:
            events.append(
                .goAway(
                    frame.goaway.last_stream_id,
                    HTTP2ErrorCode(rawValue: frame.goaway.error_code)))
        case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
            ended(frame.hd.stream_id, isFlagged, UInt32(frame.hd.type))
        default:
            break
        }
    }

    /// A whole HEADERS with its CONTINUATION, or a DATA frame.
    private func ended(_ id: Int32, _ endsStream: Bool, _ type: UInt32) {
        guard var stream = streams[id], !stream.isMalformed else { return }
        stream.headerListBytes = 0
        var isRight = stream.hasAnswer
        if type == NGHTTP2_HEADERS.rawValue {
            if stream.hasAnswer {
                isRight = endsStream
            } else if stream.status >= 200 {
                stream.hasAnswer = true
                isRight = true
            } else {
                isRight = stream.status != 0 && !endsStream
                if stream.status != 0 {
                    stream.status = 0
                    stream.answer.messageID = ""
                    stream.answer.retryAfter = ""
                }
            }
        }
        stream.isMalformed = !isRight
        if isRight && endsStream {
            stream.answer.isComplete = true
            // Ours does not wait for the window of a body that the peer has not waited for.
            if stream.sent < stream.body.count {
                nghttp2_submit_rst_stream(session, 0, id, HTTP2ErrorCode.noError.rawValue)
            }
        }
        streams[id] = stream
        if !isRight { reset(malformed: id) }
    }

    private func reset(malformed id: Int32) {
        nghttp2_submit_rst_stream(session, 0, id, HTTP2ErrorCode.protocolError.rawValue)
    }

    private func closed(_ id: Int32, _ code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        var answer = stream.answer
        answer.code = stream.isMalformed && code == .noError ? .protocolError : code
        answer.status = stream.hasAnswer ? stream.status : 0
        answer.body = String(decoding: stream.answerBody, as: UTF8.self)
        events.append(.closed(tag: stream.tag, answer))
    }
}

private func client(behind userData: UnsafeMutableRawPointer?) -> ReferenceClient {
    guard let userData else { preconditionFailure("BUG: a callback without its user data") }
    return Unmanaged<ReferenceClient>.fromOpaque(userData).takeUnretainedValue()
}
