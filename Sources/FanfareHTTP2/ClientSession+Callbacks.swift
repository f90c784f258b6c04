internal import CNghttp2
internal import FanfareCore

// The way from nghttp2 into `ClientState`. Callbacks record and queue; none of them writes, sends or
// frees anything, because the library is in the middle of its work (and would not survive it).
extension ClientSession {
    /// The callbacks of every client session; the caller deletes them.
    static func makeCallbacks() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }

        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameCount, value, valueCount, _, userData in
            guard let frame = unsafe frame, let name = unsafe name, let value = unsafe value else {
                return 0
            }
            let id = unsafe frame.pointee.hd.stream_id
            return unsafe Pinned<ClientState>.withValue(behind: userData) { state in
                guard let slot = unsafe state.slot(of: id, in: session) else { return 0 }
                return unsafe state.received(
                    headerField: name, nameCount, value, valueCount, slot: slot)
                    ? 0 : state.resetMalformed(slot, in: session)
            }
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, id, bytes, count, userData in
            guard let bytes = unsafe bytes else { return 0 }
            return unsafe Pinned<ClientState>.withValue(behind: userData) { state in
                guard let slot = unsafe state.slot(of: id, in: session) else { return 0 }
                if unsafe !state.received(body: bytes, count, slot: slot) {
                    _ = unsafe state.resetMalformed(slot, in: session)
                }
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) {
            session, frame, userData in
            guard let frame = unsafe frame else { return 0 }
            return unsafe Pinned<ClientState>.withValue(behind: userData) { state in
                unsafe state.received(frame, in: session)
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            session, id, code, userData in
            unsafe Pinned<ClientState>.withValue(behind: userData) { state in
                if let slot = unsafe state.slot(of: id, in: session) {
                    state.receivedClose(slot: slot, code: code)
                }
                return 0
            }
        }
        unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks) {
            _, _, header, count, source, userData in
            guard let header = unsafe header, let source = unsafe source else {
                return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
            }
            let slot = unsafe Int(source.pointee.fd)
            return unsafe Pinned<ClientState>.withValue(behind: userData) { state in
                unsafe state.write(frameHeader: header, bodyBytes: count, slot: slot)
            }
        }
        return unsafe callbacks
    }

    /// Gives the length of the next DATA frame; its bytes go to the output without a stop.
    static let bodySource: nghttp2_data_source_read_callback = {
        _, _, _, room, flags, source, userData in
        guard let flags = unsafe flags, let source = unsafe source else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let slot = unsafe Int(source.pointee.fd)
        return unsafe Pinned<ClientState>.withValue(behind: userData) { state in
            let stream = unsafe state.streams + slot
            let rest = unsafe stream.pointee.requestBody.count - stream.pointee.requestBodySent
            unsafe flags.pointee = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
            if rest <= room { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return min(rest, room)
        }
    }
}

extension ClientState {
    /// The slot of a stream: its number plus one is what the library keeps for us.
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
            let stream = unsafe streams + Int(slot)
            unsafe stream.pointee.isComplete =
                unsafe stream.pointee.hasAnswer && !stream.pointee.isMalformed
        case NGHTTP2_HEADERS.rawValue:
            guard let slot = unsafe slot(of: header.stream_id, in: session) else { return }
            if !receivedHeaderList(slot: slot, endsStream: endsStream) {
                _ = unsafe resetMalformed(slot, in: session)
            }
        default:
            unsafe news.received(frame)
        }
    }

    /// Ends a stream whose answer breaks the rules; only queues the frame.
    fileprivate func resetMalformed(_ slot: UInt32, in session: OpaquePointer?) -> Int32 {
        let stream = unsafe streams + Int(slot)
        unsafe stream.pointee.isMalformed = true
        // If there is no memory for the frame, the next call into the library fails for the same
        // reason.
        _ = unsafe nghttp2_submit_rst_stream(
            session, 0, stream.pointee.id, HTTP2ErrorCode.protocolError.rawValue)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    /// Writes a DATA frame behind the frames that are already there.
    fileprivate mutating func write(
        frameHeader: UnsafePointer<UInt8>, bodyBytes: Int, slot: Int
    ) -> Int32 {
        guard let output = unsafe output else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
        let stream = unsafe streams + slot
        let rest = unsafe UnsafeBufferPointer(
            rebasing: stream.pointee.requestBody[
                stream.pointee.requestBodySent..<stream.pointee.requestBodySent + bodyBytes])
        unsafe output.pointee.append(UnsafeBufferPointer(start: frameHeader, count: 9))
        unsafe output.pointee.append(rest)
        unsafe stream.pointee.requestBodySent += bodyBytes
        // The library would go on with all bodies it has; this makes it return after this frame.
        return unsafe output.pointee.count < outputLimit ? 0 : NGHTTP2_ERR_PAUSE.rawValue
    }
}
