import FanfareBase
import FanfareCore
import FanfareTLS
import Testing

@testable import Fanfare

/// The meaning of refusals is in `TokenRefusalTests`.
@Suite struct TokenAnswerTests {
    /// It is Tue, 14 Nov 2023 22:13:20 GMT.
    private static let now: Int64 = 1_700_000_000

    /// An answer in words: the token and its life, or what is said.
    private enum Found: Equatable {
        case granted(String, Int64?)
        case temporary(String, Duration?)
        case permanent(String)
    }

    private func read(
        _ status: UInt16, _ body: String, _ question: TokenQuestion = .assertion,
        date: String = "Tue, 14 Nov 2023 22:13:20 GMT", retryAfter: String = ""
    ) -> Found {
        let request = TokenRequest(
            question, endpoint: Endpoint(host: "HOST", port: 443), path: "/", fields: [], body: nil)
        var (body, date, retryAfter) = (body, date, retryAfter)
        let answer = body.withUTF8 { body in
            date.withUTF8 { date in
                retryAfter.withUTF8 { retryAfter in
                    TokenAnswer.read(
                        TokenAnswer.Received(
                            status: status, body: body, date: date, retryAfter: retryAfter),
                        to: request, account: "ACCOUNT", now: Self.now)
                }
            }
        }
        switch answer {
        case .granted(let token):
            return .granted(token.secret.told, token.life?.components.seconds)
        case .temporary(let statement, let wish): return .temporary(statement.description, wish)
        case .permanent(let statement): return .permanent(statement.description)
        }
    }

    @Test(
        arguments: [
            (#"{"access_token":"ya29.a","expires_in":3599,"token_type":"Bearer"}"#, 3599),
            ("{\n  \"expires_in\": \"3599\",\n  \"access_token\": \"ya29.a\"\n}\n", 3599),
            (#"{"access_token":"ya29\u002ea","expires_in":1}"#, 1),
            (#"{"access_token":"ya29.a","expires_in":999999999}"#, 43_200),
            (#"{"access_token":"ya29.a"}"#, 300),
            (#"{"access_token":"ya29.a","expires_in":null}"#, 300),
            (#"{"access_token":"ya29.a","expires_in":"soon"}"#, 300),
            (#"{"access_token":"ya29.a","expires_in":99999999999999999999}"#, 300),
        ] as [(String, Int64)])
    func `a token comes with its life, as a number or as a text`(body: String, life: Int64) {
        for question in [TokenQuestion.assertion, .exchange, .metadata] {
            #expect(read(200, body, question) == .granted("ya29.a", life))
        }
    }

    @Test(
        arguments: [
            ("2023-11-14T23:13:20Z", 3600), ("2023-11-14T23:13:20.123456789Z", 3600),
            ("2023-11-14T22:13:21Z", 1), ("2023-12-14T22:13:20Z", 43_200), ("tomorrow", 300),
            ("2023-11-14T23:13:20+01:00", 300), ("2023-13-14T23:13:20Z", 300),
        ] as [(String, Int64)])
    func `an account's token says when it ends`(time: String, life: Int64) {
        let body = #"{"accessToken":"ya29.a","expireTime":"\#(time)"}"#
        #expect(read(200, body, .impersonation) == .granted("ya29.a", life))
    }

    @Test func `its life is counted by the clock of the server that says so`() {
        let body = #"{"accessToken":"ya29.a","expireTime":"2023-11-14T23:13:20Z"}"#
        let date = "Tue, 14 Nov 2023 22:43:20 GMT"
        #expect(read(200, body, .impersonation, date: date) == .granted("ya29.a", 1800))
        #expect(read(200, body, .impersonation, date: "") == .granted("ya29.a", 3600))
    }

    @Test func `a token that has expired is asked for again`() {
        let expected = Found.temporary("HOST answers with an access token that has expired", nil)
        for seconds in ["0", "-5", "\"0\""] {
            let body = #"{"access_token":"ya29.a","expires_in":\#(seconds)}"#
            #expect(read(200, body, .metadata) == expected)
        }
        let past = #"{"accessToken":"ya29.a","expireTime":"2023-11-14T22:13:20Z"}"#
        #expect(read(200, past, .impersonation) == expected)
    }

    @Test func `an identity without an access token is a scope that is not known`() {
        #expect(
            read(200, #"{"id_token":"eyJ.a.b"}"#)
                == .permanent(
                    "HOST answers with an identity and without an access token, as it does for a scope "
                        + "that it does not know: is ACCOUNT an account of Google's own cloud?"))
    }

    @Test(arguments: ["{}", #"{"access_token":7}"#, #"{"accessToken":"a"}"#, #"{"token":"a"}"#])
    func `an answer without a token is no answer`(body: String) {
        #expect(
            read(200, body)
                == .permanent(
                    "HOST answers 200 without an access token: is it a token service of Google's?"))
    }

    @Test(arguments: ["<html>", "", "[]", #"{"access_token":"ya29"#])
    func `neither is a page`(body: String) {
        #expect(
            read(200, body) == .permanent("HOST gives ACCOUNT no access token: it answers 200"))
    }

    @Test(arguments: ["", "a b", #"a\r\nhost: evil"#, "é", String(repeating: "a", count: 8193)])
    func `a token that no header field can have is refused`(token: String) {
        #expect(
            read(200, #"{"access_token":"\#(token)","expires_in":3599}"#)
                == .permanent("HOST answers with an access token that no header field can have"))
    }

    @Test func `a refusal has the server's words`() {
        let body =
            #"{"error":"invalid_scope","error_description":"Invalid OAuth scope\u001b[31m."}"#
        guard case .permanent(let text) = read(400, body) else {
            Issue.record("it is permanent")
            return
        }
        #expect(text.contains("(invalid_scope: Invalid OAuth scope\u{FFFD}[31m.)"))
    }

    @Test func `a refusal of the account's token has the words of its form`() {
        let body =
            #"{"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied","#
            + #""status":"PERMISSION_DENIED"}}"#
        guard case .permanent(let text) = read(403, body, .impersonation) else {
            Issue.record("it is permanent")
            return
        }
        #expect(
            text.contains("(PERMISSION_DENIED: Permission 'iam.serviceAccounts.getAccessToken'"))
    }

    /// The server's date, and what is said of the clock.
    @Test(arguments: [
        ("Tue, 14 Nov 2023 22:13:20 GMT", "set this machine's clock, and begin again"),
        ("Tue, 14 Nov 2023 22:12:21 GMT", "set this machine's clock, and begin again"),
        (
            "Tue, 14 Nov 2023 20:13:20 GMT",
            "this machine's clock is 2 h 00 min ahead; set it, and begin again"
        ),
        (
            "Tue, 14 Nov 2023 22:18:23 GMT",
            "this machine's clock is 5 min 03 s behind; set it, and begin again"
        ),
        ("", "set this machine's clock, and begin again"),
        ("yesterday", "set this machine's clock, and begin again"),
    ])
    func `how far the clock is off is measured`(date: String, advice: String) {
        let body =
            #"{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token "#
            + #"(60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."}"#
        #expect(
            read(400, body, date: date)
                == .permanent(
                    "HOST does not accept the time of the request for an access token: \(advice)"))
    }

    @Test func `what passes may ask for a time`() {
        let text = "HOST gives no access token now: it answers 503"
        #expect(read(503, "<html>", retryAfter: "7") == .temporary(text, .seconds(7)))
        #expect(read(503, "") == .temporary(text, nil))
        #expect(
            read(400, #"{"error":"temporarily_unavailable"}"#)
                == .temporary(
                    "HOST gives no access token now: it answers 400 (temporarily_unavailable)", nil)
        )
    }
}
