import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// One connection without its socket: TLS, HTTP/2 and the bytes between them.
///
/// ```
///  received ──► TLSSession ──► ClientSession ──► events
///  outgoing ◄── TLSSession ◄── frames ◄───────── ClientSession
/// ```
/// In the clear the TLS session is left out, and the peer has to show first that it speaks HTTP/2. Use only on its lane's thread.
final class ClientConnection {
    enum Phase: Equatable {
        /// TLS is being set up. Its ALPN is the proof that the peer speaks HTTP/2, so that `open`
        /// comes next and requests need not wait for its SETTINGS.
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
    /// Behind a pointer, because a property that changes would cost an exclusivity check per access,
    /// five for a request.
    let session: Pinned<ClientSession>
    /// What is the same in all requests of this connection, its credential included.
    private let headers: RequestHeaders
    private let values = FieldValues()
    /// The credential that all requests of this connection carry.
    let credential: Credential?

    /// Frames that are not yet encrypted, or in the clear not yet taken by the transport.
    private var frames = ByteBuffer(capacity: 0)
    private let shared: SharedBuffers

    /// Whether the transport has not taken everything: wait until it is writable again.
    private(set) var isFull = false
    /// Whether the peer is in the middle of a message of TLS, between whose records nothing may be sent.
    private(set) var isHeld = false
    /// What the peer has said while `greeting`.
    private var greeting = PeerGreeting()
    /// What of the outgoing frames can have reached the peer.
    private var progress = SendProgress()
    /// Notes frames for the log; `nil` for nearly every connection.
    var trace: ConnectionTrace?
    /// The bytes of frames that have been made so far: a request submitted now comes behind them.
    private var framed = 0
    /// Bytes of bodies submitted but not yet made into frames: the session's window still counts
    /// them as free.
    private var unframedBodyBytes = 0

    /// A TLS record holds 16 KiB at most; frames are collected up to it, so that records are full.
    static let recordBytes = 16 * 1024
    /// What is encrypted before the transport is asked to take it: four records, one call.
    private static let burstBytes = 64 * 1024

    /// Makes one for the requests of rows.
    convenience init(
        _ settings: ConnectionSettings, sharing shared: SharedBuffers
    ) throws(ConnectionError) {
        let credential: Credential?
        do throws(TLSError) {
            credential = try settings.credentials?.grant()
        } catch {
            throw .tls(error)
        }
        try self.init(
            tls: settings.tls, session: settings.session,
            fields: settings.service.headerFields(credential: credential?.text),
            credential: credential, sharing: shared)
    }

    /// Makes one for any requests that have the same header fields.
    init(
        tls settings: TLSClientSettings?, session: ClientSessionConfiguration,
        fields: [HeaderField], credential: Credential? = nil, sharing shared: SharedBuffers
    ) throws(ConnectionError) {
        self.shared = shared
        self.credential = credential
        self.session = Pinned(ClientSession(session))
        headers = RequestHeaders(fields)
        do throws(TLSError) {
            if let settings {
                phase = .handshaking
                tls = try TLSSession(context: settings.context, serverName: settings.serverName)
            } else {
                phase = .greeting
                tls = nil
            }
        } catch {
            throw .tls(error)
        }
    }

    // MARK: In

    /// Begins the handshake, for the transport to carry.
    func begin() throws(ConnectionError) {
        if phase == .handshaking { try advanceHandshake() }
    }

    /// Takes in bytes from the network; what they mean is recorded in the session.
    func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) throws(ConnectionError) {
        guard tls != nil else {
            if phase == .greeting {
                unsafe greeting.add(bytes)
                if let complaint = greeting.complaint { throw .notHTTP2(complaint) }
            }
            return unsafe try receiveData(bytes, now: now)
        }
        unsafe tls?.feed(bytes)
        if phase == .handshaking {
            try advanceHandshake()
            guard phase != .handshaking else { return }
        }
        defer { if isHeld, tls?.canWrite == true { isHeld = false } }
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
            // Whom the peer has served before, it may well serve again.
            throw phase == .open ? .tlsBroken(error) : .tls(error)
        }
    }

    private func advanceHandshake() throws(ConnectionError) {
        do throws(TLSError) {
            guard try tls?.handshake() == .complete else { return }
            phase = tls?.mayStillRefuseCertificate == true ? .greeting : .open
        } catch {
            throw .tls(error)
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
        if trace != nil { unsafe trace?.received(bytes, at: now) }
        do throws(HTTP2Error) {
            try session.withValue { session throws(HTTP2Error) in
                unsafe try session.receive(bytes)
            }
        } catch {
            throw .http2(error)
        }
    }

    // MARK: Out

    /// Whether the flow-control window takes a body of this size now.
    func hasWindow(forBody count: Int) -> Bool {
        session.withValue { $0.connectionSendWindow } - unframedBodyBytes >= count
    }

    /// Puts a request into the session; its bytes stay lent to it until the stream ends.
    func submit(_ row: inout PreparedRow, tag: UInt32) throws(HTTP2Error) {
        let fields = unsafe values.values(of: row, for: headers)
        let body = unsafe row.bytes.bytes(row.payload)
        let stream = try session.withValue { session throws(HTTP2Error) in
            unsafe try session.submit(headers, values: fields, body: body, tag: tag)
        }
        row.stream = stream
        row.lend(true)
        row.framesStart = framed
        unframedBodyBytes += Int(row.payload.count)
    }

    /// Puts a request that is none of a row's into the session.
    /// - Parameters:
    ///   - values: One for each place of the header fields; they stay lent until the stream ends.
    ///   - body: It stays lent, too.
    /// - Returns: The stream.
    /// - Throws: What `ClientSession.submit` throws.
    func submit(
        values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>, body: UnsafeBufferPointer<UInt8>
    ) throws(HTTP2Error) -> StreamHandle {
        let stream = try session.withValue { session throws(HTTP2Error) in
            unsafe try session.submit(headers, values: values, body: body, tag: 0)
        }
        unframedBodyBytes += body.count
        return stream
    }

    /// How much of a request the peer can have.
    func extent(of row: borrowing PreparedRow) -> AttemptEnding.Extent {
        let stream = row.stream
        if progress.reached <= row.framesStart { return .nothing }
        return switch session.withValue({ $0.written(stream) }) {
        case .nothing: .nothing
        case .part: .part
        case .whole(let end): progress.reached < end ? .part : .whole
        }
    }

    /// Asks the peer for a sign of life.
    func ping() {
        session.withValue { $0.ping() }
    }

    /// Takes a request back.
    ///
    /// A stream ends when the frame of its reset is made, so that is done at once, even if the
    /// transport takes nothing now.
    func reset(_ stream: StreamHandle, now: Instant) {
        session.withValue { $0.reset(stream, .cancel) }
        makeFrames(limit: .max, now: now)
        unframedBodyBytes = 0
    }

    private func makeFrames(limit: Int, now: Instant) {
        let before = frames.count
        _ = session.withValue { $0.write(into: &frames, limit: limit) }
        framed += frames.count - before
        if trace != nil { noteFrames(from: before, now: now) }
    }

    /// Whether enough has been submitted to fill a record.
    var isRecordFull: Bool { unframedBodyBytes >= Self.recordBytes }

    /// Whether TLS lies between it and its peer.
    var isEncrypted: Bool { tls != nil }

    /// Whether there is anything to send.
    var wantsFlush: Bool {
        guard !isBlocked else { return false }
        return wantsWrite || !frames.isEmpty || tls?.hasOutgoing == true
    }

    private var wantsWrite: Bool { session.withValue { $0.wantsWrite } }

    /// Whether nothing can be sent now.
    var isBlocked: Bool { isFull || isHeld }

    /// The transport takes bytes again.
    func unblocked() {
        isFull = false
    }

    /// Makes frames, encrypts them and hands them over, as long as the transport takes them.
    func flush(
        now: Instant, _ send: (UnsafeBufferPointer<UInt8>) -> Int
    ) throws(ConnectionError) {
        exchangeBuffers()
        defer { exchangeBuffers() }
        while !isBlocked {
            try collect(now: now)
            guard unsafe transfer(send) else { return }
        }
    }

    /// Takes up the lane's memory to work in, or gives it back.
    private func exchangeBuffers() {
        frames.exchangeMemory(with: &shared.frames)
        tls?.exchangeOutgoing(&shared.ciphertext)
    }

    /// Collects a burst in `tls.outgoing`, or in the clear in `frames`.
    private func collect(now: Instant) throws(ConnectionError) {
        guard phase != .handshaking else { return }
        while unsafe (tls?.outgoing.count ?? frames.count) < Self.burstBytes {
            makeFrames(limit: (tls == nil ? frames.count : 0) + Self.recordBytes, now: now)
            if !wantsWrite { unframedBodyBytes = 0 }
            guard tls != nil else { if wantsWrite { continue } else { return } }
            guard !frames.isEmpty else { return }
            // The last frame may reach beyond the record; its rest begins the next one, instead of
            // filling one of its own.
            let record = unsafe UnsafeRawBufferPointer(frames.bytes).prefix(Self.recordBytes)
            let before = unsafe tls?.outgoing.count ?? 0
            guard unsafe try encrypt(UnsafeRawBufferPointer(rebasing: record)) else {
                // What waits is sent, and the frames stay until more has been read.
                isHeld = true
                return
            }
            unsafe progress.encrypted(
                record.count, before: before, after: tls?.outgoing.count ?? 0)
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

    /// Notes the frames that were put behind the first bytes.
    private func noteFrames(from start: Int, now: Instant) {
        let bytes = unsafe UnsafeRawBufferPointer(frames.bytes).dropFirst(start)
        unsafe trace?.made(UnsafeRawBufferPointer(rebasing: bytes), at: now)
    }

    /// - Returns: False when nothing is left to send, or the transport is full.
    private func transfer(_ send: (UnsafeBufferPointer<UInt8>) -> Int) -> Bool {
        let bytes = unsafe tls?.outgoing ?? frames.bytes
        guard !bytes.isEmpty else { return false }
        let taken = unsafe send(bytes)
        if taken < bytes.count { isFull = true }
        if tls != nil {
            tls?.discardOutgoing(taken)
            progress.sent(ciphertext: taken)
        } else {
            frames.removeFirst(taken)
            progress.sent(plaintext: taken)
        }
        return !isBlocked
    }

    /// Says GOAWAY and ends TLS, as far as the transport still takes it.
    func sayGoodbye(now: Instant, _ send: (UnsafeBufferPointer<UInt8>) -> Int) {
        guard phase == .open else { return }
        session.withValue { $0.goAway(.noError) }
        try? unsafe flush(now: now, send)
        tls?.closeNotify()
        try? unsafe flush(now: now, send)
    }
}

/// What a lane's connections have in common.
struct ConnectionSettings: Sendable {
    /// TLS, or `nil` for HTTP/2 in the clear.
    var tls: TLSClientSettings?
    var session: ClientSessionConfiguration
    /// The provider.
    var service: any PushService
    /// What proves who we are; `nil` where the certificate does, or nothing.
    var credentials: (any CredentialSource)?
    /// The way through a proxy, or `nil` for a direct one.
    var proxy: TunnelSettings?
}

/// TLS towards one provider.
struct TLSClientSettings: Sendable {
    var context: TLSContext
    /// The name for SNI and for the check of the certificate.
    var serverName: String
}

/// Why a connection cannot go on, seen from inside.
enum ConnectionError: Error {
    /// TLS did not come about.
    case tls(TLSError)
    /// TLS has failed after the peer had shown that it takes us.
    case tlsBroken(TLSError)
    case http2(HTTP2Error)
    /// The peer has ended TLS.
    case closedByPeer
    /// The peer speaks something else; in words for the user.
    case notHTTP2(String)

    var failure: ConnectionFailure {
        switch self {
        case .tls(let error):
            error.isPermanent ? .permanent(error.statement) : .transient(error.statement)
        case .tlsBroken(let error): .transient(error.statement)
        case .http2(let error): .transient(Statement(error.description))
        case .closedByPeer: .transient("closed by the peer")
        case .notHTTP2(let text): .transient(Statement(text))
        }
    }
}
