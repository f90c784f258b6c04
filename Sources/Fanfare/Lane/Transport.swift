import FanfareCore
import FanfareLoop

/// The TCP connection behind one of the engine's connections, from look-up to end.
///
/// Says nothing any more once it was closed by us. Use only on its loop's thread.
final class Transport: TCPConnectionDelegate {
    private unowned let lane: Lane
    private let connection: Int
    private let loop: EventLoop
    private var tcp: TCPConnection?
    private var race: TCPRace?
    private var isClosed = false

    init(lane: Lane, connection: Int, loop: EventLoop) {
        self.lane = lane
        self.connection = connection
        self.loop = loop
    }

    /// Connects to the first address that answers, unless it was closed while the name was looked up.
    /// - Parameters:
    ///   - addresses: At least one.
    ///   - first: Where to begin.
    func connect(to addresses: [SocketAddress], first: Int) {
        guard !isClosed else { return }
        race = TCPRace(
            loop: loop, addresses: addresses, first: first,
            userTimeout: Limits.unacknowledgedMax
        ) { [unowned self] result in
            race = nil
            switch result {
            case .success(let tcp): connected(tcp)
            case .failure(let error): fail(error.description)
            }
        }
    }

    private func connected(_ tcp: TCPConnection) {
        self.tcp = tcp
        tcp.delegate = self
        tcp.startReading()
        lane.transportOpened(connection)
    }

    func send(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe tcp?.write(UnsafeRawBufferPointer(bytes)) ?? 0
    }

    /// Ends it from our side, after what was taken to be sent.
    func close() {
        isClosed = true
        race = nil
        tcp?.close()
    }

    /// It cannot be used, or not any more.
    func fail(_ text: String) {
        guard !isClosed else { return }
        close()
        lane.transportFailed(connection, text)
    }

    // MARK: TCPConnectionDelegate

    /// The race has heard that already.
    func tcpConnected() {}

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        if !isClosed { unsafe lane.received(bytes, on: connection) }
    }

    func tcpWritable() {
        if !isClosed { lane.transportWritable(connection) }
    }

    func tcpClosed(_ error: LoopError?) {
        fail(error?.description ?? "closed")
    }
}
