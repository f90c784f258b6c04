import FanfareSimulator
import FanfareTLS
import Foundation
import Testing

/// The answers of the endpoint, in the order in which it looks.
@Suite struct TokenEndpointTests {
    private static let now: Int64 = 1_700_000_000
    private static let origin = "https://localhost:8443"

    private func answer(
        _ body: String, account: SimulatedAccount?, _ configuration: FCMConfiguration = .init()
    ) -> GoogleAnswer {
        let endpoint = TokenEndpoint(
            account: account, tokens: AccessTokens(seed: 1), configuration: configuration)
        var body = body
        return body.withUTF8 {
            endpoint.answer(
                $0, origin: Self.origin, unixMilliseconds: UInt64(Self.now) * 1000, number: 1)
        }
    }

    /// Status and body of the answer to claims that differ from right ones.
    private func body(
        header: [String: Any] = ["alg": "RS256", "typ": "JWT"],
        _ change: (inout [String: Any]) -> Void
    ) throws -> String {
        let fixture = try ServiceAccountFixture()
        let claims = fixture.claims(at: Self.now, change)
        let answer = answer(
            ServiceAccountFixture.form(try fixture.assertion(claims, header: header)),
            account: fixture.account)
        return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
    }

    private static let signature =
        #"400 {"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#
    private static let time =
        #"400 {"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."}"#
    private static let scope =
        #"400 {"error":"invalid_scope","error_description":"Invalid OAuth scope or ID token audience provided."}"#

    // MARK: Tokens

    @Test(arguments: ["https://oauth2.googleapis.com/token", origin + "/token"])
    func `a right assertion gets a token that lives for an hour`(audience: String) throws {
        let fixture = try ServiceAccountFixture()
        let claims = fixture.claims(at: Self.now) { $0["aud"] = audience }
        let answer = answer(
            ServiceAccountFixture.form(try fixture.assertion(claims)), account: fixture.account)
        let expected = AccessTokens.Grant(
            expiresAt: UInt64(Self.now + 3599) * 1000, mayMessage: true, number: 1)
        let token = AccessTokens(seed: 1).token(for: expected)
        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"access_token":"\#(token)","expires_in":3599,"token_type":"Bearer"}"#)
    }

    @Test func `how long a token lives, and what is said of it, can be told`() throws {
        let fixture = try ServiceAccountFixture()
        let form = ServiceAccountFixture.form(
            try fixture.assertion(fixture.claims(at: Self.now)))
        var configuration = FCMConfiguration()
        configuration.tokenLife = .milliseconds(2500)
        let grant = AccessTokens.Grant(
            expiresAt: UInt64(Self.now) * 1000 + 2500, mayMessage: true, number: 1)
        let token = AccessTokens(seed: 1).token(for: grant)
        for (promised, seconds) in [(nil, 2), (Duration.seconds(3599), 3599)] {
            configuration.promisedTokenLife = promised
            let answer = answer(form, account: fixture.account, configuration)
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == #"{"access_token":"\#(token)","expires_in":\#(seconds),"token_type":"Bearer"}"#
            )
        }
    }

    @Test func `digits in quotes are times, and the key may be named`() throws {
        let fixture = try ServiceAccountFixture()
        let keyID = try #require(fixture.file["private_key_id"])
        #expect(
            try body(header: ["alg": "RS256", "kid": keyID]) {
                $0["iat"] = "\(Self.now)"
                $0["exp"] = "\(Self.now + 3600)"
            }.hasPrefix("200 "))
    }

    @Test func `a token for another API is none for messages`() throws {
        let fixture = try ServiceAccountFixture()
        let claims = fixture.claims(at: Self.now) {
            $0["scope"] = "https://www.googleapis.com/auth/devstorage.read_only"
        }
        let answer = answer(
            ServiceAccountFixture.form(try fixture.assertion(claims)), account: fixture.account)
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        var token = try #require(json?["access_token"] as? String)
        let grant = token.withUTF8 { AccessTokens(seed: 1).grant(of: $0) }
        #expect(grant?.mayMessage == false)
    }

    @Test func `a scope that is no API's gets an answer without an access token`() throws {
        let fixture = try ServiceAccountFixture()
        let claims = fixture.claims(at: Self.now) { $0["scope"] = "https://fcm.example/messages" }
        let answer = answer(
            ServiceAccountFixture.form(try fixture.assertion(claims)), account: fixture.account)
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        #expect(answer.status == 200)
        #expect(json.map { Array($0.keys) } == ["id_token"])
    }

    // MARK: Errors

    @Test(arguments: [
        ("", "Required parameter is missing: grant_type", "invalid_request"),
        ("grant_type=refresh_token", "Invalid grant_type: refresh_token", "unsupported_grant_type"),
        (
            ServiceAccountFixture.form(""), "Required parameter is missing: assertion",
            "invalid_request"
        ),
        (ServiceAccountFixture.form("abc"), "Bad Request", "invalid_request"),
        (ServiceAccountFixture.form("e30.e30"), "Bad Request", "invalid_request"),
        (ServiceAccountFixture.form("e30.W10.c2ln"), "Bad Request", "invalid_request"),
        (ServiceAccountFixture.form("e30.e30.c2ln"), "Invalid JWT Signature.", "invalid_grant"),
    ])
    func `what has no right form is refused first`(
        form: String, description: String, error: String
    ) throws {
        let answer = answer(form, account: try ServiceAccountFixture().account)
        #expect(answer.status == 400)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"error":"\#(error)","error_description":"\#(description)"}"#)
    }

    @Test func `the signature comes before all claims`() throws {
        let fixture = try ServiceAccountFixture()
        // Nothing is right here.
        let claims: [String: Any] = ["iss": "other@example.com", "iat": 0]
        let right = try fixture.assertion(claims)
        let end = try #require(right.lastIndex(of: "."))
        // The last bits of the first byte behind the dot.
        let place = right.index(end, offsetBy: 2)
        let other = right[place] == "A" ? "Q" : "A"
        let wrong = right[..<place] + other + right[right.index(after: place)...]
        for (form, account) in [
            (String(wrong), fixture.account), (right, nil),
            (try fixture.assertion(claims, header: ["alg": "ES256"]), fixture.account),
            (try fixture.assertion(claims, header: ["alg": "RS256", "kid": "x"]), fixture.account),
        ] {
            let answer = answer(ServiceAccountFixture.form(form), account: account)
            #expect(
                "\(answer.status) " + String(decoding: answer.body, as: UTF8.self) == Self.signature
            )
        }
    }

    @Test func `then come account, times, scope and audience, in this order`() throws {
        #expect(
            try body {
                $0["iss"] = "other@example.com"
                $0["iat"] = nil
            }
                == #"400 {"error":"invalid_grant","error_description":"Invalid grant: account not found"}"#
        )
        #expect(
            try body {
                $0["iat"] = nil
                $0["exp"] = nil
            }
                == #"400 {"error":"invalid_grant","error_description":"Invalid JWT: iat (issued at) is not set."}"#
        )
        #expect(
            try body {
                $0["iat"] = 0
                $0["exp"] = nil
            }
                == #"400 {"error":"invalid_grant","error_description":"Invalid JWT: exp (expiration time) is not set."}"#
        )
        #expect(
            try body {
                $0["iat"] = 0
                $0["scope"] = ""
            } == Self.time)
        #expect(
            try body {
                $0["scope"] = " "
                $0["aud"] = "https://example.com"
            } == Self.scope)
        #expect(try body { $0["scope"] = nil } == Self.scope)
        #expect(
            try body { $0["aud"] = "https://example.com" }
                == #"400 {"error":"invalid_grant","error_description":"Invalid JWT: Failed audience check."}"#
        )
    }

    @Test(arguments: [
        (1, 3600, false), (0, 3600, true), (-3599, 1, true), (-3600, 0, false), (-10, 3591, false),
        (-10, 3590, true),
    ])
    func `an assertion lives for an hour at most, and has begun`(
        issued: Int64, expires: Int64, isRight: Bool
    ) throws {
        let answer = try body {
            $0["iat"] = Self.now + issued
            $0["exp"] = Self.now + expires
        }
        #expect(isRight ? answer.hasPrefix("200 ") : answer == Self.time)
    }

    // MARK: The account

    @Test func `the key file has what clients read`() throws {
        let fixture = try ServiceAccountFixture()
        #expect(fixture.file["type"] == "service_account")
        #expect(fixture.file["project_id"] == "demo-project")
        #expect(fixture.file["client_email"] == "fanfare@demo-project.iam.gserviceaccount.com")
        #expect(fixture.file["token_uri"] == "https://localhost:8443/token")
        #expect(fixture.file["private_key"]?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
        #expect(fixture.file["private_key_id"]?.utf8.count == 40)
    }
}
