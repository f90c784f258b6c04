import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareSystem
import FanfareTLS

/// The side of a plan that is about providers that files describe.
extension PreparedJob {
    /// Returns the service of a description.
    /// - Parameters:
    ///   - options: The route, with the description and the values of its settings.
    ///   - identity: The identity of the job.
    ///   - schema: The places of columns' values in a row.
    ///   - filling: The values of the job's message for its columns.
    /// - Returns: The service, which makes requests of the route's rows.
    /// - Throws: `FanfareError` with code `configuration` about a value that it cannot send.
    static func declared(
        _ options: ProviderOptions, identity: JobIdentity, schema: RowSchema,
        filling: MessageFilling?
    ) throws(FanfareError) -> DeclaredService {
        guard let declared = options.declared else {
            throw FanfareError(
                .configuration,
                message: "\(options.provider.rawValue) is described by a file; "
                    + "ProviderOptions.declared(_:settings:secretFiles:) reads it")
        }
        let provider = declared.provider
        let token = RowSchema.Known.token.slot
        var slots: [Int] = []
        for (index, column) in provider.columns.enumerated() {
            let slot = index == provider.token.column ? token : schema.slot(named: column)
            guard let slot else { preconditionFailure("BUG: no slot for \(column)") }
            slots.append(slot)
        }
        return try DeclaredService(
            declared,
            DeclaredService.Settings(
                scheme: options.endpoint.scheme, authority: options.endpoint.authority,
                job: identity.text, slots: slots,
                filled: try filling?.compiled(columns: slots.count, schema),
                validatesOnly: options.validatesOnly),
            unixMilliseconds: { WallClock.milliseconds })
    }

    /// The columns that rows have to have for providers that files describe.
    static func requiredColumns(
        ofDescriptions configuration: Configuration
    ) throws(FanfareError) -> [(column: String, by: Statement)] {
        var required: [(column: String, by: Statement)] = []
        for route in configuration.routes {
            guard let declared = route.declared else { continue }
            let filling = try configuration.filling(of: route)
            let filled = filling?.values.map { declared.provider.columns[$0.column] } ?? []
            let hasPayload = filling?.hasPayload ?? (configuration.payload(of: route) != .column)
            for column in declared.requiredColumns(hasPayload: hasPayload)
            where !filled.contains(column) {
                required.append((column, by: Self.want(of: declared.provider.name, column)))
            }
        }
        return required
    }

    private static func want(of name: String, _ column: String) -> Statement {
        guard let field = MessageField(rawValue: column), field != .priority else {
            return "\(name) wants"
        }
        return "\(name) wants where no message fills it"
    }

    /// Returns the access of a lane to a service that a file describes.
    func declaredAccess(_ route: RoutePlan) throws(FanfareError) -> ProviderAccess {
        guard let declared = route.options.declared else {
            preconditionFailure("BUG: a described provider without its description")
        }
        guard !route.options.validatesOnly else { return ProviderAccess(service: route.service) }
        try Self.checkCanBeSent(declared)
        try Self.checkProxy(route.options)
        var access = ProviderAccess(
            service: route.service, credentials: try credentials(of: declared, route.options))
        access.answerBytes =
            declared.provider.batch == nil
            ? Limits.declaredAnswerBytesKept : Limits.declaredAnswerBytesMax
        return access
    }

    /// Refuses settings that a job cannot apply to a description, before the first row.
    private static func checkCanBeSent(_ declared: DeclaredOptions) throws(FanfareError) {
        let (provider, name) = (declared.provider, declared.provider.name)
        if let secret = declared.settings.missingSecrets(of: provider).first {
            throw FanfareError(
                .configuration,
                "\(name) needs the secret \(secret), which has no value; give the file that has it: "
                    + "\(.secrets, of: secret, is: "@FILE")")
        }
    }

    private func credentials(
        of declared: DeclaredOptions, _ route: ProviderOptions
    ) throws(FanfareError) -> (any CredentialSource)? {
        let provider = declared.provider
        let renderer = declared.renderer(milliseconds: WallClock.milliseconds)
        switch provider.authorization {
        case .none, .hmac: return nil
        case .header, .basic:
            // A value that cannot stand in a field is reported before the first row, and not for
            // each.
            var request = DeclaredRequest.empty
            try Self.proving(provider) { () throws(RequestProof.Fault) in
                try RequestProof(renderer, declared.settings).add(to: &request, of: NoRow())
            }
            return nil
        case .bearerFile(let path):
            return try AccessTokenSource(
                tokenFile: try Self.text(path, renderer),
                patience: configuration.engine.giveUpAfter, seed: identity.bits)
        case .jwt(let jwt):
            // A key that cannot be used, too.
            try Self.proving(provider) { () throws(RequestProof.Fault) in
                _ = try RequestProof(renderer, declared.settings).token(jwt)
            }
            return Self.signedTokens(jwt, declared)
        case .clientCredentials(let exchange), .login(let exchange):
            return try describedTokens(exchange, of: declared, by: route)
        case .serviceAccount(let path, let scope):
            return try accountTokens(
                keyFile: try Self.text(path, renderer), scope: scope, by: route)
        }
    }

    /// A text of settings alone.
    fileprivate static func text(
        _ text: DeclaredText, _ renderer: DeclaredRenderer
    ) throws(FanfareError) -> String {
        try proving(renderer.provider) { () throws(RequestProof.Fault) in
            do throws(DeclaredRowProblem) {
                return String(decoding: try renderer.bytes(of: text, NoRow()), as: UTF8.self)
            } catch {
                throw .row(error)
            }
        }
    }

    private static func proving<R>(
        _ provider: DeclaredProvider, _ body: () throws(RequestProof.Fault) -> R
    ) throws(FanfareError) -> R {
        try told({ FanfareError(.configuration, message: "\(provider.name): \($0.text)") }, body)
    }

    private static func signedTokens(
        _ jwt: DeclaredJWT, _ declared: DeclaredOptions
    ) -> SignedTokenSource {
        SignedTokenSource(
            declared.provider.name, life: jwt.lifetime,
            unixSeconds: { WallClock.milliseconds / 1000 }
        ) { seconds throws(TLSError) in
            let renderer = declared.renderer(milliseconds: seconds * 1000)
            do throws(RequestProof.Fault) {
                let token = try RequestProof(renderer, declared.settings).token(jwt)
                return String(decoding: token, as: UTF8.self)
            } catch {
                throw .invalidValue(error.text)
            }
        }
    }
}

extension Configuration {
    /// Returns the configuration with the descriptions' settings for columns and payloads.
    /// - Throws: `FanfareError` with code `configuration` about a setting that a described provider
    ///   has no place for.
    func withDescriptions() throws(FanfareError) -> Configuration {
        var configuration = self
        for (index, route) in routes.enumerated() {
            configuration.routes[index].declared = try route.declaredForHosts()
            guard let declared = route.declared else { continue }
            let (provider, name) = (declared.provider, declared.provider.name)
            let given = route.payload ?? payload
            if given.isTemplate, route.payload != nil || routes.count == 1, !declared.takesPayload {
                throw FanfareError(
                    .configuration,
                    message:
                        "\(given.name): \(name) has no place for a payload: what is sent is said by its "
                        + "description, with values of the rows' columns or of a message"
                        + (provider.columns.isEmpty
                            ? "" : ": \(provider.columns.joined(separator: ", "))"))
            }
            let token = RowSchema.Known.token.name
            let column = provider.tokenColumn
            // With several providers all tokens are in one column.
            if routes.count == 1, column != token, rows.mapping[token] == nil {
                configuration.rows.mapping[token] = column
            }
        }
        return configuration
    }
}

extension Configuration {
    /// Returns the configuration with dots in place of descriptions' secrets, for code that shows
    /// payloads and sends nothing.
    func withoutSecrets() -> Configuration {
        var configuration = self
        for index in routes.indices {
            guard let declared = routes[index].declared else { continue }
            configuration.routes[index].declared = DeclaredOptions(
                file: declared.file,
                settings: declared.settings.maskedForCheck(of: declared.provider))
        }
        return configuration
    }
}

extension EngineOptions {
    /// The time for one attempt, which a description may name where the job does not.
    func timeout(of route: ProviderOptions) -> Duration {
        guard timeout == EngineOptions().timeout else { return timeout }
        return route.declared?.provider.request.timeout ?? timeout
    }
}

extension DeclaredOptions {
    /// The versions of HTTP that it may speak.
    var versions: HTTPVersions {
        switch provider.transport {
        case .automatic: .either
        case .http2: .http2
        case .http1: .http1
        }
    }

    /// The most requests that the service takes at once; `nil` where the file does not say.
    var inFlightMax: Int? { provider.pace.inFlight }

    /// The fields in which the service counts the requests that it still takes; `nil` where the file names
    /// none.
    var quota: QuotaFields? {
        guard let remaining = provider.pace.remainingField, let reset = provider.pace.resetField
        else { return nil }
        return QuotaFields(remaining: remaining, reset: reset)
    }

    /// The columns that a row has to have, without one that a payload of the job's fills.
    func requiredColumns(hasPayload: Bool) -> [String] {
        provider.requiredColumns.filter { !hasPayload || $0 != RowSchema.Known.payload.name }
    }

    /// The columns of the file, but for the token's.
    var valueColumns: [String] {
        provider.columns.enumerated().filter { $0.offset != provider.token.column }.map(\.element)
    }

    /// The rows of a full request.
    var rowsOfRequest: Int { provider.batch?.rowsMax ?? 1 }

    /// True if the file's pace is one of requests, regardless of their rows.
    ///
    /// A job that may get another rate counts rows in place of it.
    package var pacesRequests: Bool {
        provider.pace.rowsPerSecond == nil && provider.pace.requestsPerSecond != nil
    }

    /// The pace that the file asks every sender to keep; `nil` for none.
    var pace: PaceSettings? {
        let rates = [provider.pace.rowsPerSecond, provider.pace.requestsPerSecond]
        let slowest = rates.compactMap(\.self).min { $0.perSecond < $1.perSecond }
        guard let rate = slowest else { return nil }
        return PaceSettings(
            count: Int64(rate.count), period: Duration.seconds(rate.seconds).wholeNanoseconds,
            burst: provider.pace.burst.map { Int64($0) },
            ramp: provider.pace.ramp.wholeNanoseconds, startsFull: provider.pace.burst != nil)
    }
}

extension Configuration {
    /// The pace that the file of a described provider asks for and the job keeps, in words and in rows of full
    /// requests; `nil` for none.
    package func filePace(of route: ProviderOptions) -> (words: String, rate: SendingRate)? {
        guard let declared = route.declared, let pace = quota(of: route) else { return nil }
        let isOfRequests = declared.pacesRequests && engine.rate == nil
        let count = NumberText.grouped(UInt64(pace.count))
        let seconds = pace.period / Duration.seconds(1).wholeNanoseconds
        let words =
            "\(declared.provider.name) asks for \(count) \(isOfRequests ? "request" : "row")"
            + "\(pace.count == 1 ? "" : "s") \(seconds == 1 ? "a second" : "in \(seconds) seconds")"
            + (pace.startsFull ? " after \(NumberText.grouped(UInt64(pace.burst))) at once" : "")
        let rows = Int(pace.count) * (isOfRequests ? declared.rowsOfRequest : 1)
        return (words, SendingRate(rows, per: .seconds(seconds)))
    }

    /// The paces that the files of described providers ask for and the job keeps, in words.
    package var filePaces: [String] { routes.compactMap { filePace(of: $0)?.words } }
}

extension Configuration {
    /// The paths of the files that the descriptions of providers name: those with tokens, and those of Google
    /// accounts.
    ///
    /// A path whose settings make none is left out: the job says so itself.
    package var describedSecretFiles: (tokens: [String], accounts: [String]) {
        var files: (tokens: [String], accounts: [String]) = ([], [])
        for route in routes {
            guard let declared = route.declared else { continue }
            switch declared.provider.authorization {
            case .bearerFile(let path):
                if let path = try? PreparedJob.text(path, declared.renderer()) {
                    files.tokens.append(path)
                }
            case .serviceAccount(let path, _):
                if let path = try? PreparedJob.text(path, declared.renderer()) {
                    files.accounts.append(path)
                }
            case .none, .header, .basic, .hmac, .jwt, .clientCredentials, .login: break
            }
        }
        return files
    }
}

extension Limits {
    /// The bytes kept of the body of an answer about one row: an error page has fewer.
    static let declaredAnswerBytesKept = 64 * 1024

    /// The bytes waited for of the body of an answer.
    ///
    /// More than is kept, so that a long page of errors leaves its connection in order, and so few that a host
    /// which rows name costs a job nothing with a body without end. A stream of HTTP/2 is canceled when half of
    /// its window has come, which is twice as much.
    static let declaredAnswerBytesWaited: UInt64 = 4 * 1024 * 1024
}
