internal import CNghttp2
package import FanfareCore

/// What a client session is made for.
package struct ClientSessionConfiguration: Sendable {
    /// Requests that have a slot at a time: those in flight and those not yet released.
    package var streamCapacity: Int
    /// Bytes of an answer's body that are kept.
    package var responseBodyBytes: Int
    /// The window for the peer's answers, of the connection and of each stream.
    package var receiveWindowBytes: Int32
    /// Allocations until one is refused; for tests.
    package var allocationsUntilFailure = Int.max

    package init(
        streamCapacity: Int = Limits.sessionStreams,
        responseBodyBytes: Int = Limits.responseBodyBytes,
        receiveWindowBytes: Int32 = Limits.receiveWindowBytes
    ) {
        self.streamCapacity = streamCapacity
        self.responseBodyBytes = responseBodyBytes
        self.receiveWindowBytes = receiveWindowBytes
    }
}

/// The client side of one HTTP/2 connection: requests and bytes in, bytes and events out.
///
/// Knows no socket, no clock and no thread; use it from one thread at a time. The order of a turn is
/// `receive` as often as bytes come, then all of `nextEvent`, then `submit`, then `write`, then
/// events again, since writing may end streams too (a request that can no longer be sent).
///
/// The session queues without bound what the peer has no room for. Submit only what fits into
/// `peerMaxConcurrentStreams` and `connectionSendWindow`.
@safe
package struct ClientSession: ~Copyable {
    // The library calls nothing back while it is torn down, so their order does not matter.
    var engine: Engine
    let state: Pinned<ClientState>

    /// Begins a connection; its first frames are ready to be written.
    /// - Throws: `outOfMemory`.
    package init(_ configuration: ClientSessionConfiguration) throws(HTTP2Error) {
        let state = Pinned(
            ClientState(
                capacity: configuration.streamCapacity,
                bodyLimit: configuration.responseBodyBytes))
        guard let callbacks = unsafe Self.makeCallbacks() else {
            throw HTTP2Error(.outOfMemory, .us)
        }
        let engine = try unsafe Engine(
            isServer: false, callbacks: callbacks, userData: state.userData,
            allocationsUntilFailure: configuration.allocationsUntilFailure)
        try engine.submit(settings: [
            (NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue, 0),
            (
                NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue,
                UInt32(configuration.receiveWindowBytes)
            ),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue, UInt32(Limits.headerListBytes)),
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue, 1),
        ])
        try engine.setConnectionWindow(configuration.receiveWindowBytes)
        self.state = state
        self.engine = engine
    }

    // MARK: In

    /// Takes bytes of the peer, all of them.
    /// - Throws: The reason why the connection is over, once. `write` still has a GOAWAY to write
    ///   then; streams that are open get no event any more and are the owner's to sweep.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try unsafe engine.receive(bytes)
    }

    /// Takes the next event, or nil if all were taken.
    package mutating func nextEvent() -> SessionEvent? {
        let session = unsafe engine.session
        return state.withValue { state in
            while state.news.isPending, let item = state.news.pop() {
                switch item {
                case .settings:
                    return unsafe .settings(maxConcurrentStreams: Self.peerLimit(session))
                case .goAway(let lastStreamID, let code):
                    return .goAway(lastStreamID: lastStreamID, code: code)
                case .ping:
                    return .pingAcknowledged
                }
            }
            guard let slot = state.closed.popFirst() else { return nil }
            let stream = unsafe state.streams + Int(slot)
            return unsafe .streamClosed(
                StreamHandle(id: stream.pointee.id, slot: slot), tag: stream.pointee.tag,
                code: HTTP2ErrorCode(rawValue: stream.pointee.code))
        }
    }

    // MARK: Out

    /// Appends frames until the buffer holds about `limit` bytes or nothing is left to write.
    ///
    /// The last frame may go beyond the limit by at most 16 KiB.
    /// - Returns: The number of bytes appended.
    /// - Throws: `connectionFailed` or `outOfMemory`; the session is over then.
    package mutating func write(
        into buffer: inout ByteBuffer, limit: Int
    ) throws(HTTP2Error) -> Int {
        let before = buffer.count
        // The pointer is only used by callbacks inside this call.
        try unsafe withUnsafeMutablePointer(to: &buffer) { output throws(HTTP2Error) in
            state.withValue {
                unsafe $0.output = unsafe output
                $0.outputLimit = limit
            }
            defer { state.withValue { unsafe $0.output = nil } }
            try unsafe engine.write(into: &output.pointee, limit: limit)
        }
        return buffer.count - before
    }

    /// Whether `write` would write something now.
    package var wantsWrite: Bool { engine.wantsWrite }

    /// Whether the session still expects bytes; if neither this nor `wantsWrite`, the connection
    /// can be closed.
    package var wantsRead: Bool { engine.wantsRead }

    /// Asks the peer for a sign of life.
    package mutating func ping() throws(HTTP2Error) { try engine.ping() }

    /// Tells the peer that we leave; requests that are in flight go on.
    package mutating func goAway(_ code: HTTP2ErrorCode) throws(HTTP2Error) {
        try unsafe engine.goAway(
            lastStreamID: 0, code: code, debugData: UnsafeBufferPointer(start: nil, count: 0))
    }

    // MARK: What a gate needs

    /// The streams that the peer allows, `UInt32.max` if it sets no limit, nil before its SETTINGS.
    package var peerMaxConcurrentStreams: UInt32? {
        guard state.withValue({ $0.news.settingsReceived }) else { return nil }
        return unsafe Self.peerLimit(engine.session)
    }

    /// The bytes of bodies that the peer still takes on this connection. RFC 9113 §6.9.1
    package var connectionSendWindow: Int {
        unsafe Int(nghttp2_session_get_remote_window_size(engine.session))
    }

    /// The bytes of a body that the peer takes on a new stream. RFC 9113 §6.9.2
    package var initialStreamSendWindow: Int {
        unsafe Int(
            nghttp2_session_get_remote_settings(
                engine.session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE))
    }

    /// The largest header list that the peer takes, `UInt32.max` if it sets no limit.
    package var peerMaxHeaderListSize: UInt32 {
        unsafe nghttp2_session_get_remote_settings(
            engine.session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
    }

    /// Streams that were submitted and have not ended.
    package var openStreams: Int { state.withValue { $0.openStreams } }

    /// Whether this connection takes new requests: no GOAWAY has come, and there are ids left.
    package var canOpenStreams: Bool {
        unsafe engine.failure == nil && nghttp2_session_check_request_allowed(engine.session) != 0
    }

    /// The newest GOAWAY's debug data, at most 1 KiB; valid until the next `receive`.
    package var goAwayDebugData: UnsafeBufferPointer<UInt8> {
        unsafe state.withValue { unsafe $0.news.debugData.bytes }
    }

    /// Blocks of memory that the library holds; flat over the life of a connection.
    package var liveBlocks: Int { engine.pool.withValue { $0.liveBlocks } }

    /// Bytes of memory that the session holds for the library.
    package var heldBytes: Int { engine.pool.withValue { $0.heldBytes } }

    /// Goes on with a later stream id; for tests of what happens when they are used up.
    func skipStreamIDs(to id: Int32) {
        _ = unsafe nghttp2_session_set_next_stream_id(engine.session, id)
    }

    private static func peerLimit(_ session: OpaquePointer) -> UInt32 {
        unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }
}
