import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareLoop
import FanfareSystem
import FanfareTLS

/// The provider's side of a plan: keys read, TLS prepared, headers fixed.
extension JobPlan {
    /// What the lanes are made of: the same for all, but for the share of the connections.
    func laneSettings() throws(FanfareError) -> [LaneSettings] {
        try proveWaitingFolder()
        let first = try laneSettings(connections: 1)
        let wanted = configuration.engine.connections
        let (share, rest) = (wanted ?? Limits.connectionsChosenMax)
            .quotientAndRemainder(dividingBy: lanes)
        let rate =
            if let quota = configuration.quota { quota } else {
                try Self.pace(configuration.engine)
            }
        let hasPace = rate != nil || configuration.engine.rateMayChange
        let pace = hasPace ? JobPace(rate, lanes: lanes) : nil
        return (0..<lanes).map { lane in
            var settings = first
            if let pace { settings.pace = LanePace(pace, lane: lane) }
            settings.dispatch.lanes = lanes
            settings.dispatch.connectionsMax = share + (lane < rest ? 1 : 0)
            settings.dispatch.connections = wanted == nil ? 1 : settings.dispatch.connectionsMax
            return settings
        }
    }

    private func laneSettings(connections: Int) throws(FanfareError) -> LaneSettings {
        let engine = configuration.engine
        let streams =
            engine.streams
            ?? (configuration.provider.provider == .fcm
                ? Limits.fcmStreams : Limits.streamsPerConnection)
        let access = try access()
        var retry = access.retry(attemptsMax: engine.attemptsMax)
        retry.budgetShare = engine.retryBudget
        var dispatch = DispatchSettings(
            connections: connections, streamsPerConnection: streams,
            firstRequestAlone: access.startsAlone, timeout: engine.timeout,
            connectTimeout: engine.connectTimeout,
            retry: retry)
        dispatch.resendsInDoubt = engine.mayRepeat
        dispatch.isAdaptive = engine.isAdaptive
        dispatch.patience = engine.giveUpAfter
        return LaneSettings(
            dispatch: dispatch, preparation: preparation,
            connection: ConnectionSettings(
                tls: try tls(
                    to: configuration.provider.endpoint,
                    showing: configuration.provider.credentials),
                session: ClientSessionConfiguration(
                    streamCapacity: streams, responseBodyBytes: access.answerBytes),
                service: access.service, credentials: access.credentials,
                proxy: try tunnel(to: configuration.provider.endpoint)),
            untilMilliseconds: engine.untilMilliseconds)
    }

    /// The provider as the configuration has it.
    static func service(
        _ configuration: Configuration, identity: JobIdentity, started: Int64
    ) -> any PushService {
        switch configuration.provider.provider {
        case .apns: apns(configuration, identity: identity, started: started)
        case .fcm: fcm(configuration, project: configuration.provider.project ?? "")
        }
    }

    private static func apns(
        _ configuration: Configuration, identity: JobIdentity, started: Int64
    ) -> APNs {
        let provider = configuration.provider
        let pushType = PushType(provider.pushType ?? PushType.alert.name)
        var settings = APNs.Settings(
            scheme: provider.endpoint.scheme, authority: provider.endpoint.authority,
            identity: identity)
        settings.topic = provider.topic.map { APNsTopic.full($0, for: pushType) }
        settings.pushType = pushType.name
        // A push type that takes one priority only gets it: the provider's own default is 10.
        let required = pushType.rules.requiredPriority
        settings.priority = provider.priority ?? (required == 0 ? nil : String(required))
        settings.expiration =
            provider.expiration
            ?? provider.expiresAfter.map { String(started / 1000 + $0.components.seconds) }
        settings.collapseID = provider.collapseID
        settings.givenTopic = Array((provider.topic ?? "").utf8)
        settings.givenPriority = provider.priority.flatMap { UInt8($0) } ?? 0
        settings.pushTypeRules = pushType.rules
        settings.lacksTopic = provider.topic == nil && provider.requiresTopic
        settings.validates = configuration.rows.validates
        return APNs(settings)
    }

    /// Refuses values that no request can have, with credentials and without them: the job's own header
    /// values go through the same rules as a row's.
    /// - Throws: `FanfareError.Code.configuration`.
    func checkHeaderValues() throws(FanfareError) {
        guard let settings = (service as? APNs)?.settings else { return }
        func check(
            _ value: String?, _ setting: Setting,
            _ rule: (UnsafeBufferPointer<UInt8>) -> RowProblem?
        ) throws(FanfareError) {
            guard var value else { return }
            if let problem = value.withUTF8(rule) {
                throw FanfareError(.configuration, "\(setting) \(value): \(problem.text)")
            }
        }
        try unsafe check(settings.topic, .topic) { unsafe HeaderRules.problem(topic: $0) }
        try unsafe check(settings.pushType, .pushType) {
            unsafe HeaderRules.problem(pushType: $0)
        }
        try unsafe check(settings.priority, .priority) {
            unsafe HeaderRules.problem(priority: $0, rules: settings.pushTypeRules)
        }
        try unsafe check(settings.expiration, .expiration) {
            unsafe HeaderRules.problem(expiration: $0)
        }
        try unsafe check(settings.collapseID, .collapseID) {
            unsafe HeaderRules.problem(collapseID: $0)
        }
    }

    // MARK: Credentials

    /// What a lane needs besides rows to be let in.
    private func access() throws(FanfareError) -> ProviderAccess {
        switch configuration.provider.provider {
        case .apns:
            let tokens = try providerTokens()
            return ProviderAccess(
                service: service, credentials: tokens, startsAlone: tokens != nil)
        case .fcm:
            return try fcmAccess()
        }
    }

    private func providerTokens() throws(FanfareError) -> ProviderTokenSource? {
        guard case .token(let file, let keyID, let teamID) = configuration.provider.credentials
        else { return nil }
        do throws(TLSError) {
            let signer = try ProviderTokenSigner(keyFile: file, keyID: keyID, teamID: teamID)
            return ProviderTokenSource(signer: signer) { WallClock.milliseconds / 1000 }
        } catch {
            throw error.jobError
        }
    }

    /// The way to a service that is asked besides the provider, and sees no client certificate.
    func way(to endpoint: Endpoint) throws(FanfareError) -> ServiceWay {
        ServiceWay(
            endpoint: endpoint, tls: try tls(to: endpoint, showing: .none),
            proxy: try tunnel(to: endpoint))
    }

    /// TLS towards a service of the job's, with what the configuration trusts.
    /// - Parameters:
    ///   - endpoint: The service.
    ///   - credentials: What it may see of a client certificate.
    /// - Returns: `nil` for a service in the clear.
    /// - Throws: `FanfareError` with code `configuration` or `input`.
    private func tls(
        to endpoint: Endpoint, showing credentials: Credentials
    ) throws(FanfareError) -> TLSClientSettings? {
        let provider = configuration.provider
        guard endpoint.usesTLS else {
            guard Self.isLoopback(endpoint.host) else {
                throw FanfareError(
                    .configuration,
                    "\(endpoint) is not encrypted, which only a loopback address may be")
            }
            return nil
        }
        // Behind a proxy on another machine the loopback address is that machine's.
        if let proxy = provider.proxy, !provider.verifiesServer, !Self.isLoopback(proxy.host) {
            throw FanfareError(
                .configuration,
                "\(.unverifiedServer) is for this machine only, and the proxy \(proxy.name) is "
                    + "another one. \(.caFile, any: "FILE") trusts a certificate of your own")
        }
        if !provider.verifiesServer, !Self.isLoopback(endpoint.host) {
            throw FanfareError(
                .configuration,
                "\(.unverifiedServer) is for loopback addresses only; \(endpoint.host) "
                    + "is none. \(.caFile, any: "FILE") trusts a certificate of your own")
        }
        var settings = ClientTLSConfiguration()
        settings.caFile = provider.caFile
        settings.caPEM = provider.caPEM
        settings.verification = provider.verifiesServer ? .full : .none
        do throws(TLSError) {
            settings.identity = try Self.identity(credentials)
            return TLSClientSettings(
                context: try TLSContext(client: settings), serverName: endpoint.host)
        } catch {
            throw error.jobError
        }
    }

    private static func identity(_ credentials: Credentials) throws(TLSError) -> TLSIdentity? {
        guard case .certificate(let file, let keyFile, let passphraseFile) = credentials else {
            return nil
        }
        let passphrase: Secret? =
            if let passphraseFile { try Secret(firstLineOfFile: passphraseFile) } else { nil }
        return try TLSIdentity.load(path: file, keyFile: keyFile, passphrase: passphrase)
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || SocketAddress(host, port: 0)?.isLoopback == true
    }
}
