package import FanfareBase

/// A question to a service that gives out access tokens.
package enum TokenQuestion: Equatable, Sendable {
    /// A service account's assertion for a token. RFC 7523
    case assertion
    /// The token of another cloud for one of Google's. RFC 8693
    case exchange
    /// The token of one account for that of another one.
    case impersonation
    /// The machine's own token, of the metadata server.
    case metadata
    /// A service account's assertion for a token with the scope of a provider that a file describes.
    case describedAssertion
    /// Credentials for a token, as a file describes it.
    case described(DescribedToken)
}

/// The description of the answer that brings a token.
package struct DescribedToken: Equatable, Sendable {
    /// The place of the token.
    package var token: JSONPointer
    package var lifetime: DeclaredExchange.Lifetime

    package init(token: JSONPointer, lifetime: DeclaredExchange.Lifetime) {
        self.token = token
        self.lifetime = lifetime
    }
}

/// The reason why there is no access token.
package enum TokenFault: Equatable, Sendable, CaseIterable {
    /// The key has been revoked, or is not the account's.
    case wrongSignature
    case accountGone
    /// The times of the assertion are not near those of the server.
    case wrongTime
    /// Fanfare has sent a wrong request.
    case wrongRequest
    case wrongScope
    /// The account's client is not known, or may not do this.
    case clientRefused
    /// The token of the other cloud is not taken.
    case exchangeRefused
    /// One account may not act as the other one.
    case impersonationRefused
    /// The machine has no account.
    case noAccount
    /// The credentials of a provider that a file describes are not taken.
    case credentialsRefused
    /// It is not known what it means, and asking again would most likely not help.
    case other
    /// Asking again may help.
    case temporary
}

/// One row of the table of refusals.
package struct TokenRefusalRule: Sendable {
    /// The member `error`.
    package let error: StaticString
    /// The words in the member `error_description`; empty for any.
    package let words: StaticString
    package let fault: TokenFault

    init(_ error: StaticString, _ words: StaticString, _ fault: TokenFault) {
        self.error = error
        self.words = words
        self.fault = fault
    }
}

/// The refusal of an access token.
///
/// RFC 6749 §5.2
package struct TokenRefusal: Equatable, Sendable {
    /// The HTTP status.
    package var status: UInt16
    /// The member `error`; empty if there is none.
    package var error: String
    /// The member `error_description`, or the text in its place.
    package var words: String

    package init(status: UInt16, error: String = "", words: String = "") {
        self.status = status
        self.error = error
        self.words = words
    }

    /// The rules for refused assertions; the first one that fits counts.
    package static let rules = [
        TokenRefusalRule("invalid_request", "", .wrongRequest),
        TokenRefusalRule("invalid_grant", "Invalid JWT Signature", .wrongSignature),
        TokenRefusalRule("invalid_grant", "account not found", .accountGone),
        TokenRefusalRule("invalid_grant", "Token must be a short-lived token", .wrongTime),
        TokenRefusalRule("invalid_grant", "iat (issued at) is not set", .wrongRequest),
        TokenRefusalRule("invalid_grant", "exp (expiration time) is not set", .wrongRequest),
        TokenRefusalRule("invalid_grant", "Failed audience check", .wrongRequest),
        TokenRefusalRule("invalid_scope", "", .wrongScope),
        TokenRefusalRule("invalid_client", "", .clientRefused),
        TokenRefusalRule("disabled_client", "", .clientRefused),
        TokenRefusalRule("deleted_client", "", .clientRefused),
        TokenRefusalRule("unauthorized_client", "", .clientRefused),
    ]

    /// Words that stand for a fault that passes, as an error or as its description.
    package static let passing = [
        "internal_failure", "server_error", "temporarily_unavailable",
    ]

    /// Returns the meaning of the refusal.
    package func fault(of question: TokenQuestion) -> TokenFault {
        // A front end without a backend says 502, which is as temporary as 503.
        if status == 408 || status == 429 || status >= 500 { return .temporary }
        if Self.passing.contains(error) || Self.passing.contains(words) { return .temporary }
        switch question {
        case .assertion, .describedAssertion: break
        case .described: return .credentialsRefused
        case .exchange: return error.isEmpty ? .other : .exchangeRefused
        case .impersonation: return status == 403 || status == 404 ? .impersonationRefused : .other
        case .metadata: return status == 404 ? .noAccount : .other
        }
        return Self.rules.first { rule in
            rule.error.description == error
                && (rule.words.utf8CodeUnitCount == 0
                    || words.parts(at: rule.words.description) != nil)
        }?.fault ?? .other
    }

    /// Returns the fault and the remedy, in one sentence without a full stop.
    /// - Parameters:
    ///   - question: The question that was asked.
    ///   - host: The host that was asked.
    ///   - account: The account that asked, or the place where one is named.
    ///   - skew: Seconds by which this machine's clock is ahead of the server's; nil if that is not known.
    /// - Returns: The sentence.
    package func statement(
        of question: TokenQuestion, host: String, account: String, skew: Int64?
    ) -> Statement {
        let quoted = said
        switch fault(of: question) {
        case .wrongSignature:
            return "\(host) does not accept the key of \(account)\(quoted): it was revoked, or is "
                + "another account's; make a new one in the Firebase console, at Service accounts"
        case .accountGone:
            return "\(host) does not know the account \(account)\(quoted): it was deleted or "
                + "disabled; restore it, or take another one's key"
        case .wrongTime:
            return "\(host) does not accept the time of the request for an access token: "
                + Self.clock(skew)
        case .wrongRequest:
            return
                "\(host) does not understand the request for an access token\(quoted): is it the "
                + "host that the key file of \(account) names, and does nothing on the way change "
                + "requests?"
        case .wrongScope where question == .describedAssertion:
            return
                "\(host) gives \(account) no token for the scope of the description\(quoted): is "
                + "the scope spelled right, and may the account have it?"
        case .wrongScope:
            return
                "\(host) gives \(account) no token for Firebase Cloud Messaging\(quoted): is it an "
                + "account of the Firebase project?"
        case .clientRefused:
            return
                "\(host) refuses the account \(account)\(quoted): it is disabled or was deleted; "
                + "look at it in the Google Cloud console, at Service accounts"
        case .exchangeRefused:
            return
                "\(host) does not accept the token of \(account)\(quoted): look at the provider of "
                + "the workload identity pool, and whether the token's file is kept up to date"
        case .impersonationRefused:
            return "\(host) does not let us act as \(account)\(quoted): give the identity the role "
                + "roles/iam.workloadIdentityUser on that account"
        case .noAccount:
            return
                "\(host) has no account for this machine\(quoted): attach a service account to it, "
                + "or give a key"
        case .credentialsRefused:
            return "\(host) gives no access token: it answers \(status)\(quoted); look at "
                + "\(account), with which it is asked"
        case .other:
            return "\(host) gives \(account) no access token: it answers \(status)\(quoted)"
        case .temporary:
            return "\(host) gives no access token now: it answers \(status)\(quoted)"
        }
    }

    /// The server's own words in parentheses behind a blank; empty if there are none.
    package var said: String {
        let text = [error, words].filter { !$0.isEmpty }.joined(separator: ": ")
        return text.isEmpty ? "" : " (\(TerminalText.shown(text, max: 200)))"
    }

    /// A difference that may be the way of the request, and is none to talk about.
    private static let skewMin: Int64 = 60

    private static func clock(_ skew: Int64?) -> Statement {
        guard let skew, abs(skew) >= skewMin else {
            return "set this machine's clock, and begin again"
        }
        let time = NumberText.duration(milliseconds: abs(skew) * 1000)
        return
            "this machine's clock is \(time) \(skew > 0 ? "ahead" : "behind"); set it, and begin again"
    }
}
