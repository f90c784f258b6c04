import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct ServiceAccountTests {
    /// PyJWT 2.15.1 with the key of RFC 7515 A.2: the claims of the account at 1,700,000,000, `kid`
    /// 0123456789abcdef.
    private static let assertion =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6IjAxMjM0NTY3ODlhYmNkZWYiLCJ0eXAiOiJKV1QifQ."
        + "eyJpc3MiOiJwdXNoQGV4YW1wbGUuaWFtLmdzZXJ2aWNlYWNjb3VudC5jb20iLCJzY29wZSI6Imh0dHBzOi8vd3d3"
        + "Lmdvb2dsZWFwaXMuY29tL2F1dGgvZmlyZWJhc2UubWVzc2FnaW5nIiwiYXVkIjoiaHR0cHM6Ly9vYXV0aDIuZ29v"
        + "Z2xlYXBpcy5jb20vdG9rZW4iLCJpYXQiOjE2OTk5OTk5OTAsImV4cCI6MTcwMDAwMzU5MH0."
        + "RtiLl_Mf8kHXC4_d-GBnw7yoPuTrEsVpVPB5Ny_lmgpCG9-HzB1tBuNcuuQgsgriAufS30RTGsHcEP1hvJwDjt0g"
        + "HMMLA_PN9wntdCUfqlOe49fvalooCsvEgo1YT-b_Nup3_g0dI3kYou8hgu5Iw1rANjrZiYJlWdjJt0XDQ6ka-X-t"
        + "hUiqRQz12pv-G5yEcx8HEaWfYDJc6l4lNTgIVM-mJrhD88MIpdy5fxcHMZH_ZntBhC-0AZfIEXjB7U9sxfS-sJ1_"
        + "88TsHcjCJjgrrEwukmN1GCQot2Yym_CgcmE6XsWsOJvT4sQYuqmxK6wGLtc9RQLBDnw4oRK_U2Q0Rw"

    private func claims(_ text: String) throws -> String {
        let assertion = try KeyFiles.account(text).assertion(now: 1_700_000_000)
        let bytes = try #require(Base64URL.decode(assertion.split(separator: ".")[1].utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `an assertion is, byte for byte, what PyJWT makes of the same claims`() throws {
        let account = try KeyFiles.account(KeyFiles.serviceAccount())
        #expect(try account.assertion(now: 1_700_000_000) == Self.assertion)
        #expect(account.email == "push@example.iam.gserviceaccount.com")
        #expect(account.project == "example-1")
    }

    @Test func `the request is a form for the token service`() throws {
        let account = try KeyFiles.account(KeyFiles.serviceAccount())
        let request = try account.tokenRequest(now: 1_700_000_000)
        #expect(request.question == .assertion)
        #expect(request.endpoint == Endpoint(host: "oauth2.googleapis.com", port: 443))
        #expect(request.method == "POST" && request.path == "/token")
        #expect(request.lines == ["content-type: application/x-www-form-urlencoded"])
        #expect(
            request.body?.told == "assertion=\(Self.assertion)"
                + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
    }

    @Test func `it is dated ten seconds back, and lives for an hour`() throws {
        #expect(
            try claims(KeyFiles.serviceAccount())
                == #"{"iss":"push@example.iam.gserviceaccount.com","#
                + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
                + #""aud":"https://oauth2.googleapis.com/token","iat":1699999990,"exp":1700003590}"#
        )
    }

    /// The address that an old file asks, and the audience of the assertion all the same.
    @Test(arguments: [
        ("https://accounts.google.com/o/oauth2/token", "accounts.google.com", "/o/oauth2/token"),
        ("https://www.googleapis.com/oauth2/v4/token", "www.googleapis.com", "/oauth2/v4/token"),
        ("https://oauth2.googleapis.com/token", "oauth2.googleapis.com", "/token"),
        ("https://OAUTH2.googleapis.com:443/token", "oauth2.googleapis.com", "/token"),
    ])
    func `an old address of the token service has the new name as its audience`(
        uri: String, host: String, path: String
    ) throws {
        let text = KeyFiles.serviceAccount(["token_uri": uri])
        let request = try KeyFiles.account(text).tokenRequest(now: 0)
        #expect(request.endpoint == Endpoint(host: host, port: 443) && request.path == path)
        #expect(try claims(text).contains(#""aud":"https://oauth2.googleapis.com/token""#))
    }

    @Test func `a server of this machine is asked by its own name`() throws {
        let text = KeyFiles.serviceAccount(["token_uri": "http://127.0.0.1:8080/token"])
        let request = try KeyFiles.account(text).tokenRequest(now: 0)
        #expect(
            request.endpoint == Endpoint(host: "127.0.0.1", port: 8080, usesTLS: false))
        #expect(try claims(text).contains(#""aud":"http://127.0.0.1:8080/token""#))
    }

    @Test func `what is not needed may be missing`() throws {
        let names = ["project_id", "private_key_id", "token_uri"]
        for text in [
            KeyFiles.serviceAccount(without: Set(names + ["universe_domain", "client_id"])),
            KeyFiles.serviceAccount(Dictionary(uniqueKeysWithValues: names.map { ($0, "") })),
        ] {
            let account = try KeyFiles.account(text)
            #expect(account.project == nil)
            let request = try account.tokenRequest(now: 0)
            #expect(request.endpoint.host == "oauth2.googleapis.com")
            let header = try account.assertion(now: 0).prefix { $0 != "." }
            // {"alg":"RS256","typ":"JWT"}
            #expect(header == "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9")
        }
    }

    @Test(arguments: ["private_key", "client_email"])
    func `what is needed is named when it is missing`(name: String) {
        let expected = "key.json has no '\(name)'; it has to be the whole file that Google gave"
        let error = fanfareError {
            _ = try KeyFiles.read(KeyFiles.serviceAccount(without: [name]))
        }
        #expect(error?.message == expected && error?.code == .configuration)
        let number = KeyFiles.serviceAccount(without: [name])
            .replacing("{\n", with: "{\"\(name)\": 7,\n")
        #expect(fanfareError { _ = try KeyFiles.read(number) }?.message == expected)
    }

    /// A changed member, and what the message has in it.
    @Test(arguments: [
        ("private_key", "hello", "holds no usable private key: there is no 'BEGIN PRIVATE KEY'"),
        ("private_key", #"-----BEGIN PRIVATE KEY-----\\nMII"#, "was escaped twice"),
        ("private_key", #"-----BEGIN PRIVATE KEY-----\nMII="#, "make a new key in the Firebase"),
        ("client_email", "a b", "has characters that it cannot have: 'a b'"),
        ("client_email", #"a\u001b[31m"#, "'a\u{FFFD}[31m'"),
        ("private_key_id", #"a\nb"#, "'private_key_id' has characters"),
        ("universe_domain", "apis-other.goog", "is for the cloud apis-other.goog, and FCM is at"),
        (
            "token_uri", "https://evil.example/token",
            "names evil.example, and keys are shown only to Google's services that give tokens"
        ),
        ("token_uri", "http://oauth2.googleapis.com/token", "by https at its usual port only"),
        ("token_uri", "oauth2.googleapis.com", "'token_uri' is no URL"),
    ])
    func `what is wrong is said with what to do`(name: String, value: String, part: String) {
        let error = fanfareError {
            _ = try KeyFiles.read(KeyFiles.serviceAccount([name: value]))
        }
        let message = error?.message ?? ""
        #expect(error?.code == .configuration && message.contains(part), "\(message)")
        #expect(message.hasPrefix("key.json"))
    }

    @Test func `no way of printing it shows its key`() throws {
        let account = try KeyFiles.account(KeyFiles.serviceAccount())
        let request = try account.tokenRequest(now: 0)
        var dumped = ""
        dump(account, to: &dumped)
        dump(request, to: &dumped)
        for shown in ["\(account)", String(reflecting: account), "\(request)", dumped] {
            #expect(!shown.contains("MII") && !shown.contains("PRIVATE"))
            #expect(!shown.contains("eyJ"))
        }
    }
}
