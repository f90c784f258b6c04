import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareLoop
import FanfareTLS

/// One request to a service, on a connection of its own that ends with the answer.
///
/// ```
///  look-up ──► race ──► tunnel ──► TLS ──► request ──► answer ──► end
/// ```
/// Use only on its loop's thread.
@safe
final class TokenCall: TransportOwner {
    /// The end of a call.
    enum End {
        /// An answer. Its bytes are gone after the call.
        case answered(TokenAnswer.Received)
        case failed(ConnectionFailure)
    }

    private let request: TokenRequest
    private let way: ServiceWay
    private let transports: LaneTransports<TokenCall>
    private let loop: EventLoop
    private let timer: LoopTimer
    private let buffers = SharedBuffers()
    /// The values of the request's fields, and behind them its body.
    private let content: Secret
    /// The same while the call runs; nothing before and after.
    private var lent = unsafe UnsafeBufferPointer<UInt8>.empty

    /// The connection, from the moment on in which it can speak to the service.
    private var connection: ClientConnection?
    /// The request, once it was made.
    private var stream: StreamHandle?
    /// Takes the end of the call, once.
    private var take: (End) -> Void = { _ in }
    private var hasEnded = false

    /// - Parameters:
    ///   - request: The request.
    ///   - way: The way to its endpoint.
    ///   - first: The index of the address to try first.
    ///   - resolver: The one of the loop.
    ///   - loop: The loop that runs the call, and nothing else meanwhile.
    init(
        _ request: TokenRequest, by way: ServiceWay, first: Int, resolver: Resolver,
        on loop: EventLoop
    ) {
        self.request = request
        self.way = way
        self.loop = loop
        transports = LaneTransports(
            to: way.endpoint.host, port: way.endpoint.port, proxy: way.proxy, firstDial: first,
            resolver: resolver, on: loop)
        timer = LoopTimer(loop: loop)
        content = request.content
    }

    /// Sends the request, and waits for the answer.
    /// - Parameters:
    ///   - limit: The time for the call.
    ///   - read: Makes a value of the call's end.
    /// - Returns: That value.
    func run<Value>(limit: Duration, read: @escaping (End) -> Value) -> Value {
        var value: Value?
        take = { value = read($0) }
        unsafe content.withBytes { bytes in
            unsafe lent = bytes
            timer.onFire = { [unowned self] in
                let time = NumberText.duration(milliseconds: limit.wholeNanoseconds / 1_000_000)
                fail(.transient("no answer within \(time)"))
            }
            timer.schedule(at: loop.now.advanced(by: limit))
            transports.open(0, for: self)
            while !hasEnded { loop.run() }
            unsafe lent = .empty
        }
        take = { _ in }
        guard let value else { preconditionFailure("BUG: a call without an answer") }
        return value
    }

    /// Ends it before its answer.
    func cut() { fail(.ours("the job has ended")) }

    // MARK: The transport

    /// Begins to speak with the service.
    func transportOpened(_: Int) {
        do throws(ConnectionError) {
            let connection = try ClientConnection(
                tls: way.tls,
                session: ClientSessionConfiguration(
                    streamCapacity: 1, responseBodyBytes: Limits.tokenAnswerBytes),
                fields: request.headerFields, versions: way.versions, sharing: buffers)
            self.connection = connection
            try connection.begin()
        } catch {
            return fail(error)
        }
        advance()
    }

    func transportFailed(_ transport: Int, _ failure: ConnectionFailure) {
        transports.forget(transport)
        // On the way to the service there was nothing to answer.
        guard connection != nil else { return fail(failure) }
        fail(.transient(failure.text + " before the end of an answer"))
    }

    /// An answer without an announced end is whole now; of any other one it fails next.
    func transportEnded(_: Int) {
        connection?.transportEnded()
        takeEvents()
    }

    func transportWritable(_: Int) {
        connection?.unblocked()
        advance()
    }

    func received(_ bytes: UnsafeRawBufferPointer, on _: Int) {
        do throws(ConnectionError) {
            unsafe try connection?.receive(bytes, now: loop.now)
        } catch {
            // Events from before the fault still count.
            takeEvents()
            return fail(error)
        }
        advance()
    }

    // MARK: The service

    /// Takes the steps that are possible now.
    private func advance() {
        do throws(ConnectionError) {
            try submit()
            takeEvents()
            guard !hasEnded else { return }
            unsafe try connection?.flush(now: loop.now) { [transports] bytes in
                unsafe transports.send(bytes, on: 0)
            }
        } catch {
            fail(error)
        }
    }

    private func submit() throws(ConnectionError) {
        guard let connection, connection.phase == .open, stream == nil else { return }
        var values = unsafe [UnsafeBufferPointer<UInt8>]()
        var start = 0
        for field in request.fields {
            let end = start + field.value.count
            unsafe values.append(UnsafeBufferPointer(rebasing: lent[start..<end]))
            start = end
        }
        let body = unsafe UnsafeBufferPointer(rebasing: lent[start...])
        stream = unsafe try values.withUnsafeBufferPointer { values throws(ConnectionError) in
            unsafe try connection.submit(values: values, body: body)
        }
    }

    private func takeEvents() {
        guard let connection, !hasEnded else { return }
        var reset: HTTP2ErrorCode?
        while let event = connection.nextEvent() {
            if case .streamClosed(_, _, let code) = event { reset = code }
        }
        if let stream {
            let response = connection.response(stream)
            // Of an answer without end as much is read as any needs.
            if response.isComplete || response.bodyBytes > Limits.tokenAnswerBytes {
                unsafe take(response, date: connection.date(stream))
            }
        }
        if hasEnded {
            end()
        } else if let reset {
            fail(.transient("it has ended the request (\(reset))"))
        }
    }

    private func take(_ response: Response, date: UnsafeBufferPointer<UInt8>) {
        hasEnded = true
        unsafe take(
            .answered(
                TokenAnswer.Received(
                    status: response.status, body: response.body, date: date,
                    retryAfter: response.retryAfter)))
        unsafe Secret.wipe(
            UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(response.body)))
    }

    // MARK: Ends

    private func fail(_ error: ConnectionError) {
        // The advice about TLS in a provider's settings fits roots and times only.
        if case .tls(let error, _) = error, error.remark != .unknownRoot, error.remark != .time {
            let text = Statement(error.description)
            return fail(error.isPermanent ? .permanent(text) : .transient(text))
        }
        // Nor does the advice about addresses.
        if case .noTLS(let error, let speaksHTTP) = error {
            let text = speaksHTTP ? "the server speaks HTTP without TLS there" : error.description
            return fail(.transient(Statement(text)))
        }
        fail(error.failure)
    }

    private func fail(_ failure: ConnectionFailure) {
        guard !hasEnded else { return }
        if request.isDoneByStatus, let connection, let stream {
            let response = connection.response(stream)
            if 200...299 ~= response.status {
                unsafe take(response, date: connection.date(stream))
                return end()
            }
        }
        hasEnded = true
        take(.failed(failure))
        end()
    }

    /// Leaves the connection, in good order as far as it is up, and nothing of its bytes in memory.
    private func end() {
        timer.cancel()
        if let connection {
            unsafe connection.sayGoodbye(now: loop.now) { [transports] bytes in
                unsafe transports.send(bytes, on: 0)
            }
        }
        connection = nil
        transports.close(0)
        buffers.frames.withValue { Self.wipe(&$0) }
        Self.wipe(&buffers.plaintext)
        loop.stop()
    }

    private static func wipe(_ buffer: inout ByteBuffer) {
        buffer.removeAll()
        let memory = unsafe buffer.space(0)
        unsafe Secret.wipe(UnsafeMutableRawBufferPointer(start: memory, count: buffer.room))
    }
}

extension TokenRequest {
    /// The fields of a connection for this request, with places for values that may be secret.
    fileprivate var headerFields: [HeaderField] {
        var list = [
            HeaderField(":method", method), HeaderField(":scheme", endpoint.scheme),
            HeaderField(":authority", endpoint.authority), HeaderField(":path", path),
        ]
        if let body {
            // HTTP/2 can do without, but not every server that speaks it.
            list.append(HeaderField("content-length", "\(body.count)"))
        }
        for field in fields { list.append(HeaderField(field.name, nil, .neverIndexed)) }
        return list
    }

    /// The values of the places, and behind them the body.
    fileprivate var content: Secret {
        let parts = fields.map(\.value) + [body].compactMap(\.self)
        var bytes: [UInt8] = []
        // Enough, so that no half of a secret stays behind in memory that was grown out of.
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts { unsafe part.withBytes { unsafe bytes.append(contentsOf: $0) } }
        return Secret(wiping: &bytes)
    }
}
