import FanfareLoop
import FanfareSystem

/// Records what a connection tells, and does what the test says on each occasion.
final class Recorder: TCPConnectionDelegate {
    var connection: TCPConnection?
    var received: [UInt8] = []
    var receivedCount = 0
    var isConnected = false
    var closings: [SystemError?] = []
    var keepsBytes = true

    var onConnected: ((Recorder) -> Void)?
    var onReceived: ((Recorder) -> Void)?
    var onWritable: ((Recorder) -> Void)?
    var onClosed: ((Recorder) -> Void)?

    init(_ connection: TCPConnection) {
        self.connection = connection
        connection.delegate = self
    }

    func tcpConnected() {
        isConnected = true
        connection?.startReading()
        onConnected?(self)
    }

    func tcpReceived(_ bytes: UnsafeRawBufferPointer) {
        if keepsBytes { received += bytes }
        receivedCount += bytes.count
        onReceived?(self)
    }

    func tcpWritable() { onWritable?(self) }

    func tcpClosed(_ error: SystemError?) {
        closings.append(error)
        onClosed?(self)
    }

    func write(_ text: String) -> Int {
        Array(text.utf8).withUnsafeBytes { connection?.write($0) ?? 0 }
    }
}

/// A client and a server end of one loopback connection, which `start` gets when both are up.
final class Pair {
    let loop: EventLoop
    let listener: TCPListener
    let client: Recorder
    var server: Recorder?

    init(start: @escaping (_ client: Recorder, _ server: Recorder) -> Void) throws {
        loop = try EventLoop()
        listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        client = Recorder(TCPConnection(loop: loop))
        listener.onAccept = { [unowned self] accepted in
            guard let connection = try? accepted.get() else { return }
            server = Recorder(connection)
            connection.startReading()
            listener.close()
            startWhenBothAreUp(start)
        }
        client.onConnected = { [unowned self] _ in startWhenBothAreUp(start) }
        client.connection?.connect(to: .loopback(port: listener.localPort))
    }

    private func startWhenBothAreUp(_ start: (Recorder, Recorder) -> Void) {
        if let server, client.isConnected { start(client, server) }
    }
}
