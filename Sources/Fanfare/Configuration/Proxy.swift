/// An HTTP proxy, which opens a tunnel to the provider after a CONNECT request.
///
/// The bytes in the tunnel are encrypted for the provider, whose certificate is checked as without
/// a proxy. The proxy looks up the provider's name.
public struct Proxy: Sendable, Equatable {
    /// A name or an address, without brackets.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// The credentials for the proxy.
    public var credentials = ProxyCredentials.none

    /// A proxy that asks for nothing.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Host and port as people write them.
    var name: String { Endpoint.inURL(host, port) }
}

/// The credentials that a job shows to a proxy: a user's name and a password.
///
/// The proxy receives them in the clear (Basic, RFC 7617). These are places only: the configuration
/// contains no secret.
public enum ProxyCredentials: Sendable, Equatable {
    /// No credentials.
    case none
    /// A file whose first line is `user:password`.
    case file(String)
    /// An environment variable with a URL, `http://user:password@host:port`, in which special
    /// characters are percent-encoded.
    case environment(String)
}
