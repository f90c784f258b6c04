internal import CUV
internal import FanfareBase
package import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// Accepts TCP connections.
///
/// Dropping it closes it.
///
/// Use only on its loop's thread.
@safe
package final class TCPListener {
    private let loop: EventLoop
    private var tcp: UnsafeMutablePointer<uv_tcp_t>?

    /// A function that is called for each connection, which closes unless the function keeps it.
    ///
    /// Give it a delegate and call `startReading`. A failure, such as `tooManyOpenFiles`, does not
    /// end the listener.
    package var onAccept: ((Result<TCPConnection, SystemError>) -> Void)?

    /// The port, also when 0 was asked for.
    package let localPort: UInt16

    /// Binds and listens.
    /// - Parameters:
    ///   - loop: The loop on which connections are accepted.
    ///   - address: The address to listen at; port 0 takes any free one.
    ///   - sharesPort: True if several listeners have this port, and the kernel spreads the
    ///     connections over them (`SO_REUSEPORT`).
    ///   - backlog: Connections that may wait to be accepted.
    ///   - onAccept: The property, or set it before the loop runs.
    /// - Throws: `SystemError.Kind.addressInUse` and others.
    package init(
        loop: EventLoop, address: SocketAddress, sharesPort: Bool = false,
        backlog: Int = Limits.listenBacklog,
        onAccept: ((Result<TCPConnection, SystemError>) -> Void)? = nil
    ) throws(SystemError) {
        self.loop = loop
        self.onAccept = onAccept
        let operation = "listen on \(address)"
        let tcp = unsafe allocateZeroed(uv_tcp_t.self)
        let initStatus = unsafe uv_tcp_init_ex(loop.loop, tcp, UInt32(address.family))
        guard initStatus == 0 else {
            unsafe tcp.deallocate()
            throw SystemError(initStatus, operation)
        }
        let status = unsafe Self.listen(tcp, address, sharesPort: sharesPort, backlog: backlog)
        guard status == 0 else {
            unsafe closeAndFree(tcp)
            throw SystemError(status, operation)
        }
        localPort =
            unsafe SocketAddress(asking: { unsafe uv_tcp_getsockname(tcp, $0, $1) })?.port ?? 0
        unsafe self.tcp = tcp
        unsafe tcp.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        close()
    }

    /// Stops to accept.
    ///
    /// Calling it more than once is fine.
    package func close() {
        guard let tcp = unsafe tcp else { return }
        unsafe self.tcp = nil
        unsafe closeAndFree(tcp)
    }

    private static func listen(
        _ tcp: UnsafeMutablePointer<uv_tcp_t>, _ address: SocketAddress, sharesPort: Bool,
        backlog: Int
    ) -> Int32 {
        if sharesPort {
            // libuv has a flag of its own for this only since 1.49.
            var descriptor: uv_os_fd_t = -1
            var on: Int32 = 1
            let status = unsafe uv_fileno(tcp.asHandle, &descriptor)
            guard status == 0 else { return status }
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) == 0 else {
                return uv_translate_sys_error(errno)
            }
        }
        let status = unsafe address.withSockaddr { unsafe uv_tcp_bind(tcp, $0, 0) }
        guard status == 0 else { return status }
        return unsafe uv_listen(tcp.asStream, Int32(clamping: backlog)) { stream, status in
            unsafe owner(TCPListener.self, behind: stream?.pointee.data)?.arrived(status)
        }
    }

    private func arrived(_ status: Int32) {
        guard let tcp = unsafe tcp else { return }
        guard status == 0 else {
            onAccept?(.failure(SystemError(status, "accept a connection")))
            return
        }
        let connection = TCPConnection(loop: loop)
        if let error = unsafe connection.handle.accept(from: tcp) {
            onAccept?(.failure(error))
        } else {
            onAccept?(.success(connection))
        }
    }
}
