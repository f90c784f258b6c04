import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareLoop
import FanfareSystem
import FanfareTLS

/// The provider's side of a plan: keys read, TLS prepared, headers fixed.
extension PreparedJob {
    /// Returns the settings of all lanes, which are the same for a route but for their share of the
    /// connections.
    /// - Parameter versions: The versions of HTTP to speak with the providers.
    /// - Returns: All of the first route, then those of the next.
    /// - Throws: `FanfareError` about keys, certificates and files.
    func laneSettings(
        speaking versions: HTTPVersions = .http2
    ) throws(FanfareError) -> [LaneSettings] {
        try proveWaitingFolder()
        let wanted = configuration.engine.connections
        let (share, rest) = (wanted ?? Limits.connectionsChosenMax)
            .quotientAndRemainder(dividingBy: lanes)
        let paces = try paces()
        var all: [LaneSettings] = []
        for (index, route) in routes.enumerated() {
            let first = try laneSettings(of: route, route.options.declared?.versions ?? versions)
            // A service's limit of requests in flight is shared out like connections, each with one
            // request.
            let most = route.options.declared?.inFlightMax
            let (share, rest) =
                most.map {
                    min($0, wanted ?? Limits.connectionsChosenMax).quotientAndRemainder(
                        dividingBy: lanes)
                } ?? (share, rest)
            for lane in 0..<lanes {
                var settings = first
                settings.pace = LanePace(
                    job: paces.job, route: paces.routes[index],
                    lane: number(ofLane: lane, route: index))
                settings.dispatch.lanes = lanes
                settings.dispatch.connectionsMax = share + (lane < rest ? 1 : 0)
                settings.dispatch.connections =
                    wanted == nil ? 1 : settings.dispatch.connectionsMax
                all.append(settings)
            }
        }
        return all
    }

    private func laneSettings(
        of route: RoutePlan, _ versions: HTTPVersions
    ) throws(FanfareError) -> LaneSettings {
        let engine = configuration.engine
        let options = route.options
        let streams =
            options.declared?.inFlightMax == nil
            ? engine.streams
                ?? (options.provider == .fcm ? Limits.fcmStreams : Limits.streamsPerConnection) : 1
        let access = try access(route)
        var retry = access.retry(attemptsMax: engine.attemptsMax)
        retry.budgetShare = engine.retryBudget
        var dispatch = DispatchSettings(
            connections: 1, streamsPerConnection: streams,
            firstRequestAlone: access.startsAlone, timeout: engine.timeout(of: options),
            connectTimeout: engine.connectTimeout,
            retry: retry)
        dispatch.provesRoute = true
        // A row that is only validated may be sent twice.
        dispatch.resendsInDoubt = engine.mayRepeat || options.validatesOnly
        dispatch.isAdaptive = engine.isAdaptive
        dispatch.patience = engine.giveUpAfter
        dispatch.rowsOfRequest = options.declared?.rowsOfRequest ?? 1
        var settings = LaneSettings(
            dispatch: dispatch, preparation: route.preparation,
            connection: ConnectionSettings(
                tls: try Self.tls(
                    to: options.endpoint, showing: options.credentials, by: options,
                    speaking: versions),
                session: ClientSessionConfiguration(
                    streamCapacity: streams, responseBodyBytes: access.answerBytes,
                    quota: options.declared?.quota),
                service: access.service, credentials: access.credentials,
                proxy: try Self.tunnel(to: options.endpoint, by: options), versions: versions),
            untilMilliseconds: engine.untilMilliseconds)
        if options.declared != nil {
            settings.connection.session.bodyBytesMax = Limits.declaredAnswerBytesWaited
        }
        // A rate that the job has chosen is one of rows.
        settings.pacesRequests =
            options.declared?.pacesRequests == true && options.rate == nil && engine.rate == nil
            && !engine.rateMayChange
        return settings
    }

    /// Returns a route's provider, as far as it is known without credentials.
    /// - Parameters:
    ///   - provider: The route.
    ///   - validates: True if rows are checked.
    ///   - identity: The identity from which the rows' `apns-id` are made.
    ///   - started: The job's start, in milliseconds of UNIX time.
    ///   - schema: The places of template values in a row.
    ///   - filling: The values of the job's message for the columns of a description.
    /// - Returns: The service, which makes requests of the route's rows.
    /// - Throws: `FanfareError` with code `configuration` about a template.
    static func service(
        _ provider: ProviderOptions, validates: Bool, identity: JobIdentity, started: Int64,
        schema: RowSchema, filling: MessageFilling?
    ) throws(FanfareError) -> any PushService {
        switch provider.provider {
        case .apns:
            try apns(
                provider, validates: validates, identity: identity, started: started,
                schema: schema)
        case .fcm: fcm(provider, validates: validates, project: provider.project ?? "")
        case .declared:
            try declared(provider, identity: identity, schema: schema, filling: filling)
        }
    }

    private static func apns(
        _ provider: ProviderOptions, validates: Bool, identity: JobIdentity, started: Int64,
        schema: RowSchema
    ) throws(FanfareError) -> APNs {
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
        if let template = provider.collapseTemplate, provider.collapseID == nil {
            settings.collapseTemplate = try told(\.jobError) { () throws(PayloadTemplateError) in
                try HeaderTemplate(template, schema: schema)
            }
        }
        settings.givenTopic = Array((provider.topic ?? "").utf8)
        settings.givenPriority = provider.priority.flatMap { UInt8($0) } ?? 0
        settings.pushTypeRules = pushType.rules
        settings.lacksTopic = provider.topic == nil && provider.requiresTopic
        settings.validates = validates
        settings.validatesOnly = provider.validatesOnly
        return APNs(settings)
    }

    /// Refuses values that no request can have, with credentials and without them: the job's own header
    /// values go through the same rules as a row's.
    /// - Throws: `FanfareError.Code.configuration`.
    func checkHeaderValues() throws(FanfareError) {
        for route in routes { try Self.checkHeaderValues(route.service) }
    }

    private static func checkHeaderValues(_ service: any PushService) throws(FanfareError) {
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

    /// Returns the access of a lane to its provider.
    private func access(_ route: RoutePlan) throws(FanfareError) -> ProviderAccess {
        switch route.options.provider {
        case .apns:
            let tokens = try Self.providerTokens(
                route.options.credentials, sharedMoment: configuration.cluster?.began)
            return ProviderAccess(
                service: route.service, credentials: tokens, startsAlone: tokens != nil)
        case .fcm:
            return try fcmAccess(route)
        case .declared:
            return try declaredAccess(route)
        }
    }

    static func providerTokens(
        _ credentials: Credentials, sharedMoment: Int64? = nil
    ) throws(FanfareError) -> ProviderTokenSource? {
        switch credentials {
        case .none, .certificate: return nil
        case .serviceAccount, .accessToken, .metadataServer:
            throw FanfareError(
                .configuration,
                "APNs takes a key or a certificate of Apple's, and no credentials of FCM")
        case .token(let file, let keyID, let teamID):
            return try providerTokens(
                keyFile: file, keyID: keyID, teamID: teamID, sharedMoment: sharedMoment)
        }
    }

    private static func providerTokens(
        keyFile file: String, keyID: String, teamID: String, sharedMoment: Int64?
    ) throws(FanfareError) -> ProviderTokenSource {
        try told(\.jobError) { () throws(TLSError) in
            let signer = try ProviderTokenSigner(keyFile: file, keyID: keyID, teamID: teamID)
            return ProviderTokenSource(sign: signer.sign, sharedMoment: sharedMoment) {
                WallClock.milliseconds / 1000
            }
        }
    }

    /// Returns the way to a service other than the provider, which sees no client certificate.
    static func way(
        to endpoint: Endpoint, by provider: ProviderOptions,
        speaking versions: HTTPVersions = .http2
    ) throws(FanfareError) -> ServiceWay {
        ServiceWay(
            endpoint: endpoint,
            tls: try tls(to: endpoint, showing: .none, by: provider, speaking: versions),
            proxy: try tunnel(to: endpoint, by: provider), versions: versions)
    }

    /// Returns the TLS settings for a service of a route, with the route's trusted certificates.
    /// - Parameters:
    ///   - endpoint: The service.
    ///   - credentials: The credentials that may include a client certificate.
    ///   - provider: The route.
    ///   - versions: The versions of HTTP to offer.
    /// - Returns: The settings; `nil` for a service in the clear.
    /// - Throws: `FanfareError` with code `configuration` or `input`.
    private static func tls(
        to endpoint: Endpoint, showing credentials: Credentials, by provider: ProviderOptions,
        speaking versions: HTTPVersions = .http2
    ) throws(FanfareError) -> TLSClientSettings? {
        guard endpoint.usesTLS else {
            guard isLoopback(endpoint.host) else {
                throw FanfareError(
                    .configuration,
                    "\(endpoint) is not encrypted, which only a loopback address may be")
            }
            return nil
        }
        // Behind a proxy on another machine the loopback address is that machine's.
        if let proxy = provider.proxy, !provider.verifiesServer, !isLoopback(proxy.host) {
            throw FanfareError(
                .configuration,
                "\(.unverifiedServer) is for this machine only, and the proxy \(proxy.name) is "
                    + "another one. \(.caFile, any: "FILE") trusts a certificate of your own")
        }
        if !provider.verifiesServer, !isLoopback(endpoint.host) {
            throw FanfareError(
                .configuration,
                "\(.unverifiedServer) is for loopback addresses only; \(endpoint.host) "
                    + "is none. \(.caFile, any: "FILE") trusts a certificate of your own")
        }
        var settings = ClientTLSConfiguration()
        settings.caFile = provider.caFile
        settings.caPEM = provider.caPEM
        settings.verification = provider.verifiesServer ? .full : .none
        settings.offer(versions)
        return try told(\.jobError) { () throws(TLSError) in
            settings.identity = try identity(credentials)
            return TLSClientSettings(
                context: try TLSContext(client: settings), serverName: endpoint.host)
        }
    }

    static func identity(_ credentials: Credentials) throws(TLSError) -> TLSIdentity? {
        guard case .certificate(let file, let keyFile, let passphraseFile) = credentials else {
            return nil
        }
        let passphrase: Secret? =
            if let passphraseFile { try Secret(firstLineOfFile: passphraseFile) } else { nil }
        return try TLSIdentity.load(path: file, keyFile: keyFile, passphrase: passphrase)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || SocketAddress(host, port: 0)?.isLoopback == true
    }
}
