package import FanfareBase

/// The reason why a proxy has opened no tunnel.
///
/// A message never repeats the proxy's own words: they could give back a secret that the proxy was
/// told.
package enum ProxyRefusal: Equatable, Sendable {
    /// 407, with the ways to prove oneself that it offers.
    case authentication(schemes: [String])
    /// Any other status but 2xx.
    case status(Int)
    /// No answer of HTTP/1; its first bytes.
    case notHTTP([UInt8])
    /// A head without an end.
    case tooLong

    /// True if the proxy would refuse the next connection, too: a matter of rules or passwords.
    package var isPermanent: Bool {
        switch self {
        case .authentication, .status(401), .status(403), .status(405): true
        case .status, .notHTTP, .tooLong: false
        }
    }

    /// Returns the fault, its place and the remedy.
    /// - Parameters:
    ///   - proxy: The proxy's host and port.
    ///   - target: The host and port that the proxy was asked for.
    ///   - isAuthenticated: True if the proxy was given a user's name and a password.
    /// - Returns: One sentence without a full stop.
    package func text(proxy: String, target: String, isAuthenticated: Bool) -> Statement {
        switch self {
        case .authentication(let schemes):
            return "the proxy \(proxy) "
                + Self.authenticationText(schemes, isAuthenticated: isAuthenticated)
        case .status(let status):
            return "the proxy \(proxy) answers CONNECT \(target) with \(status): "
                + Self.meaning(of: status)
        case .notHTTP(let bytes):
            return "\(proxy) " + Self.languageText(bytes)
        case .tooLong:
            return "the proxy \(proxy) answers CONNECT without an end; is it a proxy?"
        }
    }

    private static func authenticationText(_ schemes: [String], isAuthenticated: Bool) -> Statement
    {
        if !schemes.isEmpty, !schemes.contains(where: { $0.lowercased() == "basic" }) {
            return
                "wants \(schemes.joined(separator: " or ")) (407), and Fanfare knows Basic only; "
                + "ask for a proxy, or a rule in it, that does without"
        }
        return isAuthenticated
            ? "refuses the user's name or the password (407); "
                + "see \(.proxyCredentials), or https_proxy"
            : "wants a user's name and a password (407); give \(.proxyCredentials, any: "FILE"), "
                + "whose first line is user:password"
    }

    private static func meaning(of status: Int) -> Statement {
        switch status {
        case 300...399: "it redirects, as portals and web servers do; is it a proxy?"
        // tinyproxy says so of a wrong password, and 407 of none.
        case 401:
            "it refuses the user's name or the password; see \(.proxyCredentials), or "
                + "https_proxy"
        case 403: "its rules do not allow this host or port"
        case 400, 404, 405, 501:
            "it does not open tunnels here; is it a proxy, and does it allow CONNECT?"
        case 408, 429: "it is busy"
        case 500, 502, 503, 504: "it cannot reach that host, or is in trouble itself"
        default: "it does not open the tunnel"
        }
    }

    /// Returns the sentence about the language that the peer speaks instead.
    private static func languageText(_ bytes: [UInt8]) -> Statement {
        // A record of TLS: an alert, or a handshake. RFC 8446 §5.1
        if bytes.first == 0x15 || bytes.first == 0x16 {
            return "wants TLS, which Fanfare does not speak to a proxy; "
                + "name a port where it takes plain HTTP"
        }
        let shown = bytes.prefix(12).map {
            0x20..<0x7F ~= $0 ? Character(UnicodeScalar($0)) : "."
        }
        return "is no HTTP proxy: its answer begins with '\(String(shown))'"
    }
}
