import FanfareBase
import FanfareCore
import Testing

@Suite struct TokenRefusalTests {
    /// Answers of Google's token endpoint to assertions.
    ///
    /// Sources: google-auth `_client.py` and its tests, captures in public code.
    static let assertions: [(UInt16, String, String, TokenFault)] = [
        (400, "invalid_request", "Bad Request", .wrongRequest),
        (400, "invalid_grant", "Invalid JWT Signature.", .wrongSignature),
        (400, "invalid_grant", "Invalid grant: account not found", .accountGone),
        (
            400, "invalid_grant",
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                + "timeframe. Check your iat and exp values in the JWT claim.", .wrongTime
        ),
        (400, "invalid_grant", "Invalid JWT: iat (issued at) is not set.", .wrongRequest),
        (400, "invalid_grant", "Invalid JWT: exp (expiration time) is not set.", .wrongRequest),
        (400, "invalid_grant", "Invalid JWT: Failed audience check.", .wrongRequest),
        (400, "invalid_grant", "Something new.", .other), (400, "invalid_grant", "", .other),
        (
            400, "invalid_scope", "Invalid OAuth scope or ID token audience provided.", .wrongScope
        ),
        (401, "invalid_client", "The OAuth client was not found.", .clientRefused),
        (401, "disabled_client", "The OAuth client was disabled.", .clientRefused),
        (401, "deleted_client", "The OAuth client was deleted.", .clientRefused),
        (401, "unauthorized_client", "", .clientRefused),
        (408, "", "", .temporary), (429, "", "", .temporary), (500, "", "", .temporary),
        (502, "", "", .temporary), (503, "", "", .temporary), (504, "", "", .temporary),
        (400, "internal_failure", "", .temporary), (400, "server_error", "", .temporary),
        (400, "temporarily_unavailable", "", .temporary),
        (400, "invalid_grant", "internal_failure", .temporary),
        (503, "invalid_grant", "Invalid JWT Signature.", .temporary),
        (400, "", "", .other), (404, "", "", .other), (302, "", "", .other), (200, "", "", .other),
        (400, "INVALID_GRANT", "Invalid JWT Signature.", .other),
    ]

    @Test(arguments: assertions)
    func `a refused assertion has its fault`(
        status: UInt16, error: String, words: String, fault: TokenFault
    ) {
        let refusal = TokenRefusal(status: status, error: error, words: words)
        #expect(refusal.fault(of: .assertion) == fault)
    }

    @Test func `each rule is reached`() {
        for rule in TokenRefusal.rules {
            let refusal = TokenRefusal(status: 400, error: "\(rule.error)", words: "\(rule.words)")
            #expect(refusal.fault(of: .assertion) == rule.fault)
        }
    }

    @Test(
        arguments: [
            (TokenQuestion.exchange, 400, "invalid_grant", TokenFault.exchangeRefused),
            (.exchange, 400, "invalid_request", .exchangeRefused), (.exchange, 403, "", .other),
            (.exchange, 503, "invalid_grant", .temporary),
            (.impersonation, 403, "PERMISSION_DENIED", .impersonationRefused),
            (.impersonation, 404, "NOT_FOUND", .impersonationRefused),
            (.impersonation, 400, "INVALID_ARGUMENT", .other),
            (.impersonation, 429, "", .temporary),
            (.metadata, 404, "", .noAccount), (.metadata, 403, "", .other),
            (.metadata, 500, "", .temporary),
        ] as [(TokenQuestion, UInt16, String, TokenFault)])
    func `other questions have faults of their own`(
        question: TokenQuestion, status: UInt16, error: String, fault: TokenFault
    ) {
        #expect(TokenRefusal(status: status, error: error).fault(of: question) == fault)
    }

    private func text(
        _ status: UInt16, _ error: String = "", _ words: String = "",
        _ question: TokenQuestion = .assertion
    ) -> String {
        TokenRefusal(status: status, error: error, words: words)
            .statement(of: question, host: "HOST", account: "ACCOUNT", skew: nil).description
    }

    @Test func `each fault is said with what to do`() {
        #expect(
            text(400, "invalid_grant", "Invalid JWT Signature.")
                == "HOST does not accept the key of ACCOUNT (invalid_grant: Invalid JWT Signature.): it "
                + "was revoked, or is another account's; make a new one in the Firebase console, at "
                + "Service accounts")
        #expect(
            text(400, "invalid_grant", "Invalid grant: account not found")
                == "HOST does not know the account ACCOUNT (invalid_grant: Invalid grant: account not "
                + "found): it was deleted or disabled; restore it, or take another one's key")
        #expect(text(400, "invalid_request").contains("does nothing on the way change requests?"))
        #expect(text(400, "invalid_scope").contains("is it an account of the Firebase project?"))
        #expect(text(401, "deleted_client").contains("it is disabled or was deleted; look at it"))
        #expect(text(418) == "HOST gives ACCOUNT no access token: it answers 418")
        #expect(text(500) == "HOST gives no access token now: it answers 500")
        #expect(text(400, "invalid_grant", "", .exchange).contains("workload identity pool"))
        #expect(text(403, "", "", .impersonation).contains("roles/iam.workloadIdentityUser"))
        #expect(text(404, "", "", .metadata).contains("attach a service account to it"))
        let described = TokenQuestion.described(
            DescribedToken(token: JSONPointer(keys: ["token"]), lifetime: .fixed(.seconds(60))))
        #expect(
            text(401, "invalid_client", "", described)
                == "HOST gives no access token: it answers 401 (invalid_client); look at ACCOUNT, with "
                + "which it is asked")
        #expect(text(503, "", "", described) == "HOST gives no access token now: it answers 503")
        #expect(
            text(400, "invalid_scope", "", .describedAssertion)
                .contains("no token for the scope of the description (invalid_scope)"))
        #expect(text(401, "deleted_client", "", .describedAssertion).contains("it is disabled"))
    }

    @Test func `the server's words are cleaned and bounded`() {
        let said = text(418, "a\u{1b}[31m", String(repeating: "x", count: 1000))
        #expect(said.contains("(a\u{FFFD}[31m: xxx") && said.hasSuffix("x…)"))
        #expect(said.unicodeScalars.count < 260)
    }
}
