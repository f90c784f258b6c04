import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// What a lane's connections have in common.
struct ConnectionSettings: Sendable {
    /// TLS, which offers `versions`, or `nil` for HTTP in the clear.
    var tls: TLSClientSettings?
    var session: ClientSessionConfiguration
    /// The provider.
    var service: any PushService
    /// What proves who we are; `nil` where the certificate does, or nothing.
    var credentials: (any CredentialSource)?
    /// The way through a proxy, or `nil` for a direct one.
    var proxy: TunnelSettings?
    /// What it may speak.
    var versions = HTTPVersions.http2
}

/// TLS towards one provider.
struct TLSClientSettings: Sendable {
    var context: TLSContext
    /// The name for SNI and for the check of the certificate.
    var serverName: String
}
