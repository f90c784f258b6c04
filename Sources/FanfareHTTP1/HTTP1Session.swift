package import FanfareBase
package import FanfareHTTP2

/// The client side of one HTTP/1.1 connection: requests and bytes in, bytes and events out.
///
/// It knows no socket, no clock and no thread; use it from one thread at a time. It is used like
/// `ClientSession` with a peer that allows one stream: in a turn `receive` as often as bytes come,
/// then all of `nextEvent`, then `submit`, then `write`.
///
/// ```
///  free ──► queued ──► open ──► closed ──► free           the connection
///    submit     write      │ the answer ends,  release        isOver: takes no more requests
///                          │ breaks HTTP, or reset
/// ```
/// One request is in flight at a time, and none follows before the answer has ended: pipelined requests
/// that are lost are all in doubt (RFC 9112 §9.3.2).
///
/// A connection that ends proves nothing of a request of which a byte has left. A server may close a
/// connection that it takes for idle while the request is on the way (RFC 9112 §9.5), and there are
/// servers that take the end of the connection for the end of a request that was cut within its head or
/// body, and act on it (decision 051).
@safe
package struct HTTP1Session: ~Copyable {
    enum Phase {
        /// May become `queued`.
        case free
        /// Submitted, and not a byte is written. May become `open` or `closed`.
        case queued
        /// Its first byte is written. May become `closed`.
        case open
        /// Its end is an event or was one, its answer is readable. May become `free`.
        case closed
    }

    // The request.
    private(set) var phase = Phase.free
    private var id: Int32 = 0
    private var tag: UInt32 = 0
    private var code = HTTP2ErrorCode.noError
    /// True if its end must be reported.
    private var hasEvent = false
    /// The first request's headers make it.
    private var requestHead: RequestHead?
    /// The head of the request, until it is written.
    private var head = ByteBuffer(capacity: 512)
    /// The rest of the body that is to be written, borrowed from the caller.
    private var body = unsafe UnsafeBufferPointer<UInt8>.empty
    /// True if the first byte is written.
    private var isBegun = false
    /// True if the whole request is written.
    private var isSent = false
    /// True if the rest of the request is not wanted any more.
    private var isGivenUp = false
    /// The end of the whole request among all bytes that were written.
    private var requestEnd = 0
    private var bytesWritten = 0

    // The answer.
    private var parser: AnswerParser
    /// True if no request follows.
    private var isOver = false
    /// The peer's fault; the connection is over then.
    package private(set) var failure: AnswerFault?

    /// Begins a connection; nothing is said before the first request.
    /// - Parameters:
    ///   - responseBodyBytes: Bytes of an answer's body that are kept.
    ///   - bodyBytesMax: Bytes of an answer's body that are waited for; `Limits.answerBodyBytes` at the most.
    ///   - quota: The fields in which the provider counts the requests that it still takes.
    package init(
        responseBodyBytes: Int = Limits.responseBodyBytes,
        bodyBytesMax: UInt64 = Limits.answerBodyBytes, quota: QuotaFields? = nil
    ) {
        parser = AnswerParser(
            bodyLimit: responseBodyBytes,
            bodyBytesMax: min(bodyBytesMax, Limits.answerBodyBytes), quota: quota)
    }

    // MARK: In

    /// Takes bytes of the peer, all of them.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - hasLeft: True if a byte of the request that was written last can have reached the peer:
    ///     before that, no bytes that come are its answer.
    /// - Throws: The reason why the connection is over, once. The session still reports an answer
    ///   that has ended before; a request whose own answer has the fault ends with `protocolError`.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, hasLeft: Bool = true
    ) throws(HTTP1Error) {
        guard let start = bytes.baseAddress else { return }
        var rest = unsafe UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        // Behind the last answer nothing is of interest.
        while !rest.isEmpty, failure == nil, phase == .open || !isOver {
            do throws(AnswerFault) {
                guard phase == .open, hasLeft else { throw .unsolicited }
                unsafe try parser.receive(&rest)
            } catch {
                failure = error
                isOver = true
                if phase == .open, error != .unsolicited { close(.protocolError) }
                throw .malformed(error)
            }
            answerAdvanced()
        }
    }

    /// Acts on an answer that may have ended, or that has said that it is the last.
    private mutating func answerAdvanced() {
        // A server that answers before it has the request may not read the rest of it, and what it then
        // takes for the next request is open. RFC 9112 §9.3, §9.6
        if parser.answer.status != 0, !isSent { isOver = true }
        if parser.closes {
            isOver = true
            // A server that closes does not wait for the rest of the request. RFC 9112 §9.5
            if parser.answer.status != 0 { isGivenUp = true }
        }
        if parser.phase == .ended { close(parser.answer.isComplete ? .noError : .cancel) }
    }

    /// Notes that the peer has ended the connection.
    /// - Parameter isClean: True if no bytes can be missing: TLS has ended with close_notify, or
    ///   without TLS the peer has sent FIN. An answer that ends with its connection is whole then.
    ///   RFC 9112 §8, §9.8
    package mutating func endReceived(isClean: Bool) {
        isOver = true
        if isClean, phase == .open, parser.endReceived() { close(.noError) }
    }

    /// True if there is an event to take.
    package var hasNextEvent: Bool { mutating get { hasEvent } }

    /// Takes the next event, which is the end of a request, or nil if all were taken.
    package mutating func nextEvent() -> SessionEvent? {
        guard hasEvent else { return nil }
        hasEvent = false
        return .streamClosed(StreamHandle(id: id, slot: 0), tag: tag, code: code)
    }

    /// True if this connection takes a further request, once the one that it has is released.
    package var canOpenStreams: Bool { mutating get { !isOver && id < .max } }

    // MARK: Requests

    /// Queues a request.
    ///
    /// The body is not copied: its memory must stay valid until this stream's `streamClosed` was taken.
    /// - Parameters:
    ///   - headers: The fields, prepared for this connection: always the same.
    ///   - values: One for each place of `headers`, in their order, then one for each optional field
    ///     unless all are as usual. A value without address leaves a place's field out, and is the
    ///     usual one for an optional field.
    ///   - body: Empty for a request without one.
    ///   - tag: Comes back with the event.
    /// - Returns: The stream, open until its `streamClosed` comes.
    /// - Throws: `noMoreRequests`, `headTooLarge` or `unsendable`; nothing was queued then.
    package mutating func submit(
        _ headers: borrowing RequestHeaders,
        values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        body: UnsafeBufferPointer<UInt8>, tag: UInt32
    ) throws(HTTP1Error) -> StreamHandle {
        guard canOpenStreams, phase == .free else { throw .noMoreRequests }
        guard unsafe headers.listBytesMax(values) <= Limits.headerListBytes else {
            throw .headTooLarge
        }
        if requestHead == nil { requestHead = RequestHead(headers) }
        head.removeAll()
        do throws(HTTP1Error) {
            unsafe try requestHead?.write(values, bodyBytes: body.count, into: &head)
        } catch {
            head.removeAll()
            throw error
        }
        id += 1
        self.tag = tag
        unsafe self.body = body
        (isBegun, isSent, isGivenUp) = (false, false, false)
        phase = .queued
        parser.begin(lacksContent: headers.isHead)
        return StreamHandle(id: id, slot: 0)
    }

    /// Ends a request from our side; does nothing if it has ended already.
    ///
    /// The event is there at once. A request that was not yet written is never written, and the
    /// connection goes on; any other ends with its connection, which the owner has to close.
    package mutating func reset(_ stream: StreamHandle, _ code: HTTP2ErrorCode = .cancel) {
        guard stream.id == id, phase == .queued || phase == .open else { return }
        if phase == .open { isOver = true }
        close(code)
    }

    private mutating func close(_ code: HTTP2ErrorCode) {
        head.removeAll()
        unsafe body = .empty
        phase = .closed
        self.code = code
        hasEvent = true
    }

    /// Gives the place of a request that has ended back.
    package mutating func release(_ stream: StreamHandle) {
        precondition(
            stream.id == id && phase == .closed, "BUG: release of a request that has not ended")
        phase = .free
    }

    /// Returns the provider's count of requests, as far as answers have said it since the last call.
    package mutating func takeQuota() -> QuotaNotice { parser.takeQuota() }

    // MARK: Facts of a request that is not released

    // `mutating`, though nothing changes: to lend so large a value, the compiler copies it first, six times for
    // a request. What is changed in place is not copied.

    /// Returns the answer, as far as it has come; lent until the request is released.
    package mutating func response(_ stream: StreamHandle) -> Response {
        check(stream)
        return parser.answer.response
    }

    /// Returns the field `date` of an answer, at most 40 bytes; empty if absent or longer.
    ///
    /// It is lent like the response.
    package mutating func date(_ stream: StreamHandle) -> UnsafeBufferPointer<UInt8> {
        check(stream)
        return unsafe parser.answer.dateBytes
    }

    /// Returns the progress of writing a request.
    package mutating func written(_ stream: StreamHandle) -> ClientSession.Written {
        check(stream)
        guard isBegun else { return .nothing }
        return isSent ? .whole(end: requestEnd) : .part
    }

    @inline(__always)
    private mutating func check(_ stream: StreamHandle) {
        precondition(stream.id == id && phase != .free, "BUG: a request that is released")
    }

    // MARK: Out

    /// True if `write` would write something now.
    package var wantsWrite: Bool {
        mutating get {
            switch phase {
            case .queued: !isOver
            case .open: !isSent && !isGivenUp
            case .free, .closed: false
            }
        }
    }

    /// True if a request waits of which not a byte is written.
    package var isQueued: Bool { mutating get { phase == .queued } }

    /// Appends bytes to send until the buffer holds about `limit` bytes or nothing is left.
    ///
    /// A request's head may go beyond the limit.
    /// - Returns: The number of bytes appended.
    @discardableResult
    package mutating func write(into buffer: inout ByteBuffer, limit: Int) -> Int {
        guard wantsWrite, buffer.count < limit else { return 0 }
        let before = buffer.count
        if phase == .queued {
            unsafe buffer.append(head.bytes)
            head.removeAll()
            isBegun = true
            phase = .open
        }
        let count = unsafe min(body.count, max(limit - buffer.count, 0))
        unsafe buffer.append(UnsafeBufferPointer(rebasing: body[..<count]))
        unsafe body = UnsafeBufferPointer(rebasing: body[count...])
        bytesWritten += buffer.count - before
        if unsafe body.isEmpty {
            isSent = true
            requestEnd = bytesWritten
        }
        return buffer.count - before
    }

    /// Bytes of memory that may have grown since the beginning.
    var heldBytes: Int { parser.allocatedBytes + head.allocatedBytes }
}
