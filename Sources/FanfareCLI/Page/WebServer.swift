import FanfareBase
import FanfareLoop
import FanfareSystem

/// A server's reaction to the part of a request that it has read.
enum WebAnswer {
    /// It reads on.
    case incomplete
    /// It sends these bytes, and ends the connection.
    case whole([UInt8])
    /// It sends these bytes, and leaves the connection to the function, which may send more.
    case stream([UInt8], (WebClient) -> Void)
}

/// Serves a few small pages over HTTP/1.1, one request on each connection.
///
/// Use only on its loop's thread, which is none that works on rows. A scraper and some browsers do not
/// need more of HTTP/1.1 than this.
final class WebServer {
    /// Answers the bytes that have come; the flag is true if no more will be read.
    ///
    /// Set it before the loop runs.
    var answer: ([UInt8], Bool) -> WebAnswer = { _, _ in .incomplete }
    /// The port, also when 0 was asked for.
    let port: UInt16
    private var listener: TCPListener?
    /// The clients that send a request, or read its answer.
    private var clients: [ObjectIdentifier: WebClient] = [:]
    private let timer: LoopTimer

    /// Listens from now on; clients that connect wait until the loop runs.
    /// - Throws: `SystemError` when the address is not available.
    init(_ address: SocketAddress, loop: EventLoop) throws(SystemError) {
        timer = LoopTimer(loop: loop)
        let listener = try TCPListener(loop: loop, address: address)
        port = listener.localPort
        self.listener = listener
        timer.onFire = { [unowned self] in endOverdue() }
        listener.onAccept = { [unowned self] result in accepted(result) }
    }

    /// Ends it, and the clients that are being served.
    func close() {
        listener?.close()
        listener = nil
        clients = [:]
        timer.cancel()
    }

    private func accepted(_ result: Result<TCPConnection, SystemError>) {
        // A connection that is not kept is closed.
        guard case .success(let tcp) = result else { return }
        // A silent client must not keep a scraper out, so the one that has been here longest goes.
        if clients.count >= Limits.metricsClientsMax,
            let oldest = clients.min(by: { $0.value.deadline < $1.value.deadline })
        {
            clients[oldest.key] = nil
        }
        let client = WebClient(tcp, deadline: MachineClock.now.advanced(by: Limits.metricsPatience))
        client.onEnd = { [unowned self] client in clients[ObjectIdentifier(client)] = nil }
        client.answer = { [unowned self] client, bytes, isFull in
            switch answer(bytes, isFull) {
            case .incomplete: break
            case .whole(let bytes): client.finish(bytes)
            case .stream(let bytes, let take):
                client.boundBuffer()
                client.send(bytes)
                clients[ObjectIdentifier(client)] = nil
                take(client)
            }
        }
        clients[ObjectIdentifier(client)] = client
        if !timer.isScheduled { timer.schedule(at: client.deadline) }
    }

    private func endOverdue() {
        let now = MachineClock.now
        for (key, client) in clients where client.deadline <= now { clients[key] = nil }
        if let next = clients.values.map(\.deadline).min() { timer.schedule(at: next) }
    }
}

/// One client of a server: its request is read and answered; dropping it closes it.
final class WebClient: TCPConnectionDelegate {
    /// The moment by which the client has to have read its answer, unless that is a stream.
    let deadline: Instant
    /// Answers the bytes that have come; dropped with the request's last byte.
    var answer: ((WebClient, [UInt8], Bool) -> Void)?
    /// Called when the connection has ended.
    var onEnd: ((WebClient) -> Void)?
    /// The moment since when it has taken none of its waiting bytes; `nil` if none wait.
    private(set) var standsStillSince: Instant?
    private let tcp: TCPConnection
    private var request: [UInt8] = []
    /// The bytes that the socket has not taken yet.
    private var rest: ArraySlice<UInt8> = []
    private var isLast = false

    init(_ tcp: TCPConnection, deadline: Instant) {
        self.tcp = tcp
        self.deadline = deadline
        tcp.delegate = self
        // A machine that has gone to sleep takes nothing, and does not say so.
        tcp.userTimeout = Limits.pageStandstillMax
        tcp.startReading()
    }

    /// True if the socket has yet to take bytes that were sent before.
    var isBehind: Bool { !rest.isEmpty }

    /// Lets the kernel keep only a little for it, so that it is seen when the client reads nothing.
    func boundBuffer() { tcp.boundSendBuffer(bytes: Limits.pageBufferBytes) }

    /// Sends bytes, behind those that wait.
    func send(_ bytes: [UInt8]) {
        rest += bytes
        write()
    }

    /// Sends the last bytes.
    func finish(_ bytes: [UInt8] = []) {
        isLast = true
        rest += bytes
        if rest.isEmpty { tcp.finishWriting() } else { write() }
    }

    func tcpConnected() {}

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        // The rest of the request is read and discarded: an unread byte would turn our end into a
        // reset, which may overtake the answer.
        guard let answer else { return }
        let room = Limits.metricsRequestBytesMax - request.count
        unsafe request += bytes.prefix(room)
        answer(self, request, bytes.count >= room)
    }

    func tcpWritable() { write() }

    func tcpClosed(_ error: SystemError?) { onEnd?(self) }

    private func write() {
        guard !rest.isEmpty else { return }
        // A request that has an answer is over.
        answer = nil
        request = []
        let taken = unsafe rest.withUnsafeBytes { unsafe tcp.write($0) }
        rest = rest.dropFirst(taken)
        if rest.isEmpty {
            rest = []
            standsStillSince = nil
            if isLast { tcp.finishWriting() }
        } else if taken > 0 || standsStillSince == nil {
            standsStillSince = MachineClock.now
        }
    }
}
