internal import CUV
internal import FanfareBase
package import FanfareSystem

/// The receiver of a TCP connection's events.
///
/// All calls come on the loop's thread.
package protocol TCPConnectionDelegate: AnyObject {
    /// Tells that `connect` has succeeded.
    ///
    /// It is not called for accepted connections.
    func tcpConnected()

    /// Tells that bytes have arrived.
    ///
    /// They are lent for the call; the next read overwrites them.
    func tcpReceived(_ bytes: UnsafeRawBufferPointer)

    /// Tells that there is room again after a `write` that came back short, unless the connection
    /// ends.
    func tcpWritable()

    /// Tells that the connection has ended: the last call, made once, and never from inside one of
    /// the connection's own methods.
    ///
    /// There is no error after our own `close`, and `SystemError.Kind.endOfFile` when the peer
    /// ended in order. After a failed write the delegate has been told before of all bytes that had
    /// arrived.
    func tcpClosed(_ error: SystemError?)
}

/// A TCP connection, ours or accepted.
///
/// Dropping it closes it, and then its delegate hears nothing.
///
/// Use only on its loop's thread. It may be closed or dropped from its delegate's methods. Delays of
/// small writes (Nagle) and the kernel's keep-alive are off.
@safe
package final class TCPConnection {
    private let loop: EventLoop
    let handle: TCPHandle

    /// Makes a connection that goes nowhere yet.
    package init(loop: EventLoop) {
        self.loop = loop
        handle = TCPHandle(loop: loop)
    }

    deinit {
        handle.delegate = nil
        handle.close(because: nil)
    }

    /// The object that hears of the connection's events.
    ///
    /// Set it before `connect` or `startReading`.
    package var delegate: (any TCPConnectionDelegate)? {
        get { handle.delegate }
        set { handle.delegate = newValue }
    }

    /// Connects.
    ///
    /// Then comes `tcpConnected`, or `tcpClosed` with the reason.
    /// - Parameters:
    ///   - address: The peer.
    ///   - timeout: The time there is, after which the connection closes as `timedOut`. The
    ///     kernel's, about two minutes, if none.
    package func connect(to address: SocketAddress, timeout: Duration? = nil) {
        handle.connect(to: address)
        if let timeout, handle.isConnecting {
            let timer = LoopTimer(loop: loop)
            timer.onFire = { [unowned handle] in handle.connectTimedOut() }
            timer.schedule(at: loop.now.advanced(by: timeout))
            handle.connectTimer = timer
        }
    }

    /// Starts to read, or goes on after `pauseReading`.
    package func startReading() {
        unsafe handle.startReading(loop.readBuffer)
    }

    /// Stops reading; TCP's window stops the peer.
    ///
    /// The connection does not notice a peer's end meanwhile. The call does nothing after a failed
    /// write: few bytes are left.
    package func pauseReading() {
        handle.pauseReading()
    }

    /// Writes as much as the kernel takes now.
    ///
    /// The caller keeps the bytes that were not taken. The kernel takes nothing before
    /// `tcpConnected` or after the end. When it refuses bytes, it takes none any more, and the
    /// connection reads everything that has arrived before `tcpClosed` comes.
    /// - Returns: The bytes taken. If they are not all, `tcpWritable` follows, or `tcpClosed`.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe handle.write(bytes)
    }

    /// Ends our side once all that was taken is sent.
    ///
    /// Reading goes on until the peer's end.
    package func finishWriting() {
        handle.finishWriting()
    }

    /// Closes the connection; `tcpClosed` follows.
    ///
    /// Calling it more than once is fine.
    /// - Parameter reset: True if the peer shall see a reset, which also drops the unsent bytes.
    package func close(reset: Bool = false) {
        if reset { handle.lingerZero() }
        handle.close(because: nil)
    }

    /// True if bytes have arrived that were not read, as while reading is paused.
    package var hasUnread: Bool { handle.hasUnread }

    /// True if bytes or the peer's end have arrived that were not read.
    package var hasUnreadOrEnd: Bool { handle.peeked >= 0 }

    /// True if the kernel does not have all bytes that were taken; `close` drops them.
    package var isWritePending: Bool { handle.isWritePending }

    /// The time that sent bytes may stay unacknowledged before the kernel gives up, which closes as
    /// `timedOut`.
    ///
    /// It may be set before connecting. Zero leaves it to the kernel, about 15 minutes.
    package var userTimeout: Duration {
        get { handle.userTimeout }
        set { handle.userTimeout = newValue }
    }

    /// Asks the kernel to keep no more bytes than these for a peer that does not take them.
    ///
    /// It makes twice as many of it. Without this they may be megabytes.
    package func boundSendBuffer(bytes: Int) { handle.boundSendBuffer(bytes: bytes) }

    /// True if both ends have the same address: the peer is this machine.
    ///
    /// The system gives a connection to an address of its own that very address at our end, or the first one of the
    /// interface: so there are some for which this is false. `OwnAddresses` knows them.
    package var leadsToItself: Bool {
        guard let here = handle.localAddress, let there = handle.remoteAddress else { return false }
        return here.with(port: 0) == there.with(port: 0)
    }

    /// The peer; nothing when not connected.
    package var remoteAddress: SocketAddress? { handle.remoteAddress }

    /// Our own port; 0 when not connected.
    package var localPort: UInt16 { handle.localAddress?.port ?? 0 }
}
