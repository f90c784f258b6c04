import FanfareTLS

/// The versions of HTTP that a connection may speak.
package enum HTTPVersions: String, Sendable, CaseIterable {
    /// HTTP/2: over TLS agreed on by ALPN, in the clear known before. RFC 9113 §3
    case http2 = "2"
    /// HTTP/1.1, even if the peer also speaks HTTP/2.
    case http1 = "1.1"
    /// The peer's choice over TLS, and HTTP/1.1 in the clear.
    case either = "auto"

    /// The name of HTTP/2 among application protocols. RFC 9113 §3.1
    static let http2Protocol = "h2"

    /// True if a connection in the clear speaks HTTP/2.
    var isHTTP2InTheClear: Bool { self == .http2 }

    /// Returns true if a connection over TLS speaks HTTP/1.1 after this agreement.
    /// - Parameter chosen: The application protocol; `nil` if the server has named none, as servers
    ///   of HTTP/1.1 alone often do.
    /// - Returns: True if it does; TLS ensures that the server agrees only to an offered protocol.
    func isHTTP1(after chosen: String?) -> Bool { self != .http2 && chosen != Self.http2Protocol }
}

extension ClientTLSConfiguration {
    /// Offers versions of HTTP to servers.
    mutating func offer(_ versions: HTTPVersions) {
        switch versions {
        case .http2: alpn = [HTTPVersions.http2Protocol]
        case .http1: alpn = ["http/1.1"]
        case .either: alpn = [HTTPVersions.http2Protocol, "http/1.1"]
        }
        takesAnyProtocol = versions != .http2
    }
}
