internal import FanfareBase

/// The answer to a request, borrowed from the session until the stream is released.
@safe
package struct Response {
    /// The status, 0 if none has come.
    package var status: UInt16
    /// True if nothing is missing: END_STREAM was seen, or in HTTP/1.1 the end of the body.
    package var isComplete: Bool
    /// The bytes of the body in all; `body` holds the first of them.
    package var bodyBytes: UInt64
    /// The notification's id, at most 36 bytes; empty if absent or longer.
    package var messageID: UnsafeBufferPointer<UInt8>
    /// The field that `messageID` is from.
    package static let messageIDName = "apns-id"
    /// The field `retry-after`, at most 32 bytes; empty if absent or longer.
    package var retryAfter: UnsafeBufferPointer<UInt8>
    package var body: UnsafeBufferPointer<UInt8>

    /// Puts an answer together.
    package init(
        status: UInt16, isComplete: Bool, bodyBytes: UInt64,
        messageID: UnsafeBufferPointer<UInt8>, retryAfter: UnsafeBufferPointer<UInt8>,
        body: UnsafeBufferPointer<UInt8>
    ) {
        self.status = status
        self.isComplete = isComplete
        self.bodyBytes = bodyBytes
        unsafe self.messageID = messageID
        unsafe self.retryAfter = retryAfter
        unsafe self.body = body
    }
}

extension ClientSession {
    /// Queues a request.
    ///
    /// No byte is copied that the caller keeps anyway: the memory of values and body must stay valid until this stream's `streamClosed` was taken.
    /// - Parameters:
    ///   - headers: The fields, prepared for this connection: always the same.
    ///   - values: One for each place of `headers`, in their order, then one for each optional field
    ///     unless all are as usual. A value without address leaves a place's field out, and is the
    ///     usual one for an optional field.
    ///   - body: Empty for a request without one.
    ///   - tag: Comes back with the event.
    /// - Returns: The stream, open until its `streamClosed` comes.
    /// - Throws: `noMoreStreams`, `noFreeSlot` or `headersTooLarge`; nothing was queued then.
    /// - Complexity: No allocation from the system after warm-up.
    package mutating func submit(
        _ headers: borrowing RequestHeaders,
        values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        body: UnsafeBufferPointer<UInt8>, tag: UInt32
    ) throws(HTTP2Error) -> StreamHandle {
        guard canOpenStreams else { throw HTTP2Error(.noMoreStreams, .us) }
        guard unsafe headers.listBytesMax(values) <= Limits.headerListBytes else {
            throw HTTP2Error(.headersTooLarge, .us)
        }
        guard let slot = slots.take() else { throw HTTP2Error(.noFreeSlot, .us) }
        if encoder == nil { prepare(headers) }
        if let places = unsafe places(slot), let start = values.baseAddress {
            for index in 0..<values.count { unsafe places[index] = start[index] }
        }
        let id = Int32(truncatingIfNeeded: nextStreamID)
        nextStreamID &+= 2
        let stream = unsafe slots.streams + Int(slot)
        unsafe stream.pointee = ClientStream()
        unsafe stream.pointee.id = id
        unsafe stream.pointee.tag = tag
        unsafe stream.pointee.phase = .queued
        unsafe stream.pointee.valueCount = UInt8(truncatingIfNeeded: values.count)
        unsafe stream.pointee.requestBody = body
        unsafe pending.append(slot, in: slots.streams)
        openStreams &+= 1
        return StreamHandle(id: id, slot: slot)
    }

    private mutating func prepare(_ headers: borrowing RequestHeaders) {
        var encoder = FieldEncoder(headers)
        encoder.follow(&peer)
        slots.answersLackContent = headers.isHead
        valueStride = headers.placeCount + headers.optionalCount
        unsafe values = .allocate(capacity: max(slots.capacity * valueStride, 1))
        self.encoder = consume encoder
    }

    /// Returns the memory of a request's values: the first `valueCount` of as many as it could
    /// bring.
    func places(_ slot: UInt32) -> UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>? {
        guard let values = unsafe values else { return nil }
        return unsafe values + Int(slot) * valueStride
    }

    /// Ends a stream from our side; does nothing if it has ended already.
    ///
    /// The event is there at once; late frames of the peer are ignored. A request that was still
    /// queued is never written.
    /// - Parameters:
    ///   - stream: The stream to end.
    ///   - code: `cancel` for own cancels; `refusedStream` would read as a proof of the peer's.
    package mutating func reset(_ stream: StreamHandle, _ code: HTTP2ErrorCode = .cancel) {
        let entry = unsafe slots.streams[Int(stream.slot)]
        if entry.id == stream.id && !entry.isEnded && failure == nil {
            reset(slot: stream.slot, code)
        }
    }

    /// Returns the answer of a stream that is not released, as far as it has come.
    ///
    /// It also answers for each stream of a connection that has ended, whether the stream has ended
    /// or not.
    package func response(_ stream: StreamHandle) -> Response {
        let entry = unsafe slots.streams + Int(stream.slot)
        unsafe precondition(
            entry.pointee.id == stream.id && entry.pointee.phase != .free,
            "BUG: the answer of a stream that is released")
        let place = unsafe entry.pointee.answer
        var response = unsafe Response(
            status: entry.pointee.hasAnswer ? entry.pointee.status : 0,
            isComplete: entry.pointee.isComplete, bodyBytes: entry.pointee.bodyTotal,
            messageID: Self.noBytes, retryAfter: Self.noBytes, body: Self.noBytes)
        if place != AnswerPlaces.none {
            unsafe response.messageID = UnsafeBufferPointer(
                start: slots.answers.messageID(place), count: Int(entry.pointee.messageIDCount))
            unsafe response.retryAfter = UnsafeBufferPointer(
                start: slots.answers.retryAfter(place), count: Int(entry.pointee.retryAfterCount))
            unsafe response.body = UnsafeBufferPointer(
                start: slots.answers.body(place), count: Int(entry.pointee.bodyKept))
        }
        return response
    }

    /// Returns the field `date` of an answer, at most 40 bytes; empty if absent or longer.
    ///
    /// It is no part of `response`, since no row depends on it. It is lent like the response.
    package func date(_ stream: StreamHandle) -> UnsafeBufferPointer<UInt8> {
        let entry = unsafe slots.streams + Int(stream.slot)
        unsafe precondition(
            entry.pointee.id == stream.id && entry.pointee.phase != .free,
            "BUG: the date of a stream that is released")
        let place = unsafe entry.pointee.answer
        guard place != AnswerPlaces.none else { return unsafe Self.noBytes }
        return unsafe UnsafeBufferPointer(
            start: slots.answers.date(place), count: Int(entry.pointee.dateCount))
    }

    /// The part of a request that has been made into frames.
    package enum Written: Equatable, Sendable {
        /// Nothing: it waits for the peer's limit, or was taken back while it did.
        case nothing
        /// A part without the frame with END_STREAM. A stream that has ended makes no more frames.
        case part
        /// All of it, up to this place among all bytes that the session has written.
        case whole(end: Int)
    }

    /// Returns the way in which a stream's answer broke HTTP, so that it was reset; `nil` if it did not.
    package func fault(of stream: StreamHandle) -> MalformedAnswer? {
        unsafe slots.streams[Int(stream.slot)].fault
    }

    /// Returns the name of the header field with which an answer broke HTTP; `nil` if it is not known, or was not that.
    package func faultyField(of stream: StreamHandle) -> String? {
        faultyField.stream == stream.id ? faultyField.name : nil
    }

    /// Returns the part of a request that has been made into frames; the request is not released.
    package func written(_ stream: StreamHandle) -> Written {
        let entry = unsafe slots.streams + Int(stream.slot)
        unsafe precondition(
            entry.pointee.id == stream.id && entry.pointee.phase != .free,
            "BUG: the frames of a stream that is released")
        if unsafe stream.id > lastSentStreamID || entry.pointee.phase == .queued {
            return .nothing
        }
        return unsafe entry.pointee.isSent ? .whole(end: entry.pointee.requestSent) : .part
    }

    private static var noBytes: UnsafeBufferPointer<UInt8> {
        unsafe .empty
    }

    /// Gives the slot of a closed stream back.
    package mutating func release(_ stream: StreamHandle) {
        let entry = unsafe slots.streams + Int(stream.slot)
        unsafe precondition(
            entry.pointee.id == stream.id && entry.pointee.phase == .closed,
            "BUG: release of a stream that is not closed")
        slots.giveBack(stream.slot)
    }

    /// Returns the provider's count of requests, as far as answers have said it since the last call.
    package mutating func takeQuota() -> QuotaNotice { slots.quota.take() }

    // MARK: Ends of streams

    /// Ends a stream and tells the peer, if it knows of it.
    mutating func reset(slot: UInt32, _ code: HTTP2ErrorCode) {
        let stream = unsafe slots.streams + Int(slot)
        if unsafe stream.pointee.phase == .open {
            unsafe control.append(reset: stream.pointee.id, code)
        }
        close(slot, code)
    }

    /// Ends a stream whose answer breaks HTTP: nothing of it counts. RFC 9113 §8.1.1
    mutating func malformed(_ slot: UInt32, _ fault: MalformedAnswer) {
        unsafe slots.streams[Int(slot)].hasAnswer = false
        unsafe slots.streams[Int(slot)].isComplete = false
        unsafe slots.streams[Int(slot)].fault = fault
        reset(slot: slot, .protocolError)
    }

    /// Takes a stream out of all lists and queues its event.
    mutating func close(_ slot: UInt32, _ code: HTTP2ErrorCode) {
        let stream = unsafe slots.streams + Int(slot)
        unsafe assert(!stream.pointee.isEnded, "BUG: a stream ends twice")
        if unsafe stream.pointee.phase == .queued {
            unsafe pending.remove(slot, in: slots.streams)
        } else {
            if unsafe stream.pointee.isSending { unsafe sending.remove(slot, in: slots.streams) }
            unsafe table.remove(stream.pointee.id)
            activeStreams &-= 1
        }
        unsafe stream.pointee.isSending = false
        unsafe stream.pointee.phase = .closed
        unsafe stream.pointee.code = code.rawValue
        openStreams &-= 1
        closed.append(slot)
    }
}
