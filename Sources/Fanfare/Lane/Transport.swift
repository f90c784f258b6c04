import FanfareCore
import FanfareLoop

/// The TCP connection behind one of the engine's connections, from look-up to end.
///
/// Says nothing any more once it was closed by us. Use only on its loop's thread.
final class Transport: TCPConnectionDelegate {
    private unowned let lane: Lane
    private let connection: Int
    private let tcp: TCPConnection
    private var isClosed = false

    init(lane: Lane, connection: Int, loop: EventLoop) {
        self.lane = lane
        self.connection = connection
        tcp = TCPConnection(loop: loop)
        tcp.userTimeout = Limits.unacknowledgedMax
        tcp.delegate = self
    }

    /// Connects, unless it was closed while the name was looked up.
    func connect(to address: SocketAddress) {
        if !isClosed { tcp.connect(to: address) }
    }

    func send(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe tcp.write(UnsafeRawBufferPointer(bytes))
    }

    /// Ends it from our side, after what was taken to be sent.
    func close() {
        isClosed = true
        tcp.close()
    }

    /// It cannot be used, or not any more.
    func fail(_ text: String) {
        guard !isClosed else { return }
        close()
        lane.transportFailed(connection, text)
    }

    // MARK: TCPConnectionDelegate

    func tcpConnected() {
        tcp.startReading()
        if !isClosed { lane.transportOpened(connection) }
    }

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
