import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// The settings that a lane's connections share.
struct ConnectionSettings: Sendable {
    /// TLS, which offers `versions`, or `nil` for HTTP in the clear.
    var tls: TLSClientSettings?
    var session: ClientSessionConfiguration
    /// The provider.
    var service: any PushService
    /// The source of credentials; `nil` if the certificate proves the identity, or nothing does.
    var credentials: (any CredentialSource)?
    /// The way through a proxy, or `nil` for a direct one.
    var proxy: TunnelSettings?
    /// The versions of HTTP that it may speak.
    var versions = HTTPVersions.http2
    /// The words behind the failure of a peer that speaks another version of HTTP; `nil` where no setting
    /// would help.
    var versionAdvice: Statement?
}

/// The TLS settings for one provider.
struct TLSClientSettings: Sendable {
    var context: TLSContext
    /// The name for SNI and for the check of the certificate.
    var serverName: String
}
