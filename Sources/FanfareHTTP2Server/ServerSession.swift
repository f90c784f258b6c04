internal import CNghttp2
package import FanfareBase
package import FanfareHTTP2

/// The first announcements of a server session to its client, and its sizes.
package struct ServerSessionConfiguration: Sendable {
    /// Streams that the client may have open at a time.
    package var maxConcurrentStreams: UInt32
    /// The window for a request's body. RFC 9113 §6.9.2
    package var initialWindowSize: UInt32
    /// The window for all bodies of the connection.
    package var connectionWindow: Int32
    /// The largest size of the client's header table.
    package var headerTableSize: UInt32
    /// The largest header list that SETTINGS announce; 8,000 as at APNs.
    package var maxHeaderListSize: UInt32
    /// Requests that have a slot at a time, answered and not yet released ones included.
    ///
    /// A stream that finds none is refused.
    package var streamCapacity: Int
    /// The bytes of a request's body that are kept.
    package var bodyBytes: Int
    /// Allocations until one is refused; for tests.
    package var allocationsUntilFailure = Int.max

    package init(
        maxConcurrentStreams: UInt32 = 1000, initialWindowSize: UInt32 = 65_535,
        connectionWindow: Int32 = 65_535, headerTableSize: UInt32 = 4096,
        maxHeaderListSize: UInt32 = 8000, streamCapacity: Int = 2048,
        bodyBytes: Int = Limits.requestBodyBytes
    ) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.connectionWindow = connectionWindow
        self.headerTableSize = headerTableSize
        self.maxHeaderListSize = maxHeaderListSize
        self.streamCapacity = streamCapacity
        self.bodyBytes = bodyBytes
    }
}

/// The server side of one HTTP/2 connection: bytes in, requests out; answers in, bytes out.
///
/// It knows no socket, no clock and no thread; use it from one thread at a time.
///
/// A stream beyond a limit that was just lowered is refused (REFUSED_STREAM) as long as the client
/// has not acknowledged the SETTINGS, so a well-behaved client never loses its connection. After
/// the acknowledgement nghttp2 treats one stream too many as a connection error.
@safe
package struct ServerSession: ~Copyable {
    var engine: ServerEngine
    let state: Pinned<ServerState>
    /// The last stream that GOAWAY has named, once it has.
    ///
    /// It may never rise, and nghttp2 forgets frames that wait to be sent.
    package private(set) var goAwayLastStreamID = Int32.max

    /// Begins a connection; its first frames are ready to be written.
    /// - Throws: `outOfMemory`.
    package init(_ configuration: ServerSessionConfiguration) throws(HTTP2Error) {
        let state = Pinned(
            ServerState(
                capacity: configuration.streamCapacity, bodyBytes: configuration.bodyBytes))
        guard let callbacks = unsafe Self.makeCallbacks() else {
            throw HTTP2Error(.outOfMemory, .us)
        }
        let engine = try unsafe ServerEngine(
            callbacks: callbacks, userData: state.userData,
            allocationsUntilFailure: configuration.allocationsUntilFailure)
        try engine.submit(settings: [
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue, configuration.headerTableSize),
            (
                NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue,
                configuration.maxConcurrentStreams
            ),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue, configuration.initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue, configuration.maxHeaderListSize),
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue, 1),
        ])
        try engine.setConnectionWindow(configuration.connectionWindow)
        self.state = state
        self.engine = engine
    }

    /// Takes bytes of the client, all of them.
    /// - Throws: The reason why the connection is over, once; `write` still has a GOAWAY then.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try unsafe engine.receive(bytes)
    }

    /// Takes the next event, or nil if all were taken.
    package mutating func nextEvent() -> ServerSessionEvent? {
        let session = unsafe engine.session
        return state.withValue { state in
            while state.news.isPending, let item = state.news.pop() {
                switch item {
                case .settings:
                    return unsafe .settings(
                        maxConcurrentStreams: nghttp2_session_get_remote_settings(
                            session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
                case .goAway(let lastStreamID, let code):
                    return .goAway(lastStreamID: lastStreamID, code: code)
                case .ping:
                    return .pingAcknowledged
                }
            }
            guard let entry = state.events.popFirst() else { return nil }
            let slot = entry & ~ServerState.closedMark
            let stream = unsafe state.streams + Int(slot)
            let handle = unsafe StreamHandle(id: stream.pointee.id, slot: slot)
            return unsafe entry == slot
                ? .requestReceived(handle)
                : .streamClosed(handle, code: HTTP2ErrorCode(rawValue: stream.pointee.code))
        }
    }

    /// Appends frames until the buffer holds about `limit` bytes or nothing is left to write.
    /// - Returns: The number of bytes appended.
    /// - Throws: `connectionFailed` or `outOfMemory`; the session is over then.
    package mutating func write(
        into buffer: inout ByteBuffer, limit: Int
    ) throws(HTTP2Error) -> Int {
        let before = buffer.count
        try engine.write(into: &buffer, limit: limit)
        return buffer.count - before
    }

    /// True if `write` would write something now.
    package var wantsWrite: Bool { engine.wantsWrite }

    /// True if the session still expects bytes.
    package var wantsRead: Bool { engine.wantsRead }

    /// Streams that the client has opened and that have not ended.
    package var openStreams: Int { state.withValue { $0.openStreams } }

    /// Blocks of memory that the library holds.
    package var liveBlocks: Int { engine.pool.withValue { $0.liveBlocks } }

    // MARK: The connection

    /// Tells the client another limit; the type's comment names the fate of streams above it.
    package mutating func updateSettings(maxConcurrentStreams: UInt32) throws(HTTP2Error) {
        try engine.submit(settings: [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue, maxConcurrentStreams)
        ])
    }

    /// Tells the client another window for the bodies of its requests.
    package mutating func updateSettings(initialWindowSize: UInt32) throws(HTTP2Error) {
        try engine.submit(settings: [
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue, initialWindowSize)
        ])
    }

    /// Asks the client for a sign of life.
    package mutating func ping() throws(HTTP2Error) { try engine.ping() }

    /// Announces that no stream will be taken soon: the first of a graceful pair, with id 2³¹ − 1.
    package mutating func announceGoAway() throws(HTTP2Error) {
        try unsafe ServerEngine.check(nghttp2_submit_shutdown_notice(engine.session))
    }

    /// Takes no new streams from now on.
    ///
    /// RFC 9113 §6.8: a last stream above that of an earlier GOAWAY becomes the same.
    /// - Parameters:
    ///   - lastStreamID: The last stream that is answered; nil for the newest that has come.
    ///   - code: The reason.
    ///   - debugData: Copied; APNs sends a JSON object.
    /// - Throws: `outOfMemory`.
    package mutating func goAway(
        lastStreamID: Int32?, code: HTTP2ErrorCode, debugData: UnsafeBufferPointer<UInt8>
    ) throws(HTTP2Error) {
        let newest = unsafe nghttp2_session_get_last_proc_stream_id(engine.session)
        let last = min(lastStreamID ?? newest, goAwayLastStreamID)
        goAwayLastStreamID = last
        try unsafe engine.goAway(lastStreamID: last, code: code, debugData: debugData)
    }
}
