import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import FanfareTLS

/// One client of the server: moves bytes between the socket, TLS and the simulated connection.
///
/// Use only on its lane's thread.
final class SimulatorPeer: TCPConnectionDelegate {
    let number: UInt64

    private let tcp: TCPConnection
    private unowned let lane: SimulatorLane
    private let timer: LoopTimer
    private var tls: TLSSession?
    /// Set once it is known whether the client has a certificate.
    private var connection: (any SimulatedClient)?
    /// The bytes that the socket did not take, without TLS; with it, the session keeps them.
    private var cleartext = ByteBuffer()
    /// The socket is full.
    ///
    /// Nothing is read meanwhile, so that a client that sends requests and does
    /// not read answers is stopped by TCP instead of filling our memory.
    private var isBlocked = false
    /// True if all has been written; later bytes are discarded until the client closes.
    private var isLingering = false
    private var scheduled: Instant?
    /// The time after which a connection that has to close with bytes unread closes without any.
    private var unreadUntil: Instant?
    /// The bytes on their way from the client, if that has to take time.
    private var way: DelayLine?
    private var wayTimer: LoopTimer?

    /// Begins to serve a client; nil if TLS has no memory for it.
    init?(_ tcp: TCPConnection, number: UInt64, lane: SimulatorLane) {
        self.tcp = tcp
        self.number = number
        self.lane = lane
        timer = LoopTimer(loop: lane.loop)
        if let context = lane.tls {
            guard let session = try? TLSSession(acceptingWith: context) else { return nil }
            tls = consume session
        }
        tcp.delegate = self
        timer.onFire = { [unowned self] in timerFired() }
        if lane.roundTrip > 0 {
            way = DelayLine(delay: lane.roundTrip)
            wayTimer = LoopTimer(loop: lane.loop) { [unowned self] in arrived() }
        }
        if lane.tls == nil && !open(isCertified: false) { return nil }
        tcp.startReading()
        flush()
    }

    // MARK: The socket

    func tcpConnected() {}

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        guard way != nil else { return unsafe take(bytes) }
        unsafe way?.enter(bytes, now: lane.loop.now)
        awaitArrival()
    }

    /// Takes in the bytes that have come to the end of their way.
    private func arrived() {
        while let bytes = way?.leave(now: lane.loop.now) {
            unsafe bytes.withUnsafeBytes { unsafe take($0) }
        }
        awaitArrival()
    }

    private func awaitArrival() {
        guard let way else { return }
        // The way holds as much as a fast long line; more waits in the sockets.
        if way.byteCount >= Limits.simulatorWayBytes {
            tcp.pauseReading()
        } else if !isBlocked && connection?.isReading ?? true {
            tcp.startReading()
        }
        wayTimer?.schedule(at: way.nextDue ?? .distantFuture)
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard !isLingering else { return }
        if tls == nil {
            unsafe receive(bytes)
        } else {
            do {
                try unsafe decrypt(bytes)
            } catch {
                // The alert, if there is one, goes out before the end.
                flush()
                tcp.close()
                return
            }
        }
        flush()
    }

    func tcpWritable() {
        isBlocked = false
        flush()
        if !isBlocked && connection?.isReading ?? true { tcp.startReading() }
    }

    func tcpClosed(_ error: SystemError?) {
        timer.cancel()
        wayTimer?.cancel()
        lane.closed(self)
    }

    // MARK: In

    private func decrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        unsafe tls?.feed(bytes)
        if connection == nil {
            guard try tls?.handshake() == .complete else { return }
            guard open(isCertified: tls?.peerCertificate != nil) else { return tcp.close() }
        }
        while true {
            switch try unsafe tls?.read(into: lane.plaintext) {
            case .bytes(let count):
                unsafe receive(UnsafeRawBufferPointer(rebasing: lane.plaintext[..<count]))
            case .closed:
                isLingering = true
                tcp.finishWriting()
                return
            case .needsInput, nil: return
            }
        }
    }

    private func open(isCertified: Bool) -> Bool {
        let desk = lane.core.configuration.described
        let isText = lane.tls == nil && desk?.isHTTP2InTheClear == false
        if let desk, isText || tls?.negotiatedALPN == "http/1.1" {
            connection = SimulatedTextConnection(
                core: lane.core, desk: desk, number: number, now: lane.loop.now)
            return true
        }
        connection = try? SimulatedConnection(
            core: lane.core, number: number, isCertified: isCertified, now: lane.loop.now)
        return connection != nil
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        unsafe connection?.receive(
            bytes, now: lane.loop.now, unixMilliseconds: UInt64(WallClock.milliseconds))
    }

    private func timerFired() {
        scheduled = nil
        // The end of lingering.
        if isLingering { return tcp.close() }
        connection?.timerFired(now: lane.loop.now)
        flush()
    }

    // MARK: Out

    /// Writes the pending bytes, as far as the socket takes them, and plans the next step.
    private func flush() {
        while !isBlocked {
            fill()
            let waiting = unsafe tls == nil ? cleartext.bytes : tls?.outgoing
            guard let waiting = unsafe waiting, !waiting.isEmpty else { break }
            let taken = unsafe tcp.write(UnsafeRawBufferPointer(waiting))
            isBlocked = taken < waiting.count
            if tls == nil { cleartext.removeFirst(taken) } else { tls?.discardOutgoing(taken) }
        }
        guard let connection else { return }
        if isBlocked || !connection.isReading { tcp.pauseReading() }
        if connection.wantsClose && connection.endsWithReset { return tcp.close(reset: true) }
        if connection.wantsClose && connection.leavesUnread && !isBlocked { return leaveUnread() }
        if connection.wantsClose && !isBlocked && !isLingering { linger() }
        schedule(connection.nextDeadline)
    }

    /// Takes bytes from the connection, in pieces that fill a TLS record.
    private func fill() {
        guard let connection else { return }
        if tls == nil {
            connection.write(into: &cleartext, limit: Limits.simulatorUnsentBytes)
            return
        }
        // While the client is in the middle of a message of TLS, the answers wait where they are.
        while connection.wantsWrite, tls?.canWrite == true,
            unsafe (tls?.outgoing.count ?? 0) < Limits.simulatorUnsentBytes
        {
            lane.outgoing.removeAll()
            connection.write(into: &lane.outgoing, limit: Limits.simulatorRecordBytes)
            guard !lane.outgoing.isEmpty else { return }
            let result = try? unsafe tls?.write(UnsafeRawBufferPointer(lane.outgoing.bytes))
            guard result == .written else { return tcp.close() }
        }
    }

    /// Ends our side and waits for the client's end: closing at once, with unread bytes in the
    /// socket, would make the kernel send a reset that can overtake our last frames.
    ///
    /// RFC 9112 §9.6
    private func linger() {
        isLingering = true
        tls?.closeNotify()
        if let farewell = unsafe tls?.outgoing, !farewell.isEmpty {
            _ = unsafe tcp.write(UnsafeRawBufferPointer(farewell))
        }
        tcp.finishWriting()
        scheduled = lane.loop.now.advanced(byNanoseconds: Limits.simulatorLingerNanoseconds)
        timer.schedule(at: scheduled ?? .distantFuture)
    }

    /// Closes with bytes of the client's in the socket, so that the kernel sends a reset behind our
    /// bytes.
    ///
    /// If there are none, it waits for some. RFC 1122 §4.2.2.13
    private func leaveUnread() {
        let until =
            unreadUntil
            ?? lane.loop.now.advanced(byNanoseconds: Limits.simulatorLingerNanoseconds)
        unreadUntil = until
        let isReady = tcp.hasUnread && !tcp.isWritePending
        guard !isReady, lane.loop.now < until else { return tcp.close() }
        scheduled = lane.loop.now.advanced(by: Limits.simulatorUnreadLook)
        timer.schedule(at: scheduled ?? .distantFuture)
    }

    private func schedule(_ deadline: Instant?) {
        guard !isLingering, deadline != scheduled else { return }
        scheduled = deadline
        if let deadline { timer.schedule(at: deadline) } else { timer.cancel() }
    }
}
