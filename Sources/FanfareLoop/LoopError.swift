internal import CUV

/// Why something that was asked of the loop failed: what was being done, to whom, and the reason.
package struct LoopError: Error, Hashable, CustomStringConvertible {
    /// The reasons that callers decide by.
    package enum Kind: Hashable, Sendable {
        /// No process listens there.
        case connectionRefused
        /// The peer, or something between, cut the connection.
        case connectionReset
        /// No answer in the time there was.
        case timedOut
        /// The peer has ended its side in order.
        case endOfFile
        /// There is no route to the address.
        case unreachable
        /// The name does not exist, or has no address.
        case addressNotFound
        /// The name service does not answer; the name may exist.
        case nameServiceFailed
        /// Another socket has this address and port.
        case addressInUse
        /// The process or the system has no file descriptor left.
        case tooManyOpenFiles
        /// Anything else; `description` says what.
        case other
    }

    package let kind: Kind

    /// What was being done, and to whom, such as "connect to 127.0.0.1:9".
    package let operation: String

    /// The system's reason in plain English, such as "connection refused".
    package let reason: String

    /// The reason's symbol, such as "ECONNREFUSED".
    package let name: String

    /// Translates a libuv status, which is negative.
    init(_ status: Int32, _ operation: String) {
        kind = Kind(status)
        self.operation = operation
        reason = systemReason(status)
        name = systemName(status)
    }

    package var description: String { "\(operation): \(reason) (\(name))" }

    /// Whether the system has no room for what was asked, which its limits decide.
    package var isShortage: Bool {
        ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "ENOBUFS"].contains(name)
    }
}

extension LoopError.Kind {
    fileprivate init(_ status: Int32) {
        self =
            switch uv_errno_t(rawValue: status) {
            case UV_ECONNREFUSED: .connectionRefused
            case UV_ECONNRESET, UV_ECONNABORTED, UV_EPIPE, UV_ENOTCONN: .connectionReset
            case UV_ETIMEDOUT: .timedOut
            case UV_EOF: .endOfFile
            case UV_EHOSTUNREACH, UV_ENETUNREACH, UV_EADDRNOTAVAIL: .unreachable
            case UV_EAI_NONAME, UV_EAI_NODATA, UV_EAI_ADDRFAMILY: .addressNotFound
            case UV_EAI_AGAIN, UV_EAI_FAIL: .nameServiceFailed
            case UV_EADDRINUSE: .addressInUse
            case UV_EMFILE, UV_ENFILE: .tooManyOpenFiles
            default: .other
            }
    }
}

/// libuv's text for a status.
///
/// The variant with a buffer, because the other leaks on unknown codes.
func systemReason(_ status: Int32) -> String {
    unsafe text { unsafe uv_strerror_r(status, $0, $1) }
}

/// The symbol of a status.
func systemName(_ status: Int32) -> String {
    unsafe text { unsafe uv_err_name_r(status, $0, $1) }
}

/// A C string that a function writes into a buffer.
///
/// libuv's longest text has about 60 bytes, an
/// address with its interface at most as many.
func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        unsafe buffer.initialize(repeating: 0)
        guard let start = buffer.baseAddress else { return "" }
        unsafe fill(start, buffer.count)
        return unsafe String(cString: start)
    }
}
