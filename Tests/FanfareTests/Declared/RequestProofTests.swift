import FanfareCore
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct RequestProofTests {
    private let row = #"{"token": "t"}"#

    /// The vector of Tencent's page, with the body that it was signed with: the page prints another one today.
    /// https://intl.cloud.tencent.com/document/product/1024/34213
    @Test func `a signature of TPNS is as published`() throws {
        let body =
            #"{"audience_type": "account","platform": "android","message": {"title": "test title","content": "test content","android": { "action": {"action_type": 3,"intent": "xgscheme://com.xg.push/notify_detail?param1=xg"}}},"message_type": "notify","account_list": ["5822f0eee44c3625ef0000bb"] }"#
        let described = try Described([
            "settings": #"{"access_id": {}, "secret": {"secret": true}}"#,
            "auth": ##"""
            {"kind": "hmac", "hash": "sha256", "key": "${secret:secret}",
             "over": ["${row:time}", "${set:access_id}", "${body}"], "as": "base64-of-hex", "use": "Sign",
             "also": {"AccessId": "${set:access_id}"}}
            """##,
            "request": #"{"path": "/v3/push/app", "encoding": "text", "body": "${row:text}"}"#,
        ])
        let escaped = body.replacing("\"", with: "\\\"")
        let request = try described.request(
            [#"{"token": "t", "time": "1565314789", "text": "\#(escaped)"}"#],
            settings: [("access_id", "1500001048")],
            secrets: ["secret": "1452fcebae9f3115ba794fb0fff2fd73"])
        #expect(request.bodyText == body)
        #expect(request.field("accessid") == "1500001048")
        #expect(
            request.field("sign")
                == "Y2QyMDc3NDY4MmJmNzhiZmRiNDNlMTdkMWQ1ZDU2YjNlNWI3ODlhMTY3MGZjMTUyN2VmNTRjNjVkMmQ3Yjc2ZA=="
        )
    }

    /// The vector of the specification's own libraries.
    /// https://github.com/standard-webhooks/standard-webhooks
    @Test func `a signature of Standard Webhooks is as published`() throws {
        let described = try Described([
            "auth": ##"""
            {"kind": "hmac", "hash": "sha256", "key": "${row:secret}", "key_as": "whsec",
             "over": ["${row:id}.${time:s}.", "${body}"], "as": "base64", "prefix": "v1,",
             "use": "webhook-signature"}
            """##,
            "request": #"{"path": "/", "encoding": "text", "body": "${row:text}"}"#,
        ])
        let request = try described.request([
            #"""
            {"token": "t", "id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "text": "{\"test\": 2432232314}",
             "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
            """#
        ])
        #expect(
            request.field("webhook-signature")
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    /// The vector of above, with the secret beside the rows; a row's own one is stronger.
    @Test func `one secret signs the rows that have none`() throws {
        let described = try Described([
            "settings": #"{"signing": {"secret": true}}"#,
            "auth": ##"""
            {"kind": "hmac", "hash": "sha256", "key": "${row:secret}", "key_default": "${secret:signing}",
             "key_as": "whsec", "over": ["${row:id}.${time:s}.", "${body}"], "as": "base64",
             "prefix": "v1,", "use": "webhook-signature"}
            """##,
            "request": #"{"path": "/", "encoding": "text", "body": "${row:text}"}"#,
        ])
        let row = #"""
            {"token": "t", "id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "text": "{\"test\": 2432232314}"
            """#
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        func signed(
            _ own: String, _ secrets: [String: String], masked: Bool = false
        ) throws -> String? {
            let request = try described.request(
                [row + own + "}"], secrets: secrets, masked: masked)
            return request.field("webhook-signature")
        }
        #expect(try signed("", ["signing": secret]) == signature)
        #expect(try signed(#", "secret": """#, ["signing": secret]) == signature)
        #expect(try signed(#", "secret": "\#(secret)""#, ["signing": other]) == signature)
        #expect(try signed(#", "secret": "\#(secret)""#, [:]) == signature)
        #expect(try signed("", ["signing": secret], masked: true) == "v1,•••")
        #expect(throws: RequestProof.Fault.row(.valueMissing(column: "secret"))) {
            try signed("", [:])
        }
        // No job is refused for it, and no list without the column.
        #expect(described.file.provider.requiredColumns == ["id", "text"])
        let settings = try ProviderSettings(described.file.provider, given: [], secrets: [])
        #expect(settings.missingSecrets(of: described.file.provider) == [])
    }

    /// As Python's hmac has them.
    @Test(arguments: [
        ("text", "6b6579", "7e9467a8095c09bbe65bed11e364f06ec09932b8aa6ae979275f90aeebec5e1c"),
        ("hex", "6b6579", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"),
        ("base64", "a2V5", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"),
    ])
    func `a key is read as it is written`(form: String, key: String, code: String) throws {
        let described = try hmac(keyForm: form)
        let request = try described.request([row], secrets: ["key": key])
        #expect(request.field("x-signature") == "sha256=\(code)")
    }

    @Test(arguments: [
        ("hex", "6b657"), ("base64", "a2V5!"), ("whsec", "a2V5"), ("whsec", "whsec_!"),
        ("whsec", "whsec_AAAA"),
    ])
    func `a key that is written otherwise is told`(form: String, key: String) throws {
        let described = try hmac(keyForm: form)
        let fault = #expect(throws: RequestProof.Fault.self) {
            try described.request([row], secrets: ["key": key])
        }
        #expect(fault?.text.contains("key of the signature") == true)
        #expect(fault?.text.contains(key) == false)
    }

    private func hmac(keyForm: String) throws -> Described {
        try Described([
            "settings": #"{"key": {"secret": true}}"#,
            "auth": ##"""
            {"kind": "hmac", "hash": "sha256", "key": "${secret:key}", "key_as": "\##(keyForm)",
             "over": ["${body}"], "as": "hex", "prefix": "sha256=", "use": "x-signature"}
            """##,
            "request":
                #"{"path": "/", "encoding": "text", "body": "The quick brown fox jumps over the lazy dog"}"#,
        ])
    }

    /// RFC 7617 §2.
    @Test func `a name and a password are those of the RFC`() throws {
        let described = try Described([
            "settings": #"{"user": {}, "password": {"secret": true}}"#,
            "auth": #"{"kind": "basic", "user": "${set:user}", "password": "${secret:password}"}"#,
        ])
        let request = try described.request(
            [row], settings: [("user", "Aladdin")], secrets: ["password": "open sesame"])
        #expect(request.field("authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(request.fields.last?.isSecret == true)
    }

    @Test func `a password may be empty, and have blanks at its ends`() throws {
        let described = try Described([
            "settings": #"{"user": {}, "password": {"secret": true}}"#,
            "auth": #"{"kind": "basic", "user": "${set:user}", "password": "${secret:password}"}"#,
        ])
        // As Python's base64 has them.
        for (password, field) in [("", "QWxhZGRpbjo="), (" a ", "QWxhZGRpbjogYSA=")] {
            let request = try described.request(
                [row], settings: [("user", "Aladdin")], secrets: ["password": password])
            #expect(request.field("authorization") == "Basic \(field)")
        }
    }

    /// The members of a file with a secret `s` in one place.
    private static let secretPlaces = [
        "alone": ["auth": #"{"kind": "header", "name": "x-key", "value": "${secret:s}"}"#],
        "first": ["auth": #"{"kind": "header", "name": "x-key", "value": "${secret:s}, a"}"#],
        "last": ["auth": #"{"kind": "header", "name": "x-key", "value": "Key ${secret:s}"}"#],
        "within": [
            "auth": #"{"kind": "header", "name": "x-key", "value": "Key ${secret:s}; v=1"}"#
        ],
        "field": ["request": #"{"path": "/", "headers": {"x-s": "${secret:s}"}}"#],
        "body": ["request": #"{"path": "/", "body": {"a": "${secret:s}"}}"#],
        "user": ["auth": #"{"kind": "basic", "user": "${secret:s}", "password": "x"}"#],
        "password": ["auth": #"{"kind": "basic", "user": "u", "password": "${secret:s}"}"#],
        "signature": [
            "auth":
                #"{"kind": "hmac", "hash": "sha256", "key": "${secret:s}", "over": ["${body}"], "as": "hex", "use": "x"}"#
        ],
        "exchange": [
            "auth":
                #"{"kind": "client_credentials", "url": "https://a.example/t", "form": {"s": "${secret:s}"}, "token": "/t", "lifetime": "1h", "use": "x: ${token}"}"#
        ],
    ]

    @Test(
        arguments: [
            ("", ["alone", "first", "last", "field", "user", "signature"]),
            (" a", ["alone", "first", "field"]), ("a ", ["alone", "last", "field"]),
            ("a\tb", []),
            ("a\nb", ["alone", "first", "last", "within", "field", "user", "password"]),
        ] as [(String, [String])])
    func `a secret is refused where it could not be sent, or says nothing`(
        secret: String, places: [String]
    ) throws {
        var refused: Set<String> = []
        for (place, members) in Self.secretPlaces {
            let described = try Described(
                members.merging(["settings": #"{"s": {"secret": true}}"#]) { $1 })
            do {
                _ = try described.request([row], secrets: ["s": secret])
            } catch is ProviderSettings.Fault {
                refused.insert(place)
            }
        }
        #expect(refused == Set(places))
    }

    @Test func `a token is signed here`() throws {
        let described = try Described([
            "settings": #"{"key": {"secret": true}, "kid": {}, "account": {}}"#,
            "auth": ##"""
            {"kind": "jwt", "alg": "RS256", "key": "${secret:key}", "header": {"kid": "${set:kid}"},
             "claims": {"aud": "https://example.com/token", "iss": "${set:account}", "n": 1},
             "lifetime": "1h", "use": "Authorization: Bearer ${token}"}
            """##,
        ])
        let request = try described.request(
            [row], settings: [("kid", "k1"), ("account", "a\"b")],
            secrets: ["key": RFC7515.rsaKey])
        let value = try #require(request.field("authorization"))
        let parts = try #require(value.split(separator: " ").last).split(separator: ".")
        try #require(parts.count == 3 && value.hasPrefix("Bearer "))
        let texts = parts.map {
            Base64URL.decode($0.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(texts[0] == #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
        #expect(
            texts[1]
                == #"{"aud":"https://example.com/token","iss":"a\"b","n":1,"iat":1614265330,"exp":1614268930}"#
        )
        let signer = try RS256Signer(pem: Secret(RFC7515.rsaKey), file: "key")
        #expect(
            try Base64URL.encode(signer.sign("\(parts[0]).\(parts[1])")) == String(parts[2]))
        let fault = #expect(throws: RequestProof.Fault.self) {
            try described.request(
                [row], settings: [("kid", "k1"), ("account", "a")], secrets: ["key": "none"])
        }
        #expect(
            fault?.text == "key holds no usable private key: there is no 'BEGIN PRIVATE KEY' in it")
    }

    // MARK: Masks

    private static let kinds = [
        #"{"kind": "header", "name": "x-key", "value": "Key ${secret:s}"}"#,
        #"{"kind": "basic", "user": "u", "password": "${secret:s}"}"#,
        ##"{"kind": "hmac", "hash": "sha256", "key": "${secret:s}", "over": ["${body}"], "as": "hex", "use": "x-key"}"##,
        ##"{"kind": "jwt", "alg": "ES256", "key": "${secret:s}", "lifetime": "1h", "use": "x-key: ${token}"}"##,
    ]

    @Test(arguments: kinds)
    func `a secret that is masked is nowhere`(auth: String) throws {
        let described = try Described([
            "settings": #"{"s": {"secret": true}}"#, "auth": auth,
            "request":
                #"{"path": "/", "headers": {"x-s": "${secret:s}"}, "body": {"a": "${secret:s}"}}"#,
        ])
        let request = try described.request([row], secrets: ["s": "hunter2"], masked: true)
        #expect(request.bodyText == #"{"a":"•••"}"#)
        #expect(request.field("x-s") == "•••")
        let shown = try #require(request.field("x-key") ?? request.field("authorization"))
        #expect(shown.hasSuffix("•••"))
        #expect(!"\(request)".contains("hunter2"))
        // One that is not there is masked in any case.
        #expect(try described.request([row]) == request)
    }

    @Test func `a token that is not there is masked`() throws {
        let described = try Described(["auth": #"{"kind": "bearer_file", "file": "token.txt"}"#])
        #expect(try described.request([row]).field("authorization") == "Bearer •••")
    }

    @Test(
        arguments: [
            ([("regin", "x")], [:], "test has no setting regin; did you mean region?"),
            ([("key", "x")], [:], "key of test is a secret"),
            ([("region", "x")], ["region": "x"], "region of test is no secret"),
            ([], [:], "test needs the setting region, which has no value"),
            ([("region", "x")], ["other": "x"], "test has no secret other; it has key"),
        ] as [([(String, String)], [String: String], String)])
    func `settings are those of the description`(
        given: [(String, String)], secrets: [String: String], words: String
    ) throws {
        let described = try Described([
            "settings": #"{"region": {}, "key": {"secret": true}}"#,
            "request": #"{"path": "/${set:region}", "headers": {"x-key": "${secret:key}"}}"#,
        ])
        let fault = #expect(throws: ProviderSettings.Fault.self) {
            try described.request(
                [row], settings: given.map { (name: $0.0, value: $0.1) }, secrets: secrets)
        }
        #expect(fault?.text.contains(words) == true, "\(String(describing: fault))")
    }
}
