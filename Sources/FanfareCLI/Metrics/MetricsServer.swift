import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// Shows a job's metrics at `/metrics`, to one request on each connection.
///
/// Use only on its loop's thread, which is none that works on rows. A page of 6 KiB for a scraper every
/// few seconds does not need more of HTTP/1.1 than this.
final class MetricsServer {
    /// Where clients are served.
    let loop: EventLoop
    /// Makes the page; set before the loop runs.
    var page: () -> String = { "" }
    /// Where it listens, if the system has chosen the port.
    var chosenAddress: SocketAddress?
    private var listener: TCPListener?
    private var clients: [ObjectIdentifier: MetricsClient] = [:]
    private let timer: LoopTimer

    /// The port, also when 0 was asked for.
    let port: UInt16
    /// Whether requests have to name this machine.
    private let isLocal: Bool

    /// Listens from now on; who connects waits until the loop runs.
    /// - Throws: `SystemError` when the address cannot be had.
    init(_ address: SocketAddress) throws(SystemError) {
        loop = try EventLoop()
        timer = LoopTimer(loop: loop)
        let listener = try TCPListener(loop: loop, address: address)
        port = listener.localPort
        isLocal = address.isLoopback
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
        // Who says nothing must not keep a scraper out, so the one that has been here longest goes.
        if clients.count >= Limits.metricsClientsMax,
            let oldest = clients.min(by: { $0.value.deadline < $1.value.deadline })
        {
            clients[oldest.key] = nil
        }
        let client = MetricsClient(
            tcp, deadline: MachineClock.now.advanced(by: Limits.metricsPatience), isLocal: isLocal,
            page: page
        ) { [unowned self] client in
            clients[ObjectIdentifier(client)] = nil
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

/// One client: its request is read and answered, then it closes.
private final class MetricsClient: TCPConnectionDelegate {
    let deadline: Instant
    private let tcp: TCPConnection
    private let isLocal: Bool
    private let page: () -> String
    private let onEnd: (MetricsClient) -> Void
    private var request: [UInt8] = []
    /// What the socket has not taken yet; `nil` while the request is read.
    private var rest: ArraySlice<UInt8>?

    init(
        _ tcp: TCPConnection, deadline: Instant, isLocal: Bool, page: @escaping () -> String,
        onEnd: @escaping (MetricsClient) -> Void
    ) {
        self.tcp = tcp
        self.deadline = deadline
        self.isLocal = isLocal
        self.page = page
        self.onEnd = onEnd
        tcp.delegate = self
        tcp.startReading()
    }

    func tcpConnected() {}

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        // What comes behind the request is read and thrown away: an unread byte would turn our end
        // into a reset, which may overtake the answer.
        guard rest == nil else { return }
        let room = Limits.metricsRequestBytesMax - request.count
        unsafe request += bytes.prefix(room)
        let response = MetricsResponse.to(
            MetricsRequest.read(request), isTooLong: bytes.count >= room, isLocal: isLocal,
            metrics: page)
        guard let response else { return }
        rest = response.bytes[...]
        write()
    }

    func tcpWritable() { write() }

    func tcpClosed(_ error: SystemError?) { onEnd(self) }

    private func write() {
        guard let bytes = rest, !bytes.isEmpty else { return }
        let taken = unsafe bytes.withUnsafeBytes { unsafe tcp.write($0) }
        rest = bytes.dropFirst(taken)
        if taken == bytes.count { tcp.finishWriting() }
    }
}
