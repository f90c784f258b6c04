/// The proof of the sender in requests.
package enum DeclaredAuthorization: Equatable, Sendable {
    case none
    case header(DeclaredField)
    /// RFC 7617
    case basic(user: DeclaredText, password: DeclaredText)
    /// A token that another program keeps in a file.
    case bearerFile(DeclaredText)
    /// A service gives a token for credentials. RFC 6749 §4.4
    case clientCredentials(DeclaredExchange)
    /// The same in a form of the provider's own.
    case login(DeclaredExchange)
    /// The key file of a Google service account.
    case serviceAccount(file: DeclaredText, scope: String)
    case jwt(DeclaredJWT)
    case hmac(DeclaredHMAC)

    /// The word in files.
    package enum Kind: String, CaseIterable, Sendable {
        case none
        case header
        case basic
        case bearerFile = "bearer_file"
        case clientCredentials = "client_credentials"
        case serviceAccount = "service_account"
        case jwt
        case login
        case hmac
    }

    package var kind: Kind {
        switch self {
        case .none: .none
        case .header: .header
        case .basic: .basic
        case .bearerFile: .bearerFile
        case .clientCredentials: .clientCredentials
        case .serviceAccount: .serviceAccount
        case .jwt: .jwt
        case .login: .login
        case .hmac: .hmac
        }
    }

    /// True if the proof has an end, so that there can be a new one.
    package var isRenewable: Bool {
        switch self {
        case .none, .header, .basic, .hmac: false
        case .bearerFile, .clientCredentials, .login, .serviceAccount, .jwt: true
        }
    }

    /// The field that a token goes into; nil where requests bear none.
    package var tokenField: DeclaredField? {
        switch self {
        case .none, .header, .basic, .hmac: nil
        case .bearerFile, .serviceAccount: .bearer
        case .clientCredentials(let exchange), .login(let exchange): exchange.use
        case .jwt(let jwt): jwt.use
        }
    }
}

extension DeclaredField {
    /// The field that bears a token.
    ///
    /// RFC 6750 §2.1
    static let bearer = DeclaredField(
        "authorization",
        DeclaredText([.literal(Array("Bearer ".utf8)), .value(.token, fallback: nil)]))
}

/// A request for a token.
package struct DeclaredExchange: Equatable, Sendable {
    package enum Encoding: String, CaseIterable, Sendable {
        case form
        case json
    }

    /// The content of a field of the request.
    package enum Value: Equatable, Sendable {
        case text(DeclaredText)
        /// A digest of texts, one behind the other, in small hexadecimal digits.
        case digest(Digest, [DeclaredText])
    }

    package enum Digest: String, CaseIterable, Sendable {
        case sha256
        case md5
    }

    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: Value

        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    package enum Lifetime: Equatable, Sendable {
        case fixed(Duration)
        /// A number of seconds in the answer.
        case seconds(JSONPointer)
    }

    package var url: DeclaredText
    package var encoding: Encoding
    package var fields: [Field]
    /// The place of the token in the answer.
    package var token: JSONPointer
    package var lifetime: Lifetime
    /// The field of requests that has the token.
    package var use: DeclaredField
}

/// A token that is signed here. RFC 7519
package struct DeclaredJWT: Equatable, Sendable {
    package enum Algorithm: String, CaseIterable, Sendable {
        case rs256 = "RS256"
        case ps256 = "PS256"
        case es256 = "ES256"
    }

    package var algorithm: Algorithm
    /// The setting that holds the private key.
    package var key: Int
    /// Members of its header besides `alg` and `typ`.
    package var header: [DeclaredMember]
    /// Its claims besides `iat` and `exp`.
    package var claims: [DeclaredMember]
    package var lifetime: Duration
    package var use: DeclaredField
}

/// A signature of each request. RFC 2104
package struct DeclaredHMAC: Equatable, Sendable {
    /// The notation of the key.
    package enum KeyForm: String, CaseIterable, Sendable {
        case text
        case hex
        case base64
        /// `whsec_` and Base64, as Standard Webhooks have it.
        case webhookSecret = "whsec"
    }

    /// The notation of the signature.
    package enum Form: String, CaseIterable, Sendable {
        case hex
        case base64
        /// The Base64 of the hexadecimal digits.
        case base64OfHex = "base64-of-hex"
    }

    package var key: DeclaredText
    /// The key for rows without one of their own; nil if each row needs one.
    package var usualKey: DeclaredText?
    package var keyForm: KeyForm
    /// The texts that are signed, one behind the other.
    package var over: [DeclaredText]
    package var form: Form
    /// The text before the signature.
    package var prefix: String
    /// The field that has the signature, in small letters.
    package var field: String
    /// Fields that the signature is about.
    package var also: [DeclaredField]
}
