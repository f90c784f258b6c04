import FanfareBase

extension ValueReader {
    /// Reads `http://host:port`, or `host:port`; the port is required, as proxies have no usual
    /// one.
    ///
    /// A text with a user's name is refused and not shown: other people may be able to read the
    /// place where it stands.
    package static func proxy(_ text: String) throws(ValueFault) -> HostPort {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw ValueFault(
                "has a user's name or a password in it, where others can see it; they belong in "
                    + "--proxy-credentials-file FILE, whose first line is user:password, or in "
                    + "the environment's https_proxy",
                isSecret: true)
        }
        var rest = text
        if let (scheme, behind) = text.parts(at: "://") {
            guard scheme.lowercased() == "http" else {
                let isTLS = scheme.lowercased() == "https"
                throw ValueFault(
                    isTLS
                        ? "wants TLS to the proxy itself, which is not spoken; the connection "
                            + "through it is encrypted in any case"
                        : "has the unknown scheme \(scheme.quotedForMessage): it is an HTTP proxy "
                            + "that is wanted",
                    example: "http://\(behind)")
            }
            rest = behind
        }
        // A lone slash at the end means nothing; browsers copy it.
        if rest.hasSuffix("/") { rest.removeLast() }
        if let end = rest.firstIndex(where: { "/?#".contains($0) }) {
            throw ValueFault("has a path", example: "http://\(rest[..<end])")
        }
        let (host, port) = try splitHost(rest)
        guard let port else { throw ValueFault("has no port", example: "http://\(rest):3128") }
        return HostPort(host: host, port: try Self.port(port))
    }
}
