internal import FanfareBase

/// The settings of a client session.
package struct ClientSessionConfiguration: Sendable {
    /// Requests that have a slot at a time: those in flight and those not yet released.
    package var streamCapacity: Int
    /// Bytes of an answer's body that are kept.
    package var responseBodyBytes: Int
    /// The window for the peer's answers, of the connection and of each stream; at least 65,535.
    package var receiveWindowBytes: Int32
    /// Bytes of an answer's body that are waited for before its request is canceled.
    ///
    /// HTTP/1.1 has an upper end of its own. HTTP/2 looks when half of the stream's window has come, so that
    /// short answers cost nothing.
    package var bodyBytesMax = UInt64.max
    /// The fields in which the provider counts the requests that it still takes, if it does.
    package var quota: QuotaFields?

    package init(
        streamCapacity: Int = Limits.sessionStreams,
        responseBodyBytes: Int = Limits.responseBodyBytes,
        receiveWindowBytes: Int32 = Limits.receiveWindowBytes, quota: QuotaFields? = nil
    ) {
        self.streamCapacity = streamCapacity
        self.responseBodyBytes = responseBodyBytes
        self.receiveWindowBytes = receiveWindowBytes
        self.quota = quota
    }
}

/// The client side of one HTTP/2 connection: requests and bytes in, bytes and events out.
///
/// It knows no socket, no clock and no thread; use it from one thread at a time. The order of a
/// turn is `receive` as often as bytes come, then all of `nextEvent`, then `submit`, then `write`.
///
/// The session queues requests without bound if the peer has no room for them. Submit only as many
/// as fit into `peerMaxConcurrentStreams` and `connectionSendWindow`.
///
/// ```
///  submit ──► pending ──► HEADERS ──► sending ──► DATA          write
///  receive ──► FrameReader ──► slots ──► closed ──► nextEvent
///                          └─► control ──────────────────────►  write
/// ```
@safe
package struct ClientSession: ~Copyable {
    private let inPlace = InPlace()
    /// The highest id.
    static let streamIDMax = UInt32(Int32.max)
    /// The window of a connection before either side has changed it. RFC 9113 §6.9.2
    static let initialConnectionWindow: Int32 = 65_535

    let receiveWindowBytes: Int32
    let bodyBytesMax: UInt64
    var slots: StreamSlots
    var table: StreamTable
    var closed: IndexQueue
    var news = ConnectionNews()
    private(set) var failure: HTTP2Error?

    // Receiving.
    var reader = FrameReader()
    var decoder: HeaderDecoder
    /// HEADERS and CONTINUATION of a block that is not complete.
    var fragments = ByteBuffer(capacity: 256)
    var peer = PeerSettings()
    var block = HeaderBlock()
    /// The last field that broke HTTP.
    var faultyField = FaultyField()
    var receiveWindow: ReceiveWindow
    /// True if our SETTINGS are not yet acknowledged.
    var awaitsAcknowledgement = true
    /// The last stream id of the newest GOAWAY that has come.
    var goAwayLastStreamID: Int32?
    /// GOAWAYs that have named a lower id than the one before.
    var goAwaysLowering = 0

    // Sending.
    var control = ControlFrames()
    /// The first request's headers make it.
    var encoder: FieldEncoder?
    /// The values that the request of each slot brings, borrowed from the caller.
    var values: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>?
    /// The most values that a request can bring.
    var valueStride = 0
    /// Submitted requests whose HEADERS are not written.
    var pending = StreamQueue()
    /// Open streams whose body has room in their own window.
    var sending = StreamQueue()
    var sendWindow = SendWindow(Int(ClientSession.initialConnectionWindow))
    /// The bytes of frames that were written before those in the buffer that is being filled, less
    /// the bytes that were in it already.
    var bytesBefore = 0
    /// The bytes of frames that have been written in all.
    var bytesWritten = 0
    /// No open stream has more `sendCredit`.
    var sendCreditMax = 0
    /// True if the initial window has changed since the streams' bodies were lined up.
    var haveWindowsMoved = false
    /// The number of times that all slots were looked through because of the peer.
    var slotReviews = 0
    var nextStreamID: UInt32 = 1
    var lastSentStreamID: Int32 = 0
    /// Streams that count against the peer's limit.
    var activeStreams = 0
    /// Streams that were submitted and have not ended.
    package internal(set) var openStreams = 0
    private var hasLeft = false

    /// Begins a connection; its first frames are ready to be written.
    package init(_ configuration: ClientSessionConfiguration) {
        let window = max(configuration.receiveWindowBytes, Self.initialConnectionWindow)
        receiveWindowBytes = window
        bodyBytesMax = configuration.bodyBytesMax
        receiveWindow = ReceiveWindow(window)
        decoder = HeaderDecoder(quota: configuration.quota)
        slots = StreamSlots(
            capacity: configuration.streamCapacity, bodyLimit: configuration.responseBodyBytes)
        table = StreamTable(capacity: configuration.streamCapacity)
        closed = IndexQueue(capacity: configuration.streamCapacity)
        control.append(preface: [
            (PeerSettings.Identifier.enablePush, 0),
            (PeerSettings.Identifier.initialWindowSize, UInt32(window)),
            (PeerSettings.Identifier.maxHeaderListSize, UInt32(Limits.headerListBytes)),
            (PeerSettings.Identifier.noRFC7540Priorities, 1),
        ])
        if window > Self.initialConnectionWindow {
            control.append(windowUpdate: UInt32(window - Self.initialConnectionWindow))
        }
    }

    deinit {
        unsafe values?.deallocate()
    }

    // MARK: In

    /// Takes bytes of the peer, all of them.
    /// - Throws: The reason why the connection is over, once. `write` still has a GOAWAY to write
    ///   then; streams that are open get no event any more and are the owner's to sweep.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard failure == nil, let start = bytes.baseAddress else { return }
        var rest = unsafe UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        do throws(SessionFault) {
            while let frame = try unsafe reader.next(&rest) { try received(frame) }
        } catch {
            control.append(goAway: error.code, error.reason)
            failure = error.error
            throw error.error
        }
    }

    /// Takes the next event, or nil if all were taken.
    package mutating func nextEvent() -> SessionEvent? {
        while news.isPending, let item = news.pop() {
            switch item {
            case .settings:
                return .settings(maxConcurrentStreams: peer.maxConcurrentStreams)
            case .goAway(let lastStreamID, let code):
                return .goAway(lastStreamID: lastStreamID, code: code)
            case .ping:
                return .pingAcknowledged
            }
        }
        guard let slot = closed.popFirst() else { return nil }
        let stream = unsafe slots.streams + Int(slot)
        return unsafe .streamClosed(
            StreamHandle(id: stream.pointee.id, slot: slot), tag: stream.pointee.tag,
            code: HTTP2ErrorCode(rawValue: stream.pointee.code))
    }

    /// Returns the tag of a stream whose end is an event to come: the next one is 0.
    package func tagOfEnd(_ offset: Int) -> UInt32? {
        guard let slot = closed.peek(offset) else { return nil }
        return unsafe slots.streams[Int(slot)].tag
    }

    // MARK: The connection

    /// True if `write` would write something now.
    package var wantsWrite: Bool {
        if !control.isEmpty { return true }
        return failure == nil && (hasBody || hasRequest)
    }

    /// True if the session still expects bytes; if neither this nor `wantsWrite`, the connection
    /// can be closed.
    package var wantsRead: Bool {
        failure == nil && (openStreams > 0 || !hasLeft && goAwayLastStreamID == nil)
    }

    /// Asks the peer for a sign of life.
    package mutating func ping() {
        if failure == nil { control.appendPing() }
    }

    /// Tells the peer that we leave; requests that are in flight go on, new ones are not taken.
    package mutating func goAway(_ code: HTTP2ErrorCode) {
        guard failure == nil else { return }
        hasLeft = true
        control.append(goAway: code, "")
    }

    // MARK: What a gate needs

    /// The streams that the peer allows, `UInt32.max` if it sets no limit, nil before its SETTINGS.
    package var peerMaxConcurrentStreams: UInt32? {
        peer.hasArrived ? peer.maxConcurrentStreams : nil
    }

    /// The bytes of bodies that the peer still takes on this connection. RFC 9113 §6.9.1
    package var connectionSendWindow: Int { sendWindow.available }

    /// True if this connection takes new requests: no GOAWAY has come, and there are ids left.
    package var canOpenStreams: Bool {
        failure == nil && goAwayLastStreamID == nil && !hasLeft
            && nextStreamID <= Self.streamIDMax
    }

    /// True if the peer has said GOAWAY.
    package var isLeaving: Bool { goAwayLastStreamID != nil }

    /// The newest GOAWAY's debug data, at most 1 KiB; valid until the next `receive`.
    package var goAwayDebugData: UnsafeBufferPointer<UInt8> { unsafe news.debugData.bytes }

    /// Bytes of memory that may have grown since the beginning.
    var heldBytes: Int {
        control.allocatedBytes + fragments.allocatedBytes + reader.allocatedBytes
    }

    /// Goes on with a later stream id, for tests of used-up ids.
    mutating func skipStreamIDs(to id: Int32) {
        nextStreamID = UInt32(id)
    }
}
