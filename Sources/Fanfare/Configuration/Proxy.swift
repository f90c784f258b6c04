/// An HTTP proxy, asked with CONNECT to open a tunnel to the provider.
///
/// What goes through the tunnel is encrypted for the provider, whose certificate is checked as
/// without a proxy. The provider's name is looked up by the proxy.
public struct Proxy: Sendable, Equatable {
    /// A name or an address, without brackets.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// How we prove to the proxy who we are.
    public var credentials = ProxyCredentials.none

    /// A proxy that asks for nothing.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Host and port as people write them.
    var name: String { Endpoint.inURL(host, port) }
}

/// How we prove to a proxy who we are: with a user's name and a password, which it is told in the clear
/// (Basic, RFC 7617).
///
/// Places only: no secret passes through here.
public enum ProxyCredentials: Sendable, Equatable {
    /// Not at all.
    case none
    /// A file whose first line is `user:password`.
    case file(String)
    /// An environment variable with a URL, `http://user:password@host:port`, in which special
    /// characters are percent-encoded.
    case environment(String)
}
