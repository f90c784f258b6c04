internal import CUV
internal import FanfareBase
import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// The part of a connection that libuv knows.
///
/// libuv keeps it, by one retain in the handle's `data`, from `init` to the close callback. libuv
/// never makes the close callback from inside another one (design.rst, "The I/O loop", step 8), so
/// every other callback may borrow it without a retain, even if it closes and drops the connection.
/// It does not keep the loop: `TCPConnection` does.
@safe
final class TCPHandle {
    private enum Phase {
        /// Not connected.
        ///
        /// May become `connecting`, `open` (accepted), `closing`.
        case idle
        /// May become `open`, `closing`.
        case connecting
        /// Bytes flow.
        ///
        /// May become `reading`, `closing`.
        case open
        /// A write has failed, so nothing is written any more; the bytes that arrived before are
        /// still read.
        ///
        /// May become `closing`.
        case reading
        /// libuv is closing it; only `tcpClosed` follows.
        case closing
    }

    let tcp = unsafe allocateZeroed(uv_tcp_t.self)
    private let connectRequest = unsafe allocateZeroed(uv_connect_t.self)
    private let writeRequest = unsafe allocateZeroed(uv_write_t.self)
    private let shutdownRequest = unsafe allocateZeroed(uv_shutdown_t.self)

    private unowned let loop: EventLoop

    weak var delegate: (any TCPConnectionDelegate)?
    var connectTimer: LoopTimer?
    /// Ends `reading`.
    private var readingTimer: LoopTimer?
    var userTimeout: Duration = .zero {
        didSet { if phase == .open { applyUserTimeout() } }
    }

    private var phase = Phase.idle
    private var isReading = false

    /// The loop's, lent again for each read.
    private var readBuffer = unsafe uv_buf_t()
    private var isFinishing = false
    private var closeReason: SystemError?
    private var peer = ""

    /// The copy that a pending write reads from; allocated when the kernel is full for the first
    /// time, and kept.
    private var pendingBytes: UnsafeMutableRawPointer?
    private(set) var isWritePending = false
    private var isRoomAwaited = false

    init(loop: EventLoop) {
        self.loop = loop
        let status = unsafe uv_tcp_init(loop.loop, tcp)
        // Without a family, libuv makes no socket yet, so nothing can fail.
        precondition(status == 0, "BUG: libuv refused a TCP handle without a socket")
        unsafe tcp.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        unsafe tcp.deallocate()
        unsafe connectRequest.deallocate()
        unsafe writeRequest.deallocate()
        unsafe shutdownRequest.deallocate()
        unsafe pendingBytes?.deallocate()
    }

    /// Lends the object behind a stream to a callback, without a retain; the type says why.
    private static func with(_ data: UnsafeMutableRawPointer?, _ body: (TCPHandle) -> Void) {
        guard let data = unsafe data else {
            preconditionFailure("BUG: a TCP callback came after the close")
        }
        unsafe Unmanaged<TCPHandle>.fromOpaque(data)._withUnsafeGuaranteedRef { body($0) }
    }
}

// MARK: - Beginning and end

extension TCPHandle {
    var isConnecting: Bool { phase == .connecting }

    func connect(to address: SocketAddress) {
        precondition(phase == .idle, "BUG: connect while \(phase)")
        phase = .connecting
        peer = address.description
        let status = unsafe address.withSockaddr { address in
            unsafe uv_tcp_connect(connectRequest, tcp, address) { request, status in
                unsafe TCPHandle.with(request?.pointee.handle.pointee.data) {
                    $0.connectEnded(status)
                }
            }
        }
        if status != 0 { close(because: SystemError(status, "connect to \(peer)")) }
    }

    func connectTimedOut() {
        guard phase == .connecting else { return }
        close(because: SystemError(UV_ETIMEDOUT.rawValue, "connect to \(peer)"))
    }

    private func connectEnded(_ status: Int32) {
        guard phase == .connecting else { return }
        connectTimer = nil
        guard status == 0 else {
            return close(because: SystemError(status, "connect to \(peer)"))
        }
        opened()
        delegate?.tcpConnected()
    }

    func accept(from listener: UnsafeMutablePointer<uv_tcp_t>) -> SystemError? {
        let status = unsafe uv_accept(listener.asStream, tcp.asStream)
        guard status == 0 else { return SystemError(status, "accept a connection") }
        peer = remoteAddress?.description ?? "a peer that has gone"
        opened()
        return nil
    }

    private func opened() {
        phase = .open
        // The results do not matter: a socket that refuses options has been reset, and the next
        // read reports that.
        unsafe uv_tcp_nodelay(tcp, 1)
        if userTimeout > .zero { applyUserTimeout() }
    }

    private func applyUserTimeout() {
        let milliseconds = (userTimeout.wholeNanoseconds / 1_000_000)
        setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, UInt32(clamping: milliseconds))
    }

    func boundSendBuffer(bytes: Int) {
        setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes))
    }

    /// Makes the coming close a reset.
    ///
    /// RFC 9293 §3.10.4 "abort"; `SO_LINGER` with no time.
    func lingerZero() {
        guard phase == .open else { return }
        setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// True if the kernel has bytes that were not read.
    var hasUnread: Bool { peeked > 0 }

    /// The first byte that was not read, as a count: 0 at the peer's end, negative if nothing is there.
    var peeked: Int {
        var descriptor: uv_os_fd_t = -1
        guard unsafe uv_fileno(tcp.asHandle, &descriptor) == 0 else { return -1 }
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    }

    private func setOption<Value>(_ level: Int32, _ name: Int32, _ value: Value) {
        var descriptor: uv_os_fd_t = -1
        guard unsafe uv_fileno(tcp.asHandle, &descriptor) == 0 else { return }
        unsafe withUnsafeBytes(of: value) {
            _ = unsafe setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
        }
    }

    var remoteAddress: SocketAddress? {
        unsafe SocketAddress(asking: { unsafe uv_tcp_getpeername(tcp, $0, $1) })
    }

    var localAddress: SocketAddress? {
        unsafe SocketAddress(asking: { unsafe uv_tcp_getsockname(tcp, $0, $1) })
    }

    func close(because reason: SystemError?) {
        guard phase != .closing else { return }
        phase = .closing
        closeReason = reason
        connectTimer = nil
        readingTimer = nil
        unsafe uv_close(tcp.asHandle) { handle in
            guard let data = unsafe handle?.pointee.data else { return }
            // The retain of `init` ends here; libuv has let go of all memory.
            unsafe Unmanaged<TCPHandle>.fromOpaque(data).takeRetainedValue().closed()
        }
    }

    private func closed() {
        delegate?.tcpClosed(closeReason)
    }
}

// MARK: - Reading

extension TCPHandle {
    func startReading(_ buffer: UnsafeMutableRawBufferPointer) {
        guard phase == .open else { return }
        unsafe readOn(buffer)
    }

    private func readOn(_ buffer: UnsafeMutableRawBufferPointer) {
        guard !isReading else { return }
        isReading = true
        unsafe readBuffer = uv_buf_init(
            buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count))
        let status = unsafe uv_read_start(
            tcp.asStream,
            { handle, _, buffer in
                unsafe TCPHandle.with(handle?.pointee.data) {
                    unsafe buffer?.pointee = $0.readBuffer
                }
            },
            { stream, count, buffer in
                unsafe TCPHandle.with(stream?.pointee.data) { unsafe $0.readEnded(count, buffer) }
            })
        if status != 0 { close(because: SystemError(status, "read from \(peer)")) }
    }

    func pauseReading() {
        guard phase == .open, isReading else { return }
        isReading = false
        unsafe uv_read_stop(tcp.asStream)
    }

    private func readEnded(_ count: Int, _ buffer: UnsafePointer<uv_buf_t>?) {
        guard phase == .open || phase == .reading else { return }
        if count > 0, let start = unsafe buffer?.pointee.base {
            unsafe delegate?.tcpReceived(UnsafeRawBufferPointer(start: start, count: count))
        } else if count < 0 {
            // A write that has failed before is the cause, and this its consequence.
            close(
                because: closeReason
                    ?? SystemError(Int32(truncatingIfNeeded: count), "read from \(peer)"))
        }
        // 0 is libuv's "nothing after all" (EAGAIN).
    }
}

// MARK: - Writing

extension TCPHandle {
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard phase == .open, !isFinishing, let start = bytes.baseAddress, bytes.count > 0 else {
            return 0
        }
        guard !isWritePending else {
            isRoomAwaited = true
            return 0
        }
        var buffer = unsafe uv_buf_init(
            UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: CChar.self),
            UInt32(min(bytes.count, Int(Int32.max))))
        let status = unsafe uv_try_write(tcp.asStream, &buffer, 1)
        guard status >= 0 || status == UV_EAGAIN.rawValue else {
            writingFailed(SystemError(status, "write to \(peer)"))
            return 0
        }
        let taken = Int(max(status, 0))
        guard taken < bytes.count else { return taken }
        return unsafe taken + writeCopy(of: UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    }

    /// Leaves a copy of the first bytes with libuv, whose completion is the sign of new room: libuv
    /// has no event "writable" for a TCP handle.
    private func writeCopy(of bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, Limits.pendingWriteBytes)
        let memory =
            unsafe pendingBytes ?? .allocate(byteCount: Limits.pendingWriteBytes, alignment: 16)
        unsafe pendingBytes = memory
        unsafe memory.copyMemory(
            from: bytes.baseAddress ?? UnsafeRawPointer(memory), byteCount: count)
        var buffer = unsafe uv_buf_init(memory.assumingMemoryBound(to: CChar.self), UInt32(count))
        let status = unsafe uv_write(writeRequest, tcp.asStream, &buffer, 1) { request, status in
            unsafe TCPHandle.with(request?.pointee.handle.pointee.data) { $0.writeEnded(status) }
        }
        guard status == 0 else {
            writingFailed(SystemError(status, "write to \(peer)"))
            return 0
        }
        isWritePending = true
        isRoomAwaited = count < bytes.count
        return count
    }

    private func writeEnded(_ status: Int32) {
        guard phase == .open else { return }
        isWritePending = false
        guard status == 0 else {
            return writingFailed(SystemError(status, "write to \(peer)"))
        }
        if isRoomAwaited {
            isRoomAwaited = false
            delegate?.tcpWritable()
        }
    }

    func finishWriting() {
        guard phase == .open, !isFinishing else { return }
        isFinishing = true
        let status = unsafe uv_shutdown(shutdownRequest, tcp.asStream) { request, status in
            unsafe TCPHandle.with(request?.pointee.handle.pointee.data) { $0.finishEnded(status) }
        }
        finishEnded(status)
    }

    private func finishEnded(_ status: Int32) {
        guard phase == .open, status != 0 else { return }
        writingFailed(SystemError(status, "end the connection to \(peer)"))
    }

    /// Reads the bytes that the kernel still has, and closes after them.
    ///
    /// A peer that closes with unread bytes in its socket sends a reset behind its last words. It
    /// ends our writing, but the bytes before it can be read: Linux keeps them until the end of the
    /// data, which it then reports as an error or as the end of the file, depending on the failed
    /// write.
    private func writingFailed(_ reason: SystemError) {
        guard phase == .open else { return }
        phase = .reading
        closeReason = reason
        let timer = LoopTimer(loop: loop) { [unowned self] in close(because: reason) }
        timer.schedule(at: loop.now.advanced(by: Limits.readingAfterFailedWriteMax))
        readingTimer = timer
        unsafe readOn(loop.readBuffer)
    }
}
