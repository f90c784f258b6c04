import FanfareBase
import FanfareCore
package import FanfareTLS

/// An identity of another cloud that Google trusts (workload identity federation), with its token in a file.
///
/// The token is exchanged for one of Google's, and that one, where an account is named, for the account's.
///
/// RFC 8693, https://google.aip.dev/auth/4117
package struct ExternalAccount: Sendable {
    /// The file that has the other cloud's token.
    package let tokenFile: String
    private let audience: String
    private let tokenType: String
    /// The member that has the token, in a file of JSON.
    private let tokenMember: String?
    private let exchangeURL: GoogleURL
    private let impersonationURL: GoogleURL?
    private let lifeSeconds: Int64
    /// The scope of its tokens.
    var scope = TokenRequest.scope

    /// The names of the file's members.
    static let members = [
        "audience", "subject_token_type", "token_url", "service_account_impersonation_url",
        "service_account_impersonation.token_lifetime_seconds", "client_id",
        "workforce_pool_user_project", "credential_source.file", "credential_source.format.type",
        "credential_source.format.subject_token_field_name", "credential_source.url",
        "credential_source.environment_id", "credential_source.executable",
        "credential_source.certificate", "universe_domain",
    ]

    /// The sources that are not supported, with their names for people.
    private static let otherSources = [
        ("credential_source.url", "a URL"), ("credential_source.environment_id", "AWS"),
        ("credential_source.executable", "a program"),
        ("credential_source.certificate", "a certificate"),
    ]

    /// The scope that allows the token of an account to act as another account.
    private static let impersonationScope = "https://www.googleapis.com/auth/iam"

    /// Takes the members of a credential file.
    /// - Throws: `FanfareError.Code.configuration`.
    init(_ members: SecretMembers, file: String, hints: GoogleHints) throws(FanfareError) {
        func required(_ name: String) throws(FanfareError) -> String {
            guard let text = members.string(name), !text.isEmpty else {
                throw FanfareError(
                    .configuration,
                    "\(file) has no '\(name)'; make it again with "
                        + "'gcloud iam workload-identity-pools create-cred-config'")
            }
            return text
        }
        try ServiceAccount.checkUniverse(members, file: file)
        for (name, source) in Self.otherSources where members.has(name) {
            throw FanfareError(
                .configuration,
                "\(file) takes its token from \(source), which Fanfare does not; have it written to "
                    + "a file (credential_source.file), or give \(hints.accessTokenFile)")
        }
        for name in ["client_id", "workforce_pool_user_project"] where members.has(name) {
            throw FanfareError(
                .configuration,
                "\(file) is for people (it has '\(name)'), not for workloads; give a service "
                    + "account's key, or \(hints.accessTokenFile)")
        }
        tokenFile = try required("credential_source.file")
        audience = try required("audience")
        tokenType = try required("subject_token_type")
        exchangeURL = try GoogleURL(try required("token_url"), member: "token_url", file: file)
        let impersonation = "service_account_impersonation_url"
        impersonationURL =
            members.has(impersonation)
            ? try GoogleURL(try required(impersonation), member: impersonation, file: file) : nil
        lifeSeconds = try Self.lifeSeconds(members, file: file)
        switch members.string("credential_source.format.type") ?? "text" {
        case "text": tokenMember = nil
        case "json":
            tokenMember = try required("credential_source.format.subject_token_field_name")
        case let type:
            throw FanfareError(
                .configuration,
                "\(file): the format of the token's file is '\(TerminalText.shown(type, max: 40))', "
                    + "and Fanfare knows text and json")
        }
    }

    private static func lifeSeconds(
        _ members: SecretMembers, file: String
    ) throws(FanfareError) -> Int64 {
        let name = "service_account_impersonation.token_lifetime_seconds"
        guard members.has(name) else { return 3600 }
        // Google allows this range.
        guard let seconds = members.integer(name), (600...43_200).contains(seconds) else {
            throw FanfareError(
                .configuration, "\(file): '\(name)' has to be a number from 600 to 43200")
        }
        return seconds
    }

    /// Returns the file of the other cloud's token that a credential file names; `nil` if it is of another kind,
    /// or faulty.
    package static func tokenFile(namedBy path: String) -> String? {
        let hints = GoogleHints(project: "", accessTokenFile: "")
        guard let content = try? Secret(wholeFile: path),
            let credential = try? GoogleCredential.read(content, file: path, hints: hints),
            case .externalAccount(let account) = credential
        else { return nil }
        return account.tokenFile
    }

    /// The endpoints that see its tokens.
    package var endpoints: [Endpoint] {
        [exchangeURL, impersonationURL].compactMap { $0?.endpoint }
    }

    /// The name of the account that finally acts: the account, or the identity itself.
    package var name: String {
        guard let impersonationURL else { return audience }
        let last = impersonationURL.path.split(separator: "/").last.map(String.init)
        return last?.parts(at: ":")?.0 ?? audience
    }

    /// Takes the other cloud's token out of its file.
    /// - Parameter content: The whole file.
    /// - Returns: The token.
    /// - Throws: `FanfareError.Code.configuration`.
    package func subjectToken(_ content: Secret) throws(FanfareError) -> Secret {
        guard let tokenMember else { return try TokenText.only(content, file: tokenFile) }
        let found = unsafe content.withBytes { unsafe SecretMembers($0, [tokenMember]) }
        guard let token = found?.secret(tokenMember), token.count > 0 else {
            throw FanfareError(
                .configuration,
                "\(tokenFile) is no JSON with a text '\(TerminalText.shown(tokenMember, max: 40))', "
                    + "which the token should be")
        }
        return token
    }

    /// The request that exchanges the other cloud's token.
    package func exchangeRequest(_ subjectToken: Secret) -> TokenRequest {
        let scope = impersonationURL == nil ? self.scope : Self.impersonationScope
        let form = FormText.encoded([
            ("grant_type", Secret("urn:ietf:params:oauth:grant-type:token-exchange")),
            ("audience", Secret(audience)),
            ("scope", Secret(scope)),
            ("requested_token_type", Secret("urn:ietf:params:oauth:token-type:access_token")),
            ("subject_token", subjectToken),
            ("subject_token_type", Secret(tokenType)),
        ])
        return TokenRequest(
            .exchange, endpoint: exchangeURL.endpoint, path: exchangeURL.path,
            fields: [("content-type", Secret(FormText.contentType))], body: form)
    }

    /// The request that makes the account's token of the exchanged one; nil if no account is named, and the
    /// exchanged one serves.
    package func impersonationRequest(_ exchanged: AccessToken) -> TokenRequest? {
        guard let impersonationURL else { return nil }
        var body = ByteBuffer()
        body.append(#"{"delegates":null,"scope":["#)
        body.appendJSONString(scope)
        body.append("],\"lifetime\":\"\(lifeSeconds)s\"}")
        return TokenRequest(
            .impersonation, endpoint: impersonationURL.endpoint, path: impersonationURL.path,
            fields: [
                ("content-type", Secret("application/json")),
                ("authorization", exchanged.authorization),
            ], body: unsafe Secret(body.bytes))
    }
}
