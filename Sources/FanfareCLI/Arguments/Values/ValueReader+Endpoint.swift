package import Fanfare
import FanfareBase

extension ValueReader {
    /// Reads `https://host:port`; the port may be missing, and a path is refused.
    ///
    /// Only a loopback address may do without TLS. A text with a user's name may also have a
    /// password, so messages do not show it.
    package static func endpoint(_ text: String) throws(ValueFault) -> Endpoint {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw ValueFault(
                "has a user's name or a password in it, which no request would carry",
                isSecret: true)
        }
        guard let (scheme, rest) = text.parts(at: "://") else {
            throw ValueFault("has no scheme", example: "https://\(text)")
        }
        let isSecure = scheme.lowercased() == "https"
        guard isSecure || scheme.lowercased() == "http" else {
            throw ValueFault(
                "has the unknown scheme \(scheme.quotedForMessage)", example: "https://\(rest)")
        }
        // A lone slash at the end means nothing; browsers copy it.
        let authority = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
        if let end = authority.firstIndex(where: { "/?#".contains($0) }) {
            throw ValueFault("has a path", example: "\(scheme)://\(authority[..<end])")
        }
        let (host, portText) = try splitHost(authority)
        let port: UInt16 = if let portText { try port(portText) } else { isSecure ? 443 : 80 }
        guard isSecure || HostPort(host: host, port: port).isLoopback else {
            throw ValueFault(
                "is not encrypted, which only a loopback address may be",
                example: "https://\(authority)")
        }
        return Endpoint(host: host, port: port, usesTLS: isSecure)
    }
}
