import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2
import FanfareTLS

/// One connection without its socket: TLS, HTTP and the bytes between them.
///
/// ```
///  received ──► TLSSession ──► ClientSession or HTTP1Session ──► events
///  outgoing ◄── TLSSession ◄── frames ◄───────── the same
/// ```
/// In the clear the TLS session is left out, and a peer of HTTP/2 has to show first that it speaks it. Use
/// only on its lane's thread. Frames are, over HTTP/1.1, the bytes of requests.
final class ClientConnection {
    enum Phase: Equatable {
        /// TLS is being set up. Its ALPN is the proof that the peer speaks HTTP/2, so that `open`
        /// comes next and requests need not wait for its SETTINGS. Over HTTP/1.1 `open` comes next, too.
        case handshaking
        /// Nothing is known of the peer before its SETTINGS: in the clear it may speak something else, and in
        /// TLS 1.3 it may still refuse our certificate. A request sent before would be in doubt. Next
        /// comes `open`.
        case greeting
        /// Requests may be sent.
        case open
    }

    private(set) var phase: Phase
    private var tls: TLSSession?
    /// HTTP/2's.
    ///
    /// Behind a pointer, because a property that changes would cost an exclusivity check per access,
    /// five for a request.
    let session: Pinned<ClientSession>
    /// HTTP/1.1's; `nil` where only HTTP/2 will do.
    let http1: Pinned<HTTP1Session>?
    private let versions: HTTPVersions
    /// True if it speaks HTTP/1.1, with one request in flight at a time; known once it is `open`.
    private(set) var isSerial = false
    /// The headers that all requests of this connection share, its credential included.
    private let headers: RequestHeaders
    private let values = FieldValues()
    /// The credential that all requests of this connection carry.
    let credential: Credential?

    /// Frames that are not yet encrypted, or in the clear not yet taken by the transport.
    ///
    /// Behind a pointer, for the reason that `session` has.
    private let frames = Pinned(ByteBuffer(capacity: 0))
    /// True if TLS lies between it and its peer.
    let isEncrypted: Bool
    private let shared: SharedBuffers

    /// The state of the way out, which changes with each request.
    ///
    /// Behind a pointer, for the reason that `session` has.
    private let outflow = Pinned(Outflow())
    /// The bytes that the peer has sent first: while `greeting`, or in place of TLS.
    private var greeting = PeerGreeting()
    /// Notes frames for the log; `nil` for nearly every connection.
    var trace: ConnectionTrace?
    /// True if the peer has sent more than the bytes of TLS; needed in HTTP/1.1 only.
    private var hasHeard = false

    /// A TLS record holds 16 KiB at most; frames are collected up to it, so that records are full.
    static let recordBytes = 16 * 1024
    /// The bytes to encrypt before the transport is asked to take them: four records, one call.
    private static let burstBytes = 64 * 1024

    /// Makes one for the requests of rows.
    convenience init(
        _ settings: ConnectionSettings, sharing shared: SharedBuffers
    ) throws(ConnectionError) {
        let credential: Credential?
        do throws(TLSError) {
            credential = try settings.credentials?.grant()
        } catch {
            throw .tls(error, settings.versions)
        }
        try self.init(
            tls: settings.tls, session: settings.session,
            fields: settings.service.headerFields(credential: credential?.text),
            credential: credential, versions: settings.versions, sharing: shared)
    }

    /// Makes one for any requests that have the same header fields.
    init(
        tls settings: TLSClientSettings?, session: ClientSessionConfiguration,
        fields: [HeaderField], credential: Credential? = nil, versions: HTTPVersions = .http2,
        sharing shared: SharedBuffers
    ) throws(ConnectionError) {
        self.shared = shared
        self.credential = credential
        self.versions = versions
        self.session = Pinned(ClientSession(session))
        if versions == .http2 {
            http1 = nil
        } else {
            http1 = Pinned(
                HTTP1Session(
                    responseBodyBytes: session.responseBodyBytes,
                    bodyBytesMax: session.bodyBytesMax, quota: session.quota))
        }
        headers = RequestHeaders(fields)
        isEncrypted = settings != nil
        do throws(TLSError) {
            if let settings {
                phase = .handshaking
                tls = try TLSSession(context: settings.context, serverName: settings.serverName)
            } else {
                isSerial = !versions.isHTTP2InTheClear
                phase = isSerial ? .open : .greeting
                tls = nil
            }
        } catch {
            throw .tls(error, versions)
        }
    }

    // MARK: In

    /// Begins the handshake, for the transport to carry.
    func begin() throws(ConnectionError) {
        if phase == .handshaking { try advanceHandshake() }
    }

    /// Takes in bytes from the network; the session records their meaning.
    func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) throws(ConnectionError) {
        guard isEncrypted else {
            if phase == .greeting {
                unsafe greeting.add(bytes)
                if let complaint = greeting.complaint { throw complaint }
            }
            return unsafe try receiveData(bytes, now: now)
        }
        unsafe tls?.feed(bytes)
        if phase == .handshaking {
            unsafe greeting.add(bytes)
            try advanceHandshake()
            guard phase != .handshaking else { return }
        }
        defer { if isHeld, tls?.canWrite == true { outflow.withValue { $0.release() } } }
        while true {
            let space = unsafe UnsafeMutableRawBufferPointer(
                start: shared.plaintext.space(Self.recordBytes), count: Self.recordBytes)
            switch unsafe try readTLS(into: space) {
            case .bytes(let count):
                unsafe try receiveData(
                    UnsafeRawBufferPointer(rebasing: space[..<count]), now: now)
            case .needsInput:
                return
            case .closed:
                if isSerial { withHTTP1 { $0.endReceived(isClean: true) } }
                throw .closedByPeer
            }
        }
    }

    private func readTLS(
        into space: UnsafeMutableRawBufferPointer
    ) throws(ConnectionError) -> TLSSession.ReadResult {
        do throws(TLSError) {
            return unsafe try tls?.read(into: space) ?? .needsInput
        } catch {
            // A peer that has served this connection before may well serve it again.
            let wasServed = phase == .open && (!isSerial || hasHeard)
            // Behind the handshake a record of another version does not show a peer without TLS.
            throw wasServed || error.remark == .noTLS ? .tlsBroken(error) : .tls(error, versions)
        }
    }

    private func advanceHandshake() throws(ConnectionError) {
        do throws(TLSError) {
            guard try tls?.handshake() == .complete else { return }
            isSerial = versions.isHTTP1(after: tls?.negotiatedALPN)
            // A server of HTTP/1.1 says nothing before it is asked.
            let mustGreet = !isSerial && tls?.mayStillRefuseCertificate == true
            phase = mustGreet ? .greeting : .open
        } catch {
            guard error.remark == .noTLS else { throw .tls(error, versions) }
            throw .noTLS(error, speaksHTTP: greeting.isOfHTTP)
        }
    }

    private func receiveData(
        _ bytes: UnsafeRawBufferPointer, now: Instant
    ) throws(ConnectionError) {
        unsafe try receivePlain(bytes, now: now)
        guard phase == .greeting else { return }
        if session.withValue({ $0.peerMaxConcurrentStreams }) != nil { phase = .open }
    }

    private func receivePlain(
        _ bytes: UnsafeRawBufferPointer, now: Instant
    ) throws(ConnectionError) {
        guard !isSerial else { return unsafe try receiveAnswer(bytes) }
        if trace != nil { unsafe trace?.received(bytes, at: now) }
        do throws(HTTP2Error) {
            try session.withValue { session throws(HTTP2Error) in
                unsafe try session.receive(bytes)
            }
        } catch {
            throw .http2(error)
        }
    }

    private func receiveAnswer(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) {
        let isFirst = !hasHeard
        if unsafe !bytes.isEmpty { hasHeard = true }
        let hasLeft = outflow.withValue { $0.hasSerialLeft }
        do throws(HTTP1Error) {
            try withHTTP1 { session throws(HTTP1Error) in
                unsafe try session.receive(bytes, hasLeft: hasLeft)
            }
        } catch {
            if isFirst, case .malformed(let fault) = error,
                fault == .speaksTLS || fault == .speaksHTTP2
            {
                throw .foreign(fault)
            }
            throw .http1(error)
        }
    }

    /// The transport has ended in good order: in the clear an answer may end with it.
    func transportEnded() {
        if isSerial, tls == nil { withHTTP1 { $0.endReceived(isClean: true) } }
    }

    // MARK: Out

    /// Returns true if the flow-control window takes a body of this size now.
    func hasWindow(forBody count: Int) -> Bool {
        session.withValue { $0.connectionSendWindow }
            - outflow.withValue { $0.unframedBodyBytes } >= count
    }

    /// Puts a request into the session of HTTP/2; its bytes stay lent to it until the stream ends.
    func submit(_ row: inout PreparedRow, tag: UInt32) throws(HTTP2Error) {
        let fields = unsafe values.values(of: row, for: headers)
        let body = unsafe row.bytes.bytes(row.payload)
        let stream = try session.withValue { session throws(HTTP2Error) in
            unsafe try session.submit(headers, values: fields, body: body, tag: tag)
        }
        submitted(&row, stream)
    }

    /// The same for HTTP/1.1.
    func submitSerial(_ row: inout PreparedRow, tag: UInt32) throws(HTTP1Error) {
        let fields = unsafe values.values(of: row, for: headers)
        let body = unsafe row.bytes.bytes(row.payload)
        let stream = try withHTTP1 { session throws(HTTP1Error) in
            unsafe try session.submit(headers, values: fields, body: body, tag: tag)
        }
        outflow.withValue { $0.serialSubmitted() }
        submitted(&row, stream)
    }

    @inline(__always)
    private func submitted(_ row: inout PreparedRow, _ stream: StreamHandle) {
        row.stream = stream
        row.lend(true)
        row.framesStart = outflow.withValue { outflow in
            outflow.submitted(bodyBytes: Int(row.payload.count))
            return outflow.framed
        }
    }

    /// Puts a request that is none of a row's into the session.
    /// - Parameters:
    ///   - values: One for each place of the header fields; they stay lent until the stream ends.
    ///   - body: It stays lent, too.
    /// - Returns: The stream.
    /// - Throws: `http2` or `http1`.
    func submit(
        values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>, body: UnsafeBufferPointer<UInt8>
    ) throws(ConnectionError) -> StreamHandle {
        let stream: StreamHandle
        if isSerial {
            do throws(HTTP1Error) {
                stream = try withHTTP1 { session throws(HTTP1Error) in
                    unsafe try session.submit(headers, values: values, body: body, tag: 0)
                }
            } catch {
                throw .http1(error)
            }
            outflow.withValue { $0.serialSubmitted() }
        } else {
            do throws(HTTP2Error) {
                stream = try session.withValue { session throws(HTTP2Error) in
                    unsafe try session.submit(headers, values: values, body: body, tag: 0)
                }
            } catch {
                throw .http2(error)
            }
        }
        outflow.withValue { $0.submitted(bodyBytes: body.count) }
        return stream
    }

    /// Returns the part of a request that the peer can have.
    func extent(of row: borrowing PreparedRow) -> AttemptCause.Extent {
        let stream = row.stream
        let reached = outflow.withValue { $0.reached }
        if reached <= row.framesStart { return .nothing }
        return switch written(stream) {
        case .nothing: .nothing
        case .part: .part
        case .whole(let end): reached < end ? .part : .whole
        }
    }

    /// Asks the peer for a sign of life.
    func ping() {
        session.withValue { $0.ping() }
    }

    /// Takes a request back.
    ///
    /// The making of the reset's frame ends a stream, so the frame is made at once, even if the
    /// transport takes nothing now.
    func reset(_ stream: StreamHandle, now: Instant) {
        // One of HTTP/1.1 has no frame for it: it ends with its connection.
        guard !isSerial else { return withHTTP1 { $0.reset(stream) } }
        session.withValue { $0.reset(stream, .cancel) }
        frames.withValue { makeFrames(&$0, limit: .max, now: now) }
        allIsFramed()
    }

    @inline(__always)
    private func makeFrames(_ frames: inout ByteBuffer, limit: Int, now: Instant) {
        let before = frames.count
        if isSerial {
            withHTTP1 { _ = $0.write(into: &frames, limit: limit) }
        } else {
            _ = session.withValue { $0.write(into: &frames, limit: limit) }
        }
        outflow.withValue { $0.made(frames.count - before) }
        if trace != nil, !isSerial {
            let bytes = unsafe UnsafeRawBufferPointer(frames.bytes).dropFirst(before)
            unsafe trace?.made(UnsafeRawBufferPointer(rebasing: bytes), at: now)
        }
    }

    /// Every body that was submitted is in frames.
    @inline(__always)
    private func allIsFramed() { outflow.withValue { $0.allIsFramed() } }

    /// True if enough has been submitted to fill a record.
    var isRecordFull: Bool { outflow.withValue { $0.unframedBodyBytes >= Self.recordBytes } }

    /// True if there is anything to send.
    var wantsFlush: Bool {
        guard !isBlocked else { return false }
        return wantsWrite || frames.withValue { !$0.isEmpty }
            || isEncrypted && tls?.hasOutgoing == true
    }

    private var wantsWrite: Bool {
        isSerial ? withHTTP1 { $0.wantsWrite } : session.withValue { $0.wantsWrite }
    }

    /// True if the transport has not taken everything: wait until it is writable again.
    var isFull: Bool { outflow.withValue { $0.isFull } }

    /// True if the peer is in the middle of a message of TLS, between whose records nothing may be
    /// sent.
    var isHeld: Bool { outflow.withValue { $0.isHeld } }

    /// True if nothing can be sent now.
    var isBlocked: Bool { outflow.withValue { $0.isBlocked } }

    /// The transport takes bytes again.
    func unblocked() {
        outflow.withValue { $0.unblocked() }
    }

    /// Makes frames, encrypts them and hands them over, as long as the transport takes them.
    func flush(
        now: Instant, _ send: (UnsafeBufferPointer<UInt8>) -> Int
    ) throws(ConnectionError) {
        // The lane's memory is taken up to work in, and given back.
        frames.withValue { frames in
            shared.frames.withValue { frames.exchangeMemory(with: &$0) }
        }
        defer {
            frames.withValue { frames in
                shared.frames.withValue { frames.exchangeMemory(with: &$0) }
            }
        }
        guard isEncrypted else {
            return frames.withValue { unsafe flushInTheClear(&$0, now: now, send) }
        }
        tls?.exchangeOutgoing(&shared.ciphertext)
        defer { tls?.exchangeOutgoing(&shared.ciphertext) }
        while !isBlocked {
            try frames.withValue { frames throws(ConnectionError) in
                try collect(&frames, now: now)
            }
            guard unsafe transfer(send) else { return }
        }
    }

    /// The same without TLS.
    private func flushInTheClear(
        _ frames: inout ByteBuffer, now: Instant, _ send: (UnsafeBufferPointer<UInt8>) -> Int
    ) {
        while !isBlocked {
            while frames.count < Self.burstBytes {
                makeFrames(&frames, limit: frames.count + Self.recordBytes, now: now)
                guard wantsWrite else {
                    allIsFramed()
                    break
                }
            }
            guard !frames.isEmpty else { return }
            let taken = unsafe send(frames.bytes)
            outflow.withValue { $0.sent(plaintext: taken, of: frames.count) }
            frames.removeFirst(taken)
            guard wantsWrite else { return }
        }
    }

    /// Collects a burst in `tls.outgoing`.
    private func collect(
        _ frames: inout ByteBuffer, now: Instant
    ) throws(ConnectionError) {
        guard phase != .handshaking else { return }
        while unsafe (tls?.outgoing.count ?? 0) < Self.burstBytes {
            makeFrames(&frames, limit: Self.recordBytes, now: now)
            if !wantsWrite { allIsFramed() }
            guard !frames.isEmpty else { return }
            // The last frame may reach beyond the record; its rest begins the next one, instead of
            // filling one of its own.
            let record = unsafe UnsafeRawBufferPointer(frames.bytes).prefix(Self.recordBytes)
            let before = unsafe tls?.outgoing.count ?? 0
            guard unsafe try encrypt(UnsafeRawBufferPointer(rebasing: record)) else {
                // The waiting bytes are sent, and the frames stay until more has been read.
                outflow.withValue { $0.hold() }
                return
            }
            let after = unsafe tls?.outgoing.count ?? 0
            let count = unsafe record.count
            outflow.withValue { $0.encrypted(count, before: before, after: after) }
            unsafe frames.removeFirst(record.count)
        }
    }

    private func encrypt(_ record: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool {
        do throws(TLSError) {
            return unsafe try tls?.write(record) != .notNow
        } catch {
            throw .tlsBroken(error)
        }
    }

    /// - Returns: False when nothing is left to send, or the transport is full.
    private func transfer(_ send: (UnsafeBufferPointer<UInt8>) -> Int) -> Bool {
        let bytes = unsafe tls?.outgoing ?? .empty
        guard !bytes.isEmpty else { return false }
        let taken = unsafe send(bytes)
        outflow.withValue { $0.sent(ciphertext: taken, of: bytes.count) }
        tls?.discardOutgoing(taken)
        return !isBlocked
    }

    /// Says GOAWAY, which HTTP/1.1 does not have, and ends TLS, as far as the transport still takes it.
    func sayGoodbye(now: Instant, _ send: (UnsafeBufferPointer<UInt8>) -> Int) {
        guard phase == .open else { return }
        if !isSerial { session.withValue { $0.goAway(.noError) } }
        try? unsafe flush(now: now, send)
        tls?.closeNotify()
        try? unsafe flush(now: now, send)
    }
}
