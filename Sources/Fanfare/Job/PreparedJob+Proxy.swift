import FanfareBase
import FanfareCore
import FanfareTLS

/// The proxy's part of a plan: its password read, and the request made that opens a tunnel.
extension PreparedJob {
    /// The way through the proxy to a service of the job's; `nil` without a proxy.
    static func tunnel(
        to endpoint: Endpoint, by provider: ProviderOptions
    ) throws(FanfareError) -> TunnelSettings? {
        guard let proxy = provider.proxy else { return nil }
        guard endpoint.usesTLS else {
            throw FanfareError(
                .configuration,
                "\(endpoint) is not encrypted and does not go through the proxy "
                    + "\(proxy.name); leave out \(.proxy), or give \(.noProxy)")
        }
        // The proxy would read a host that is no name as lines of their own.
        guard endpoint.host.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
            throw FanfareError(
                .configuration, "the host of the endpoint is neither a name nor an address")
        }
        return TunnelSettings(
            proxy: proxy, target: endpoint, authorization: try authorization(for: proxy))
    }

    /// The ways through a route's proxy to the hosts that rows name; `nil` without a proxy.
    static func tunnels(
        by provider: ProviderOptions
    ) throws(FanfareError) -> (@Sendable (Endpoint) -> TunnelSettings)? {
        guard let proxy = provider.proxy else { return nil }
        let authorization = try authorization(for: proxy)
        return { TunnelSettings(proxy: proxy, target: $0, authorization: authorization) }
    }

    private static func authorization(for proxy: Proxy) throws(FanfareError) -> Secret? {
        do throws(TLSError) {
            return try authorization(proxy.credentials)
        } catch {
            throw FanfareError(.configuration, "the proxy's password: \(error.statement)")
        }
    }

    /// Returns the text behind `Basic`.
    private static func authorization(
        _ credentials: ProxyCredentials
    ) throws(TLSError) -> Secret? {
        switch credentials {
        case .none:
            return nil
        case .file(let path):
            let line = try Secret(firstLineOfFile: path)
            guard unsafe line.withBytes({ unsafe $0.contains(UInt8(ascii: ":")) }) else {
                throw .invalidValue("the first line of \(path) has to be user:password")
            }
            return line.base64
        case .environment(let name):
            let url = try Secret(environment: name)
            let userInfo = unsafe url.withBytes { bytes -> [UInt8]? in
                guard let range = unsafe UserInfo.range(in: bytes) else { return nil }
                return unsafe UserInfo.decoded(bytes[range])
            }
            // A name without a password has an empty one.
            guard var userInfo else {
                throw .invalidValue(
                    "user and password in \(name) do not read; a percent sign stands there as %25")
            }
            let hasPassword = userInfo.contains(UInt8(ascii: ":"))
            let name = Secret(wiping: &userInfo)
            return (hasPassword ? name : Secret("", name, ":")).base64
        }
    }
}
