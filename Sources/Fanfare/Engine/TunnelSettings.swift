import FanfareBase
import FanfareCore
import FanfareTLS

/// The settings of a transport for its way through a proxy.
struct TunnelSettings: Sendable {
    let proxy: Proxy
    /// The provider as the proxy gets it: always with its port.
    let target: String
    /// The whole request; secret for the password in it.
    let request: Secret
    let isAuthenticated: Bool

    /// - Parameters:
    ///   - proxy: The proxy.
    ///   - target: The target of the tunnel.
    ///   - authorization: User and password in Base64.
    init(proxy: Proxy, target: Endpoint, authorization: Secret?) {
        self.proxy = proxy
        self.target = Endpoint.inURL(target.host, target.port)
        isAuthenticated = authorization != nil
        // RFC 9112 §3.2.3, RFC 9110 §9.3.6
        let head =
            "CONNECT \(self.target) HTTP/1.1\r\nHost: \(self.target)\r\nUser-Agent: fanfare\r\n"
        if let authorization {
            request = Secret("\(head)Proxy-Authorization: Basic ", authorization, "\r\n\r\n")
        } else {
            var bytes = Array("\(head)\r\n".utf8)
            request = Secret(wiping: &bytes)
        }
    }

    /// Puts the proxy into a message about the way to it.
    func blaming(_ text: String) -> String { "the proxy \(proxy.name): \(text)" }
}
