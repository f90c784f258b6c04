import FanfareBase
import FanfareCore
import FanfareTLS

/// Tokens that are asked for at an address, for providers that files describe.
extension PreparedJob {
    /// The tokens of a service that gives them out for credentials.
    /// - Parameters:
    ///   - exchange: The request for a token.
    ///   - declared: The description, and the values of its settings.
    ///   - route: The route.
    /// - Returns: One source for all lanes of the route.
    /// - Throws: `FanfareError` about the service's address, or TLS towards it.
    func describedTokens(
        _ exchange: DeclaredExchange, of declared: DeclaredOptions, by route: ProviderOptions
    ) throws(FanfareError) -> AccessTokenSource {
        let service = try DescribedTokenService(
            exchange, of: declared, local: try Self.localEndpoint(of: declared, route))
        return try AccessTokenSource(
            asking: .described(service), patience: configuration.engine.giveUpAfter,
            seed: identity.bits
        ) { endpoint throws(FanfareError) in
            try Self.way(to: endpoint, by: route, speaking: .either)
        }
    }

    /// This machine, where the job names it in place of the file's own address.
    private static func localEndpoint(
        of declared: DeclaredOptions, _ route: ProviderOptions
    ) throws(FanfareError) -> Endpoint? {
        guard isLoopback(route.endpoint.host) else { return nil }
        let own = try ProviderOptions(declared.file, declared.settings).endpoint
        return own == route.endpoint ? nil : route.endpoint
    }

    /// The tokens of a Google service account for a provider of another kind than FCM.
    /// - Parameters:
    ///   - path: The key file.
    ///   - scope: The scope of the tokens.
    ///   - route: The route.
    /// - Returns: One source for all lanes of the route.
    /// - Throws: `FanfareError` about the file, or TLS towards Google.
    func accountTokens(
        keyFile path: String, scope: String, by route: ProviderOptions
    ) throws(FanfareError) -> AccessTokenSource {
        let hints = GoogleHints(
            project: "the settings of the description",
            accessTokenFile: "a token in a file, by \"bearer_file\" in the description")
        let credential = try GoogleCredential.read(
            try Self.secret(path), file: path, hints: hints)
        return try AccessTokenSource(
            asking: .credential(credential.asking(for: scope)),
            patience: configuration.engine.giveUpAfter,
            seed: identity.bits
        ) { endpoint throws(FanfareError) in
            try Self.way(to: endpoint, by: route)
        }
    }
}
