internal import CNghttp2
internal import FanfareCore

/// The answer to a request, borrowed from the session until the stream is released.
@safe
package struct Response {
    /// The status, 0 if none has come.
    package var status: UInt16
    /// END_STREAM was seen: nothing is missing.
    package var isComplete: Bool
    /// The bytes of the body in all; `body` holds the first of them.
    package var bodyBytes: UInt64
    /// At most 36 bytes; empty if absent or longer.
    package var apnsID: UnsafeBufferPointer<UInt8>
    /// At most 32 bytes; empty if absent or longer.
    package var retryAfter: UnsafeBufferPointer<UInt8>
    package var body: UnsafeBufferPointer<UInt8>
}

extension ClientSession {
    /// Queues a request.
    ///
    /// No byte is copied that the caller keeps anyway: the memory of values and body must stay valid until this stream's `streamClosed` was taken.
    /// - Parameters:
    ///   - headers: The fields, prepared for this connection.
    ///   - values: One for each open place of `headers`, in their order. A value without address
    ///     leaves its field out.
    ///   - body: Empty for a request without one.
    ///   - tag: Comes back with the event.
    /// - Returns: The stream, open until its `streamClosed` comes.
    /// - Throws: `noMoreStreams`, `noFreeSlot`, `headersTooLarge` or `outOfMemory`; nothing was
    ///   queued then.
    /// - Complexity: No allocation from the system after warm-up.
    package mutating func submit(
        _ headers: borrowing RequestHeaders,
        values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        body: UnsafeBufferPointer<UInt8>, tag: UInt32
    ) throws(HTTP2Error) -> StreamHandle {
        guard canOpenStreams else { throw HTTP2Error(.noMoreStreams, .us) }
        let fields = unsafe headers.filled(values)
        guard unsafe fields.listBytes <= Limits.headerListBytes else {
            throw HTTP2Error(.headersTooLarge, .us)
        }
        guard let slot = state.withValue({ $0.takeSlot() }) else {
            throw HTTP2Error(.noFreeSlot, .us)
        }
        var source = unsafe nghttp2_data_provider()
        unsafe source.source.fd = Int32(bitPattern: slot)
        unsafe source.read_callback = unsafe body.isEmpty ? nil : Self.bodySource
        let id = unsafe nghttp2_submit_request(
            engine.session, nil, fields.start, fields.count, &source,
            UnsafeMutableRawPointer(bitPattern: UInt(slot) + 1))
        guard id > 0 else {
            state.withValue { $0.giveBack(slot) }
            throw Engine.error(id)
        }
        engine.splice = headers.splice
        unsafe headers.submitted(absent: fields.absent)
        state.withValue { state in
            let stream = unsafe state.streams + Int(slot)
            unsafe stream.pointee = ClientStream()
            unsafe stream.pointee.id = id
            unsafe stream.pointee.tag = tag
            unsafe stream.pointee.phase = .open
            unsafe stream.pointee.requestBody = unsafe body
            state.openStreams &+= 1
        }
        return StreamHandle(id: id, slot: slot)
    }

    /// Ends a stream from our side; does nothing if it has ended already.
    ///
    /// The event comes when `write` has written the reset, or, for a request that was still queued,
    /// taken it out of the queue. Late frames of the peer are ignored.
    /// - Parameters:
    ///   - stream: The stream to end.
    ///   - code: `cancel` for own cancels; `refusedStream` would read as a proof of the peer's.
    /// - Throws: `outOfMemory`.
    package mutating func reset(
        _ stream: StreamHandle, _ code: HTTP2ErrorCode = .cancel
    ) throws(HTTP2Error) {
        let isOpen = state.withValue { state in
            let entry = unsafe state.streams[Int(stream.slot)]
            return entry.id == stream.id && entry.phase == .open
        }
        if isOpen { try engine.reset(stream.id, code) }
    }

    /// The answer of a stream whose end was taken as an event.
    package func response(_ stream: StreamHandle) -> Response {
        state.withValue { state in
            let entry = unsafe state.streams + Int(stream.slot)
            unsafe precondition(
                entry.pointee.id == stream.id && entry.pointee.phase == .closed,
                "BUG: the answer of a stream that is not closed")
            return unsafe Response(
                status: entry.pointee.hasAnswer ? entry.pointee.status : 0,
                isComplete: entry.pointee.isComplete, bodyBytes: entry.pointee.bodyTotal,
                apnsID: UnsafeBufferPointer(
                    start: state.apnsID(stream.slot), count: Int(entry.pointee.apnsIDCount)),
                retryAfter: UnsafeBufferPointer(
                    start: state.retryAfter(stream.slot),
                    count: Int(entry.pointee.retryAfterCount)),
                body: UnsafeBufferPointer(
                    start: state.body(stream.slot), count: Int(entry.pointee.bodyKept)))
        }
    }

    /// Gives the slot of a closed stream back.
    package mutating func release(_ stream: StreamHandle) {
        state.withValue { state in
            let entry = unsafe state.streams[Int(stream.slot)]
            precondition(
                entry.id == stream.id && entry.phase == .closed,
                "BUG: release of a stream that is not closed")
            state.giveBack(stream.slot)
        }
    }
}
