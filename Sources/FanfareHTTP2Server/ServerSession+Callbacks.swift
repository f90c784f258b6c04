internal import CNghttp2
internal import FanfareBase
import FanfareHTTP2

// The way from nghttp2 into `ServerState`. Callbacks record and queue; none of them writes, sends or
// frees anything, because the library is in the middle of its work (and would not survive it).
extension ServerSession {
    /// Makes the callbacks of every server session; the caller deletes them.
    static func makeCallbacks() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }

        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) {
            session, frame, userData in
            guard let frame = unsafe frame, unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            else { return 0 }
            let id = unsafe frame.pointee.hd.stream_id
            return unsafe Pinned<ServerState>.withValue(behind: userData) { state in
                unsafe state.begin(id, in: session)
            }
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameCount, value, valueCount, _, userData in
            guard let frame = unsafe frame, let name = unsafe name, let value = unsafe value else {
                return 0
            }
            let id = unsafe frame.pointee.hd.stream_id
            return unsafe Pinned<ServerState>.withValue(behind: userData) { state in
                guard let slot = unsafe state.slot(of: id, in: session) else { return 0 }
                if unsafe state.received(
                    headerField: name, nameCount, value, valueCount, slot: slot)
                {
                    return 0
                }
                _ = unsafe nghttp2_submit_rst_stream(
                    session, 0, id, HTTP2ErrorCode.protocolError.rawValue)
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
            }
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, id, bytes, count, userData in
            guard let bytes = unsafe bytes else { return 0 }
            return unsafe Pinned<ServerState>.withValue(behind: userData) { state in
                if let slot = unsafe state.slot(of: id, in: session) {
                    unsafe state.received(body: bytes, count, slot: slot)
                }
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) {
            session, frame, userData in
            guard let frame = unsafe frame else { return 0 }
            return unsafe Pinned<ServerState>.withValue(behind: userData) { state in
                unsafe state.received(frame, in: session)
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            session, id, code, userData in
            unsafe Pinned<ServerState>.withValue(behind: userData) { state in
                if let slot = unsafe state.slot(of: id, in: session) {
                    state.receivedClose(slot: slot, code: code)
                }
                return 0
            }
        }
        return unsafe callbacks
    }

    /// Copies an answer's body into its DATA frame.
    static let bodySource: nghttp2_data_source_read_callback = {
        _, _, target, room, flags, source, userData in
        guard let target = unsafe target, let flags = unsafe flags, let source = unsafe source
        else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let slot = unsafe Int(source.pointee.fd)
        return unsafe Pinned<ServerState>.withValue(behind: userData) { state in
            let stream = unsafe state.streams + slot
            let count = unsafe min(room, stream.pointee.answer.count)
            if let start = unsafe stream.pointee.answer.bytes.baseAddress {
                unsafe target.update(from: start, count: count)
            }
            unsafe stream.pointee.answer.removeFirst(count)
            if unsafe stream.pointee.answer.isEmpty {
                unsafe flags.pointee = NGHTTP2_DATA_FLAG_EOF.rawValue
            }
            return count
        }
    }
}

extension ServerState {
    /// Gives a new stream a slot, or refuses it if there is none.
    fileprivate mutating func begin(_ id: Int32, in session: OpaquePointer?) -> Int32 {
        guard let slot = takeSlot() else {
            _ = unsafe nghttp2_submit_rst_stream(
                session, 0, id, HTTP2ErrorCode.refusedStream.rawValue)
            return 0
        }
        unsafe streams[Int(slot)].begin(id: id)
        openStreams &+= 1
        let mark = unsafe UnsafeMutableRawPointer(bitPattern: UInt(slot) + 1)
        if unsafe nghttp2_session_set_stream_user_data(session, id, mark) != 0 {
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        return 0
    }

    /// Returns the slot of a stream, nil for one that was refused.
    fileprivate mutating func slot(of id: Int32, in session: OpaquePointer?) -> UInt32? {
        if id == recentID { return recentSlot }
        guard let mark = unsafe nghttp2_session_get_stream_user_data(session, id) else {
            return nil
        }
        recentID = id
        recentSlot = UInt32(truncatingIfNeeded: UInt(bitPattern: mark) - 1)
        headerListBytes = 0
        return recentSlot
    }

    fileprivate mutating func received(
        _ frame: UnsafePointer<nghttp2_frame>, in session: OpaquePointer?
    ) {
        let header = unsafe frame.pointee.hd
        let endsStream = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue:
            guard endsStream, let slot = unsafe slot(of: header.stream_id, in: session) else {
                return
            }
            receivedEnd(slot: slot)
        case NGHTTP2_HEADERS.rawValue:
            guard let slot = unsafe slot(of: header.stream_id, in: session) else { return }
            if !receivedHeaderList(slot: slot, endsStream: endsStream) {
                _ = unsafe nghttp2_submit_rst_stream(
                    session, 0, header.stream_id, HTTP2ErrorCode.protocolError.rawValue)
            }
        default:
            unsafe news.received(frame)
        }
    }
}
