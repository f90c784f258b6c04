import FanfareBase
import FanfareJSON
import FanfareTLS

/// Google's endpoint for access tokens: a signed assertion for a bearer.
package struct TokenEndpoint: Sendable {
    private let account: SimulatedAccount?
    private let tokens: AccessTokens
    private let configuration: FCMConfiguration

    /// - Parameters:
    ///   - account: The account whose assertions are accepted; nil if there is none.
    ///   - tokens: The maker of the tokens.
    ///   - configuration: The service's configuration.
    package init(
        account: SimulatedAccount?, tokens: AccessTokens, configuration: FCMConfiguration
    ) {
        self.account = account
        self.tokens = tokens
        self.configuration = configuration
    }

    /// Answers a request's body.
    /// - Parameters:
    ///   - body: A form.
    ///   - origin: Scheme and authority of the request, which an assertion may be meant for.
    ///   - unixMilliseconds: The time of day.
    ///   - number: The request's number, so that no two tokens are equal.
    /// - Returns: A token, or why there is none.
    package func answer(
        _ body: UnsafeBufferPointer<UInt8>, origin: String, unixMilliseconds: UInt64,
        number: UInt64
    ) -> GoogleAnswer {
        do throws(OAuthRefusal) {
            let form = unsafe FormText(String(decoding: body, as: UTF8.self))
            let scopes = try scopes(
                of: form, origin: origin, unixSeconds: Int64(unixMilliseconds / 1000))
            let apis = "https://www.googleapis.com/auth/"
            guard scopes.allSatisfy({ $0.hasPrefix(apis) }) else { return idToken(for: scopes) }
            let grant = AccessTokens.Grant(
                expiresAt: unixMilliseconds
                    + UInt64(configuration.tokenLife.wholeNanoseconds / 1_000_000),
                mayMessage: scopes.contains {
                    ["firebase.messaging", "cloud-platform", "firebase"].map { apis + $0 }
                        .contains($0)
                }, number: number)
            let promised = configuration.promisedTokenLife ?? configuration.tokenLife
            return GoogleAnswer(
                status: 200,
                .object([
                    .init("access_token", tokens.token(for: grant)),
                    .init("expires_in", .number(Int(promised.components.seconds))),
                    .init("token_type", "Bearer"),
                ]), isPretty: false)
        } catch {
            return error.answer
        }
    }

    /// Checks a form in the order of the real endpoint.
    /// - Returns: The scopes that the assertion requests.
    private func scopes(
        of form: FormText, origin: String, unixSeconds: Int64
    ) throws(OAuthRefusal) -> [String] {
        guard let type = form["grant_type"], !type.isEmpty else { throw .missing("grant_type") }
        guard type == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            throw OAuthRefusal("unsupported_grant_type", "Invalid grant_type: \(type)")
        }
        guard let text = form["assertion"], !text.isEmpty else { throw .missing("assertion") }
        guard let assertion = Assertion(text) else {
            throw OAuthRefusal("invalid_request", "Bad Request")
        }
        guard let account, assertion.header["alg"] == .string("RS256"),
            assertion.header["kid"].map({ $0 == .string(account.keyID) }) ?? true,
            account.verifier.isValid(assertion.signature, of: assertion.signed)
        else { throw OAuthRefusal("invalid_grant", "Invalid JWT Signature.") }
        guard assertion.claims["iss"] == .string(account.email) else {
            throw OAuthRefusal("invalid_grant", "Invalid grant: account not found")
        }
        guard let issuedAt = assertion.seconds("iat") else {
            throw OAuthRefusal("invalid_grant", "Invalid JWT: iat (issued at) is not set.")
        }
        guard let expiresAt = assertion.seconds("exp") else {
            throw OAuthRefusal("invalid_grant", "Invalid JWT: exp (expiration time) is not set.")
        }
        // The real limit for clocks that are ahead is not known; it is not large, since clients
        // backdate.
        guard issuedAt <= unixSeconds, expiresAt > unixSeconds,
            expiresAt - issuedAt <= Limits.simulatorAssertionSeconds
        else { throw .unreasonableTime }
        guard case .string(let scope)? = assertion.claims["scope"],
            case let scopes = scope.split(separator: " ").map(String.init), !scopes.isEmpty
        else {
            throw OAuthRefusal(
                "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        let audiences = ["https://oauth2.googleapis.com/token", origin + "/token"]
        guard case .string(let audience)? = assertion.claims["aud"], audiences.contains(audience)
        else { throw OAuthRefusal("invalid_grant", "Invalid JWT: Failed audience check.") }
        return scopes
    }

    /// Returns the answer to scopes that are well formed and no API's: an identity token, without
    /// access.
    private func idToken(for scopes: [String]) -> GoogleAnswer {
        let claims = GoogleJSON.object([
            .init("iss", "https://accounts.google.com"),
            .init("aud", scopes.joined(separator: " ")), .init("email", account?.email ?? ""),
        ])
        let header = GoogleJSON.object([.init("alg", "RS256"), .init("typ", "JWT")])
        let parts = [header, claims].map { Base64URL.encode($0.bytes(isPretty: false)) }
        // The signature is none: the token only shows that there is no access.
        let text = (parts + [Base64URL.encode("simulated".utf8)]).joined(separator: ".")
        return GoogleAnswer(
            status: 200, .object([.init("id_token", text)]), isPretty: false)
    }
}

/// A JSON Web Token in its parts. RFC 7515 §7.1
private struct Assertion {
    let header: JSONValue
    let claims: JSONValue
    let signature: [UInt8]
    /// The bytes that the signature covers.
    let signed: [UInt8]

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2].utf8)
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(part.utf8),
            let value = try? JSONValue.parse(bytes),
            case .object = value
        else { return nil }
        return value
    }

    /// A claim that is a time, as a number or as its digits.
    func seconds(_ name: String) -> Int64? {
        switch claims[name] {
        case .integer(let seconds): seconds
        case .number(let seconds, _): Int64(exactly: seconds.rounded(.down))
        case .string(let digits): Int64(digits)
        case .null, .bool, .array, .object, nil: nil
        }
    }
}
