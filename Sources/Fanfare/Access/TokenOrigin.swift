import FanfareBase
import FanfareTLS

/// The origin of a route's access tokens.
enum TokenOrigin: Sendable {
    case credential(GoogleCredential)
    case file(TokenFile)
    /// The token service of a provider that a file describes.
    case described(DescribedTokenService)

    /// Requests a token; the second value is the account's name for messages.
    typealias Ask = (TokenRequest, String) -> TokenAnswer

    /// The account's name for messages.
    var name: String {
        switch self {
        case .credential(let credential): credential.name
        case .file(let file): file.path
        case .described(let service): service.provider
        }
    }

    /// The likely fault if the provider calls new tokens expired.
    var suspicion: Statement {
        switch self {
        case .credential, .file: "is it an account of the project?"
        case .described(let service): "are \(service.account) those of the service?"
        }
    }

    /// Whom credentials are shown to.
    var endpoints: [Endpoint] {
        switch self {
        case .credential(let credential): credential.endpoints
        case .file: []
        case .described(let service): [service.endpoint]
        }
    }

    /// Returns the next token.
    /// - Parameters:
    ///   - now: UNIX seconds.
    ///   - ask: Asks a token service.
    /// - Returns: The token, or the reason why there is none.
    mutating func next(now: Int64, _ ask: Ask) -> TokenAnswer {
        switch self {
        case .credential(.serviceAccount(let account)):
            do throws(FanfareError) {
                return ask(try account.tokenRequest(now: now), account.email)
            } catch {
                return .permanent(error.statement)
            }
        case .credential(.externalAccount(let account)):
            return Self.next(account, ask)
        case .credential(.machine(let server)):
            return ask(server.tokenRequest, "this machine")
        case .file(var file):
            let answer = file.next()
            self = .file(file)
            return answer
        case .described(let service):
            do throws(FanfareError) {
                return ask(try service.request(now: now), service.account)
            } catch {
                return .permanent(error.statement)
            }
        }
    }

    /// True if a new token comes without being asked for: the origin is to be looked at now and then.
    var isWatched: Bool {
        if case .file = self { return true }
        return false
    }

    /// Returns a token that has come without being asked for, if there is one.
    mutating func newer() -> AccessToken? {
        guard case .file(var file) = self else { return nil }
        let token = file.newer()
        self = .file(file)
        return token
    }

    private static func next(_ account: ExternalAccount, _ ask: Ask) -> TokenAnswer {
        // Each time: who writes it puts a new one there long before the old one has expired.
        let content: Secret
        do throws(TLSError) {
            content = try Secret(wholeFile: account.tokenFile)
        } catch {
            return .temporary(error.statement, wish: nil)
        }
        let subject: Secret
        do throws(FanfareError) {
            subject = try account.subjectToken(content)
        } catch {
            return .temporary(error.statement, wish: nil)
        }
        let answer = ask(account.exchangeRequest(subject), account.tokenFile)
        guard case .granted(let exchanged) = answer,
            let request = account.impersonationRequest(exchanged)
        else { return answer }
        return ask(request, account.name)
    }
}
