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
    /// The addresses that are tried if the current one fails.
    private var others: ArraySlice<SocketAddress> = []
    private var isConnected = false
    private var isClosed = false

    init(lane: Lane, connection: Int, loop: EventLoop) {
        self.lane = lane
        self.connection = connection
        self.loop = loop
    }

    /// Connects to the first address that answers, unless it was closed while the name was looked up.
    /// - Parameter addresses: At least one.
    func connect(to addresses: ArraySlice<SocketAddress>) {
        guard !isClosed, let address = addresses.first else { return }
        others = addresses.dropFirst()
        let tcp = TCPConnection(loop: loop)
        tcp.userTimeout = Limits.unacknowledgedMax
        tcp.delegate = self
        self.tcp = tcp
        tcp.connect(to: address)
    }

    func send(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe tcp?.write(UnsafeRawBufferPointer(bytes)) ?? 0
    }

    /// Ends it from our side, after what was taken to be sent.
    func close() {
        isClosed = true
        tcp?.close()
    }

    /// It cannot be used, or not any more.
    func fail(_ text: String) {
        guard !isClosed else { return }
        close()
        lane.transportFailed(connection, text)
    }

    // MARK: TCPConnectionDelegate

    func tcpConnected() {
        isConnected = true
        tcp?.startReading()
        if !isClosed { lane.transportOpened(connection) }
    }

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        if !isClosed { unsafe lane.received(bytes, on: connection) }
    }

    func tcpWritable() {
        if !isClosed { lane.transportWritable(connection) }
    }

    func tcpClosed(_ error: LoopError?) {
        if !isConnected && !isClosed && !others.isEmpty {
            connect(to: others)
        } else {
            fail(error?.description ?? "closed")
        }
    }
}
