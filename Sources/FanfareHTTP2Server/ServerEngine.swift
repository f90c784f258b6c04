internal import CNghttp2
internal import FanfareBase
import FanfareHTTP2

/// The `nghttp2_session` of a server, with its memory.
///
/// Bytes in, bytes out; the callbacks belong to `ServerSession`.
@safe
struct ServerEngine: ~Copyable {
    let session: OpaquePointer
    let pool: Pinned<BlockPool>
    /// The frames with which a failed session says good-bye, made as soon as it has failed.
    private var farewell = ByteBuffer(capacity: 64)
    private(set) var failure: HTTP2Error?

    /// Makes a session.
    ///
    /// It frees the callbacks, also after an error; they get the user data, which must live as long
    /// as the session.
    /// - Throws: `outOfMemory`.
    init(
        callbacks: OpaquePointer, userData: UnsafeMutableRawPointer,
        allocationsUntilFailure: Int
    ) throws(HTTP2Error) {
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        let pool = Pinned(BlockPool(byteLimit: Limits.sessionBytesMax))
        pool.withValue { $0.allocationsUntilFailure = allocationsUntilFailure }
        var option: OpaquePointer?
        guard unsafe nghttp2_option_new(&option) == 0 else { throw HTTP2Error(.outOfMemory, .us) }
        defer { unsafe nghttp2_option_del(option) }
        // Closed streams would stay in memory for the sake of a priority tree that is not used.
        unsafe nghttp2_option_set_no_closed_streams(option, 1)
        // Header lists are checked where their fields are recorded: the library's
        // checks of each byte cost about 10 % of a request.
        unsafe nghttp2_option_set_no_http_messaging(option, 1)
        // The library closes connections of clients that reset many streams, to protect servers in
        // the open. Ours is a simulator for clients under test, which do.
        unsafe nghttp2_option_set_stream_reset_rate_limit(option, 1 << 32, 1 << 32)

        var memory = unsafe BlockPool.functions(of: pool.userData)
        var created: OpaquePointer?
        let status = unsafe nghttp2_session_server_new3(
            &created, callbacks, userData, option, &memory)
        guard status == 0, let created = unsafe created else { throw Self.error(status) }
        self.pool = pool
        unsafe session = created
    }

    deinit {
        // Frees its streams without a word: a caller that waits for them has to sweep its own
        // table.
        unsafe nghttp2_session_del(session)
    }

    /// Feeds bytes of the peer.
    /// - Throws: The error of the connection, once; afterwards bytes are ignored.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard failure == nil, let start = bytes.baseAddress, unsafe !bytes.isEmpty else { return }
        let taken = unsafe nghttp2_session_mem_recv(
            session, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        if taken < 0 {
            // Errors of the peer are told by GOAWAY; these are the others (no memory, a flood, a
            // first message that is not HTTP/2), after which the library cannot go on.
            throw fail(Self.error(Int32(truncatingIfNeeded: taken)))
        }
        if hasTerminated { throw fail(bidFarewell()) }
    }

    private mutating func fail(_ error: HTTP2Error) -> HTTP2Error {
        failure = error
        return error
    }

    /// True if the library has given the connection up because of a fault of the peer.
    ///
    /// nghttp2's interface has no question for this, but an answer: it refuses a GOAWAY with an id
    /// that can never be right, unless the session has already said good-bye. The callback for
    /// invalid frames is no substitute, because nghttp2 does not call it for all of them.
    private var hasTerminated: Bool {
        unsafe nghttp2_submit_goaway(session, 0, 2, 0, nil, 0) == 0
    }

    /// Makes the last frames and reads the library's reason from the GOAWAY among them.
    private mutating func bidFarewell() -> HTTP2Error {
        var error = HTTP2Error(.connectionFailed, .peer, code: .protocolError)
        while true {
            var chunk: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &chunk)
            guard count > 0, let chunk = unsafe chunk else { break }
            let frame = unsafe UnsafeBufferPointer(start: chunk, count: count)
            unsafe farewell.append(frame)
            // Length (3), type, flags, stream (4), last stream (4), code (4), debug data.
            guard count >= 17, unsafe frame[3] == UInt8(NGHTTP2_GOAWAY.rawValue) else { continue }
            error.code = unsafe HTTP2ErrorCode(
                rawValue: frame[13..<17].reduce(0) { $0 << 8 | UInt32($1) })
            error.text = unsafe String(decoding: frame[17...], as: UTF8.self)
        }
        return error
    }

    /// Appends frames until the buffer holds `limit` bytes or nothing is left.
    mutating func write(into buffer: inout ByteBuffer, limit: Int) throws(HTTP2Error) {
        guard failure == nil else {
            unsafe buffer.append(farewell.bytes)
            farewell.removeAll()
            return
        }
        while buffer.count < limit {
            var chunk: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &chunk)
            if count > 0, let chunk = unsafe chunk {
                let frame = unsafe UnsafeBufferPointer(start: chunk, count: count)
                unsafe buffer.append(frame)
            } else if count == 0 {
                break
            } else {
                throw fail(Self.error(Int32(truncatingIfNeeded: count)))
            }
        }
    }

    var wantsWrite: Bool {
        unsafe failure == nil ? nghttp2_session_want_write(session) != 0 : !farewell.isEmpty
    }

    var wantsRead: Bool {
        unsafe failure == nil && nghttp2_session_want_read(session) != 0
    }

    func submit(settings: [(id: UInt32, value: UInt32)]) throws(HTTP2Error) {
        let entries = settings.map {
            nghttp2_settings_entry(settings_id: Int32($0.id), value: $0.value)
        }
        try unsafe Self.check(nghttp2_submit_settings(session, 0, entries, entries.count))
    }

    func setConnectionWindow(_ bytes: Int32) throws(HTTP2Error) {
        try unsafe Self.check(nghttp2_session_set_local_window_size(session, 0, 0, bytes))
    }

    func ping() throws(HTTP2Error) {
        try unsafe Self.check(nghttp2_submit_ping(session, 0, nil))
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) throws(HTTP2Error) {
        try unsafe Self.check(nghttp2_submit_rst_stream(session, 0, stream, code.rawValue))
    }

    func goAway(
        lastStreamID: Int32, code: HTTP2ErrorCode, debugData: UnsafeBufferPointer<UInt8>
    ) throws(HTTP2Error) {
        try unsafe Self.check(
            nghttp2_submit_goaway(
                session, 0, lastStreamID, code.rawValue, debugData.baseAddress, debugData.count))
    }

    static func check(_ status: Int32) throws(HTTP2Error) {
        if status < 0 { throw error(status) }
    }

    static func error(_ status: Int32) -> HTTP2Error {
        let text = unsafe String(cString: nghttp2_strerror(status))
        return switch nghttp2_error(rawValue: status) {
        case NGHTTP2_ERR_NOMEM: HTTP2Error(.outOfMemory, .us, text: text)
        case NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE: HTTP2Error(.noMoreStreams, .us, text: text)
        case NGHTTP2_ERR_FLOODED:
            HTTP2Error(.connectionFailed, .peer, code: .enhanceYourCalm, text: text)
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
            HTTP2Error(.connectionFailed, .peer, code: .protocolError, text: text)
        default: HTTP2Error(.connectionFailed, .library, text: text)
        }
    }
}

extension ConnectionNews {
    /// Records a frame that is not about a stream.
    mutating func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = unsafe frame.pointee.hd
        let isAck = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_SETTINGS.rawValue where !isAck:
            settingsArrived()
        case NGHTTP2_PING.rawValue where isAck:
            pingAcknowledged()
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = unsafe frame.pointee.goaway
            unsafe goAwayArrived(
                lastStreamID: goAway.last_stream_id,
                code: HTTP2ErrorCode(rawValue: goAway.error_code),
                debugData: UnsafeBufferPointer(
                    start: UnsafePointer(goAway.opaque_data), count: goAway.opaque_data_len))
        default:
            return
        }
    }
}
