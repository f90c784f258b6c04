import FanfareBase
import FanfareCore
import FanfareTLS
import Testing

@testable import Fanfare

/// Tokens that are asked for as a file describes it.
@Suite struct DescribedTokenTests {
    private static let now: Int64 = 1_700_000_000

    private static let credentials = #"""
        {"kind": "client_credentials", "url": "${set:origin}/oauth2/v3/token",
         "form": {"grant_type": "client_credentials", "client_id": "${set:app_id}",
          "client_secret": "${secret:client_secret}"},
         "token": "/access_token", "lifetime": "/expires_in",
         "use": "authorization: Bearer ${token}"}
        """#

    private static let login = #"""
        {"kind": "login", "url": "${set:origin}/login",
         "fields": {"app": "${set:app_id}", "at": "${time:ms}",
          "sign": {"md5": ["${set:app_id}", "${time:ms}", "${secret:client_secret}"]},
          "check": {"sha256": ["${set:app_id}", "${secret:client_secret}"]}},
         "token": "/data/tokens/0", "lifetime": "23h", "use": "auth-token"}
        """#

    private func service(
        _ auth: String = credentials, origin: String = "https://auth.example.com",
        app: String = "10086", secret: String = "s&3", local: Endpoint? = nil
    ) throws -> DescribedTokenService {
        let file = try Described([
            "settings": #"""
            {"origin": {}, "app_id": {}, "client_secret": {"secret": true}, "region": {"default": "x"}}
            """#,
            "request": #"{"path": "/${set:region}", "body": {"to": "${row:token}"}}"#,
            "auth": auth,
        ]).file
        let settings = try ProviderSettings(
            file.provider, given: [("origin", origin), ("app_id", app)],
            secrets: [("client_secret", Secret(secret))])
        let options = DeclaredOptions(file: file, settings: settings)
        switch file.provider.authorization {
        case .clientCredentials(let exchange), .login(let exchange):
            return try DescribedTokenService(exchange, of: options, local: local)
        default:
            throw FanfareError(.bug, "it has no exchange")
        }
    }

    // MARK: Requests

    @Test func `credentials are shown as a form, escaped`() throws {
        let request = try service(app: "1 0", secret: "s&3\"ü").request(now: Self.now)
        #expect(request.endpoint == Endpoint(host: "auth.example.com", port: 443))
        #expect(request.method == "POST" && request.path == "/oauth2/v3/token")
        #expect(
            request.lines == [
                "content-type: application/x-www-form-urlencoded", "accept: application/json",
            ])
        // As urllib.parse.urlencode has it.
        #expect(
            request.body?.told
                == "grant_type=client_credentials&client_id=1+0&client_secret=s%263%22%C3%BC")
    }

    @Test func `a login has the form of its provider, with digests and the time`() throws {
        let request = try service(Self.login).request(now: Self.now)
        #expect(request.path == "/login")
        #expect(request.lines.first == "content-type: application/json")
        // The digests are those of Python's hashlib.
        #expect(
            request.body?.told
                == #"{"app":"10086","at":"1700000000000","sign":"\#(Self.md5)","check":"\#(Self.sha256)"}"#
        )
    }

    private static let md5 = "e230ca9feb84aea78efcfd4a8a3d4338"
    private static let sha256 = "4242ce0715fbf5669cd3c23478ac280e407d459b02b82a4ecfcfe1830768014c"

    @Test func `quotes in a login's values do not end them`() throws {
        let request = try service(Self.login, app: #"a","b":"c"#).request(now: Self.now)
        #expect(request.body?.told.hasPrefix(#"{"app":"a\",\"b\":\"c","at":"#) == true)
    }

    @Test func `only this machine is asked in the clear`() throws {
        #expect(
            try service(origin: "http://127.0.0.1:8080").endpoint
                == Endpoint(host: "127.0.0.1", port: 8080, usesTLS: false))
        let error = #expect(throws: FanfareError.self) {
            try service(origin: "http://auth.example.com")
        }
        #expect(error?.message == "test: where tokens are given out is not https")
    }

    @Test func `a provider that is tried out on this machine is asked for tokens there`() throws {
        let local = Endpoint(host: "127.0.0.1", port: 9000, usesTLS: false)
        let moved = try service(local: local)
        #expect(moved.endpoint == local)
        #expect(try moved.request(now: Self.now).path == "/oauth2/v3/token")
        // One that the settings have put on this machine stays where it is.
        let own = try service(origin: "http://127.0.0.1:8080", local: local)
        #expect(own.endpoint.port == 8080)
    }

    // MARK: Answers

    private func read(
        _ status: UInt16, _ body: String, auth: String = credentials, retryAfter: String = ""
    ) throws -> String {
        let service = try service(auth)
        let request = try service.request(now: Self.now)
        var (body, retryAfter) = (body, retryAfter)
        let answer = body.withUTF8 { body in
            retryAfter.withUTF8 { retryAfter in
                TokenAnswer.read(
                    TokenAnswer.Received(
                        status: status, body: body, date: .empty, retryAfter: retryAfter),
                    to: request, account: service.account, now: Self.now)
            }
        }
        return answer.told
    }

    @Test(
        arguments: [
            (#"{"access_token":"at-1","expires_in":3600}"#, "at-1 for 3600 s"),
            (#"{"access_token":"at-1","expires_in":"3600"}"#, "at-1 for 3600 s"),
            (#"{"access_token":"at-1","expires_in":3.6e3}"#, "at-1 for 3600 s"),
            (#"{"access_token":"at-1"}"#, "at-1 for 300 s"),
            (#"{"access_token":"at-1","expires_in":"soon"}"#, "at-1 for 300 s"),
            (#"{"access_token":"at-1","expires_in":1e300}"#, "at-1 for 2592000 s"),
            (
                #"{"access_token":"at-1","expires_in":-1}"#,
                "for now: auth.example.com answers with an access token that has expired"
            ),
            (
                #"{"access_token":"a b","expires_in":60}"#,
                "for good: auth.example.com answers with an access token that no header field can have"
            ),
            (
                #"{"access_token":17,"expires_in":60}"#,
                "for now: auth.example.com answers 200 without a token at /access_token; look at "
                    + "origin, app_id and client_secret of test, with which it is asked"
            ),
        ])
    func `a token and its life are where the file says`(body: String, told: String) throws {
        #expect(try read(200, body) == told)
    }

    @Test func `a life that the file knows is not looked for`() throws {
        #expect(
            try read(200, #"{"data":{"tokens":["at-1"],"expires":1}}"#, auth: Self.login)
                == "at-1 for 82800 s")
    }

    @Test func `a longer token than any field has room for is none`() throws {
        let long = String(repeating: "a", count: Limits.accessTokenBytesMax + 1)
        #expect(
            try read(200, #"{"access_token":"\#(long)"}"#).hasPrefix("for good: auth.example.com"))
    }

    @Test func `what a service says is told, and where to look`() throws {
        let look = "; look at origin, app_id and client_secret of test, with which it is asked"
        #expect(
            try read(401, #"{"error":"invalid_client","error_description":"who?"}"#)
                == "for good: auth.example.com gives no access token: it answers 401 "
                + "(invalid_client: who?)" + look)
        #expect(
            try read(400, #"{"error":{"code":1101,"message":"no app"}}"#)
                == "for good: auth.example.com gives no access token: it answers 400 "
                + "(1101: no app)" + look)
        #expect(
            try read(200, #"{"code":11,"message":"sign"}"#)
                == "for now: auth.example.com answers 200 without a token at /access_token "
                + "(11: sign)" + look)
        #expect(
            try read(403, "<html>") == "for good: auth.example.com gives no access token: it "
                + "answers 403" + look)
    }

    @Test func `a service that is down is asked again`() throws {
        #expect(
            try read(503, "", retryAfter: "7")
                == "for now: auth.example.com gives no access token now: it answers 503, again in 7 s"
        )
        #expect(try read(429, #"{"error":"slow"}"#).hasPrefix("for now: "))
    }

    @Test(arguments: [UInt16(200), 400, 500])
    func `a secret that an answer repeats is not told`(status: UInt16) throws {
        let told = try read(status, #"{"error":"x","message":"'s&3' is not the secret"}"#)
        #expect(told.contains("(x)") && !told.contains("s&3"))
    }

    // MARK: Google's accounts

    @Test func `an account asks for the scope of the description`() throws {
        let credential = try KeyFiles.read(KeyFiles.serviceAccount())
            .asking(for: "https://www.googleapis.com/auth/pubsub")
        guard case .serviceAccount(let account) = credential else {
            Issue.record("it is no account any more")
            return
        }
        #expect(try account.tokenRequest(now: Self.now).question == .describedAssertion)
        let parts = try account.assertion(now: Self.now).split(separator: ".")
        let claims = try #require(Base64URL.decode(parts[1].utf8))
        #expect(
            String(decoding: claims, as: UTF8.self)
                .contains(#""scope":"https://www.googleapis.com/auth/pubsub""#))
        #expect(try KeyFiles.account(KeyFiles.serviceAccount()).scope == TokenRequest.scope)
    }
}
