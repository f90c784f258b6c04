internal import COpenSSL
import FanfareBase
import Glibc

/// Errors for the reasons why certificates are refused.
enum VerificationAdvice {
    static func error(for code: Int32) -> TLSError {
        let reason = unsafe X509_verify_cert_error_string(Int(code)).map {
            unsafe String(cString: $0)
        }
        return .verificationFailed(reason: reason ?? "reason \(code)", fault(of: code))
    }

    private static func fault(of code: Int32) -> TLSError.VerificationFault {
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            .name
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .root
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
            .time
        default:
            .other
        }
    }
}

/// The checks that tell addresses from names.
enum IPAddress {
    /// True if a text is an IPv4 or IPv6 address, the latter without brackets and zone.
    static func isOne(_ text: String) -> Bool {
        var address = in6_addr()
        return unsafe inet_pton(AF_INET, text, &address) == 1
            || inet_pton(AF_INET6, text, &address) == 1
    }

    /// True if a text can be a name in DNS; underscores occur in private networks.
    static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || ".-_".utf8.contains($0) }
    }
}
