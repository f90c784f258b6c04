package import FanfareBase
package import FanfareTLS

/// The advice in messages about credentials of Google's, in names that the reader knows.
package struct GoogleHints: Sendable {
    /// The setting that names a project.
    package let project: Statement
    /// The setting that names a file with an access token.
    package let accessTokenFile: Statement

    package init(project: Statement, accessTokenFile: Statement) {
        self.project = project
        self.accessTokenFile = accessTokenFile
    }
}

/// The proof of identity for requesting access tokens from Google.
package enum GoogleCredential: Sendable {
    case serviceAccount(ServiceAccount)
    case externalAccount(ExternalAccount)
    /// The machine itself, which has an account in Google's cloud.
    case machine(MetadataServer)

    /// The account's name for messages.
    package var name: String {
        switch self {
        case .serviceAccount(let account): account.email
        case .externalAccount(let account): account.name
        case .machine: "this machine"
        }
    }

    /// The endpoints that see it.
    package var endpoints: [Endpoint] {
        switch self {
        case .serviceAccount(let account): [account.endpoint]
        case .externalAccount(let account): account.endpoints
        case .machine(let server): [server.endpoint]
        }
    }

    /// The same, for tokens that are good for something else than FCM.
    /// - Parameter scope: The scope of its tokens.
    /// - Returns: The credential; that of a machine as it is.
    func asking(for scope: String) -> GoogleCredential {
        switch self {
        case .serviceAccount(var account):
            account.scope = scope
            return .serviceAccount(account)
        case .externalAccount(var account):
            account.scope = scope
            return .externalAccount(account)
        case .machine: return self
        }
    }

    /// Reads a credential file.
    /// - Parameters:
    ///   - content: The whole file.
    ///   - file: Its name.
    ///   - hints: The advice for messages.
    /// - Returns: The credential.
    /// - Throws: `FanfareError.Code.configuration`, which says what the file is instead and where
    ///   to get the right one.
    package static func read(
        _ content: Secret, file: String, hints: GoogleHints
    ) throws(FanfareError) -> GoogleCredential {
        let names = ["type"] + ServiceAccount.members + ExternalAccount.members + marks.map(\.name)
        let found = unsafe content.withBytes { unsafe SecretMembers($0, names.distinct) }
        guard let found else {
            let what = unsafe content.withBytes { unsafe WrongFile.kind($0) }
            throw FanfareError(.configuration, "\(file) \(what); \(advice)")
        }
        switch found.string("type") {
        case "service_account":
            return .serviceAccount(try ServiceAccount(found, file: file))
        case "external_account":
            return .externalAccount(try ExternalAccount(found, file: file, hints: hints))
        case "authorized_user", "external_account_authorized_user":
            throw FanfareError(
                .configuration,
                "\(file) is a person's login, as gcloud keeps it; \(advice), or let gcloud write a "
                    + "token ('gcloud auth print-access-token') and give \(hints.accessTokenFile)")
        case "impersonated_service_account":
            throw FanfareError(
                .configuration,
                "\(file) is a person's login that acts as a service account; \(advice), or let "
                    + "gcloud write a token ('gcloud auth print-access-token') and give "
                    + "\(hints.accessTokenFile)")
        case let type?:
            throw FanfareError(
                .configuration,
                "\(file) is a credential of the type '\(TerminalText.shown(type, max: 40))', which "
                    + "Fanfare does not know; \(advice)")
        case nil:
            let mark = marks.first { found.has($0.name) }
            throw FanfareError(
                .configuration,
                "\(file) \(mark?.what ?? "is JSON, but no credential of Google's"); \(advice)")
        }
    }

    private static let advice =
        "a service account's key comes from the Firebase console: Project settings, Service accounts, "
        + "Generate new private key"

    /// Members that only other files have.
    private static let marks: [(name: String, what: String)] = [
        ("project_info", "is google-services.json, which Android apps are built with"),
        ("installed", "is the client of an OAuth application (client_secret…json)"),
        ("web", "is the client of an OAuth application (client_secret…json)"),
        ("apiKey", "is the configuration of a web app, with an API key"),
        ("api_key", "is an API key"), ("keyString", "is an API key"),
        ("private_key", "has a key, but no 'type'; it is not the whole file that Google gave"),
        ("access_token", "is an access token"),
    ]
}

/// The kind of a file that is no JSON object.
private enum WrongFile {
    static func kind(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        func begins(_ text: String) -> Bool { unsafe bytes.starts(with: text.utf8) }
        if bytes.isEmpty { return "is empty" }
        if begins("AIza") { return "is an API key" }
        // FCM's old service, which its HTTP v1 has replaced, took such keys.
        if begins("AAAA") { return "is a server key of the old FCM, which no longer serves" }
        if begins("ya29.") { return "is an access token" }
        if begins("-----BEGIN ") { return "is a key or a certificate alone" }
        if begins("<?xml") || begins("<!DOCTYPE plist") || begins("bplist") {
            return "is GoogleService-Info.plist, which apps for iOS are built with"
        }
        // A sequence of ASN.1, as PKCS#12 is.
        if unsafe bytes.starts(with: [0x30, 0x82]) {
            return "is a key in the old form P12"
        }
        let ends = ["\n", "\r\n"].map { Array("PRIVATE KEY-----\($0)".utf8) }
        if begins("{"), ends.contains(where: { unsafe bytes.contains($0) }) {
            return
                #"is not JSON: its 'private_key' has line ends where \n in two characters should stand"#
        }
        return "is not JSON, or it is cut off"
    }
}
