internal import CUV
import FanfareSystem

extension SystemError {
    /// Translates a libuv status, which is negative.
    init(_ status: Int32, _ operation: String) {
        self.init(
            Kind(status), operation: operation, reason: systemReason(status),
            name: systemName(status))
    }
}

extension SystemError.Kind {
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

/// Returns libuv's text for a status.
///
/// It uses the variant with a buffer, because the other leaks on unknown codes.
func systemReason(_ status: Int32) -> String {
    unsafe systemText { unsafe uv_strerror_r(status, $0, $1) }
}

/// Returns the symbol of a status.
func systemName(_ status: Int32) -> String {
    unsafe systemText { unsafe uv_err_name_r(status, $0, $1) }
}
