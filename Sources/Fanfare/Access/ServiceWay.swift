/// The way to a service other than the provider.
struct ServiceWay: Sendable {
    let endpoint: Endpoint
    /// TLS, or `nil` in the clear, in which only this machine is asked.
    let tls: TLSClientSettings?
    /// The way through a proxy, or `nil` for a direct one.
    let proxy: TunnelSettings?
    /// The versions of HTTP to speak with the service.
    var versions = HTTPVersions.http2
}
