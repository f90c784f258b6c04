import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem
import FanfareTLS

/// FCM's side of a plan.
extension PreparedJob {
    /// The service of a project.
    static func fcm(
        _ provider: ProviderOptions, validates: Bool, project: String,
        templates: [NamedTemplate] = []
    ) -> FCM {
        let endpoint = provider.endpoint
        return FCM(
            FCM.Settings(
                scheme: endpoint.scheme, authority: endpoint.authority, project: project,
                validates: validates, validatesOnly: provider.validatesOnly,
                texts: templates.map { FCMFilledPlaces($0.json) }))
    }

    /// Reads the credentials, which name the project unless the configuration does.
    func fcmAccess(_ route: RoutePlan) throws(FanfareError) -> ProviderAccess {
        let provider = route.options
        let (credentials, project) = try Self.fcmCredentials(
            provider, patience: configuration.engine.giveUpAfter, seed: identity.bits)
        var access = ProviderAccess(
            service: Self.fcm(
                provider, validates: configuration.rows.validates, project: project,
                templates: route.templates),
            credentials: credentials)
        access.answerBytes = Limits.fcmAnswerBytes
        access.leastDelay = Limits.fcmRetryDelay
        access.firstDelay = Limits.fcmRetryDelay / 2
        access.delayMax = Limits.fcmRetryDelayMax
        return access
    }

    /// Reads the credentials of a route, and finds the project.
    /// - Parameters:
    ///   - provider: The route.
    ///   - patience: The time for which a token may be waited for.
    ///   - seed: The seed of random numbers.
    /// - Returns: The source of access tokens, `nil` without credentials; and the project.
    /// - Throws: `FanfareError` with code `configuration` or `input`.
    static func fcmCredentials(
        _ provider: ProviderOptions, patience: Duration, seed: UInt64
    ) throws(FanfareError) -> (source: (any CredentialSource)?, project: String) {
        let hints = GoogleHints(project: "\(.project)", accessTokenFile: "\(.accessToken)")
        var found: String?
        var file: String?
        var credentials: (any CredentialSource)?
        switch provider.credentials {
        case .none:
            break
        case .serviceAccount(let path):
            file = path
            let credential = try GoogleCredential.read(
                try Self.secret(path), file: path, hints: hints)
            if case .serviceAccount(let account) = credential { found = account.project }
            credentials = try AccessTokenSource(
                asking: .credential(credential), patience: patience, seed: seed
            ) { endpoint throws(FanfareError) in
                try Self.way(to: endpoint, by: provider)
            }
        case .accessToken(let path):
            file = path
            credentials = try AccessTokenSource(
                tokenFile: path, patience: patience, seed: seed)
        case .metadataServer(let host):
            let server = try MetadataServer(host: host)
            file = "the metadata server"
            if provider.project == nil { found = try MachineProject.ask(server) }
            credentials = try AccessTokenSource(
                asking: .credential(.machine(server)), patience: patience, seed: seed
            ) { ServiceWay(toMetadataServer: $0) }
        case .token, .certificate:
            throw FanfareError(
                .configuration,
                "FCM takes \(.serviceAccount), \(.accessToken) or \(.metadataServer), and no keys of "
                    + "APNs")
        }
        let project = try GoogleProject.chosen(
            given: provider.project, found: found, credential: file, hints: hints)
        return (credentials, project)
    }

    static func secret(_ path: String) throws(FanfareError) -> Secret {
        try told(\.jobError) { () throws(TLSError) in try Secret(wholeFile: path) }
    }
}

extension Configuration {
    /// The pace that a route's provider asks every sender to keep; `nil` for none, or where the job has
    /// chosen one.
    ///
    /// FCM takes 600,000 messages a minute from a project, and wants traffic to rise over a minute.
    /// https://firebase.google.com/docs/cloud-messaging/throttling-and-quotas
    func quota(of route: ProviderOptions) -> PaceSettings? {
        // With several routes the job's rate says nothing of this one.
        let isChosen = route.rate != nil || routes.count == 1 && engine.rate != nil
        if let declared = route.declared { return isChosen ? nil : declared.pace }
        guard route.provider == .fcm, route.endpoint == .fcm, !isChosen else { return nil }
        return PaceSettings(
            count: 10_000, period: Duration.seconds(1).wholeNanoseconds, burst: nil,
            ramp: Duration.seconds(60).wholeNanoseconds)
    }
}

extension Limits {
    /// The requests that FCM takes at a time on one connection.
    ///
    /// One more ends the connection with a GOAWAY. https://github.com/firebase/firebase-admin-java,
    /// ApacheHttp2Transport
    package static let fcmStreams = 100

    /// The bytes kept of an answer's body: a refusal is printed over many lines, and names its
    /// details.
    package static let fcmAnswerBytes = 8 * 1024

    /// The least wait before a message is sent to FCM again.
    ///
    /// https://firebase.google.com/docs/cloud-messaging/scale-fcm
    package static let fcmRetryDelay = Duration.seconds(10)

    /// The longest wait that chance adds to that.
    package static let fcmRetryDelayMax = Duration.seconds(1800)
}
