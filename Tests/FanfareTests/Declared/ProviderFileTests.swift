import FanfareCore
import Testing

@testable import Fanfare

/// The parts of a file as they are read, as far as requests and answers do not show it.
@Suite struct ProviderFileTests {
    private static let settings =
        #"{"app": {}, "secret": {"secret": true}, "path": {"default": "token.txt"}}"#
    private static let request =
        #"{"path": "/${set:app}/${set:path}", "headers": {"x-s": "${secret:secret}"}}"#

    private func faults(_ members: [String: String]) -> [DeclaredFault] {
        do {
            _ = try Described(text: members)
            return []
        } catch {
            return (error as? ProviderFile.Faults)?.list ?? []
        }
    }

    private func read(auth: String) throws -> DeclaredAuthorization {
        try Described([
            "settings": Self.settings, "request": Self.request, "auth": auth,
        ]).file.provider.authorization
    }

    @Test func `a key begins no line of a message, and no terminal obeys it`() {
        let error = #expect(throws: ProviderFile.Faults.self) {
            try ProviderFile(Array(#"{"fanfare_provid\r\n\u001b[31m": 1}"#.utf8), name: "file")
        }
        let messages = (error?.list ?? []).map(\.description)
        #expect(messages.contains { $0.contains(#"/fanfare_provid\r\n\u{1B}[31m is not known"#) })
        #expect(messages.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    // MARK: Who sends

    @Test func `a token that a service gives is described`() throws {
        let auth = try read(
            auth: ##"""
                {"kind": "client_credentials", "url": "https://auth.example.com/token",
                 "form": {"grant_type": "client_credentials", "secret": "${secret:secret}"},
                 "token": "/access_token", "lifetime": "/expires_in", "use": "X-Auth"}
                """##)
        guard case .clientCredentials(let exchange) = auth else {
            Issue.record("\(auth)")
            return
        }
        #expect(exchange.encoding == .form && exchange.token.text == "/access_token")
        #expect(exchange.lifetime == .seconds(JSONPointer(keys: ["expires_in"])))
        #expect(exchange.fields.map(\.name) == ["grant_type", "secret"])
        #expect(
            exchange.use == DeclaredField("x-auth", DeclaredText([.value(.token, fallback: nil)])))
        #expect(auth.isRenewable)
    }

    @Test func `a login with a digest is described`() throws {
        let auth = try read(
            auth: ##"""
                {"kind": "login", "url": "https://auth.example.com:8443/login", "encoding": "form",
                 "fields": {"app": "${set:app}", "sign": {"md5": ["${time:ms}", "${secret:secret}"]}},
                 "token": "/data/token", "lifetime": "23h", "use": "authorization: Bearer ${token}"}
                """##)
        guard case .login(let exchange) = auth, exchange.fields.count == 2,
            case .digest(let digest, let texts) = exchange.fields[1].value
        else {
            Issue.record("\(auth)")
            return
        }
        #expect(exchange.encoding == .form && exchange.lifetime == .fixed(.seconds(23 * 3600)))
        #expect(digest == .md5 && texts.count == 2)
        #expect(texts[0] == DeclaredText([.value(.milliseconds, fallback: nil)]))
        #expect(exchange.use.name == "authorization")
    }

    @Test func `files with tokens and keys are described`() throws {
        let path = DeclaredText([.value(.setting(2), fallback: nil)])
        #expect(
            try read(auth: #"{"kind": "bearer_file", "file": "${set:path}"}"#) == .bearerFile(path))
        #expect(
            try read(auth: #"{"kind": "service_account", "file": "${set:path}", "scope": "s"}"#)
                == .serviceAccount(file: path, scope: "s"))
        #expect(try read(auth: #"{"kind": "none"}"#).tokenField == nil)
    }

    @Test(arguments: [
        (
            #"{"kind": "hmac", "hash": "sha256", "key": "${secret:secret}", "over": ["${time:s}"], "as": "hex", "use": "x"}"#,
            "/auth/over", "does not have ${body}"
        ),
        (
            #"{"kind": "hmac", "hash": "sha1", "key": "${secret:secret}", "over": ["${body}"], "as": "hex", "use": "x"}"#,
            "/auth/hash", "it may be sha256"
        ),
        (
            #"{"kind": "hmac", "hash": "sha256", "key": "${secret:secret}", "over": ["${body}"], "as": "hex", "use": "x", "also": {"t": "${secret:secret}"}}"#,
            "/auth/also/t", "cannot stand here"
        ),
        (
            #"{"kind": "jwt", "alg": "HS256", "key": "${secret:secret}", "lifetime": "1h", "use": "x"}"#,
            "/auth/alg", "it may be RS256, PS256, ES256"
        ),
        (
            #"{"kind": "jwt", "alg": "RS256", "key": "k-${secret:secret}", "lifetime": "1h", "use": "x"}"#,
            "/auth/key", "more than a secret"
        ),
        (
            #"{"kind": "jwt", "alg": "RS256", "key": "${secret:secret}", "lifetime": "1s", "use": "x"}"#,
            "/auth/lifetime", "1m to 24h"
        ),
        (
            #"{"kind": "jwt", "alg": "RS256", "key": "${secret:secret}", "lifetime": "1h", "use": "x", "claims": {"exp": 1}}"#,
            "/auth/claims/exp", "made by itself"
        ),
        (
            #"{"kind": "jwt", "alg": "RS256", "key": "${secret:secret}", "lifetime": "1h", "use": "x: Bearer"}"#,
            "/auth/use", "no place for the token"
        ),
        (
            #"{"kind": "client_credentials", "url": "http://a.example/t", "form": {}, "token": "/t", "lifetime": "1h", "use": "x"}"#,
            "/auth/url", "no https URL"
        ),
        (
            #"{"kind": "header", "name": "x-key", "value": "Key hunter2"}"#, "/auth/value",
            "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "basic", "user": "u", "password": "hunter2"}"#, "/auth/password",
            "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "basic", "user": "${set:app}", "password": "hunter2"}"#, "/auth/password",
            "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "hmac", "hash": "sha256", "key": "hunter2", "over": ["${body}"], "as": "hex", "use": "x"}"#,
            "/auth/key", "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "hmac", "hash": "sha256", "key": "${row:k}", "key_default": "hunter2", "over": ["${body}"], "as": "hex", "use": "x"}"#,
            "/auth/key_default", "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "hmac", "hash": "sha256", "key": "${secret:secret}", "over": ["${body}"], "as": "hex", "use": "x", "also": {"Authorization": "Key hunter2"}}"#,
            "/auth/also/Authorization", "stands in the file, where everyone can read it"
        ),
        (
            #"{"kind": "login", "url": "https://a.example/t", "fields": {"s": {"sha1": []}}, "token": "/t", "lifetime": "1h", "use": "x"}"#,
            "/auth/fields/s/sha1", "is not known here"
        ),
        (
            #"{"kind": "login", "url": "https://a.example/t", "fields": {"s": {"sha256": [], "md5": []}}, "token": "/t", "lifetime": "1h", "use": "x"}"#,
            "/auth/fields/s", "one digest"
        ),
    ])
    func `what is wrong with it is told`(auth: String, pointer: String, words: String) throws {
        let faults = faults(["settings": Self.settings, "request": Self.request, "auth": auth])
        #expect(faults.map(\.place.pointer.text) == [pointer])
        #expect(faults.first?.text.contains(words) == true, "\(faults)")
    }

    @Test(arguments: ["authorization", "Authorization", "proxy-authorization"])
    func `a proof in a header field of requests does not stand in the file`(name: String) throws {
        func members(_ value: String) -> [String: String] {
            [
                "settings": #"{"secret": {"secret": true}}"#,
                "request": #"""
                {"path": "/", "headers": {"x-s": "${secret:secret}", "\#(name)": "\#(value)"}}
                """#,
            ]
        }
        let faults = faults(members("Basic aHVudGVyMg=="))
        #expect(faults.map(\.place.pointer.text) == ["/request/headers/\(name)"])
        #expect(faults.first?.text.contains("stands in the file") == true, "\(faults)")
        for value in ["Key ${secret:secret}", "Bearer ${row:token}"] {
            #expect(self.faults(members(value)) == [])
        }
    }

    @Test func `a constant beside a key in the place of a name is no password`() throws {
        let auth = try read(
            auth: #"{"kind": "basic", "user": "${secret:secret}", "password": "x"}"#)
        #expect(auth.kind == .basic)
    }

    // MARK: The rest

    @Test(arguments: ["2027-01-01", "2027-12-31"])
    func `a year ends with 31 December`(day: String) throws {
        #expect(try Described(["ends": "\"\(day)\""]).file.provider.end == day)
    }

    @Test func `pace, patience and protocol are read`() throws {
        let provider = try Described([
            "protocol": #""http/1.1""#,
            "pace": #"""
            {"rows_per_second": 550, "requests_per_second": 2.5, "burst": 60, "in_flight": 6, "ramp": "1m",
             "remaining_header": "X-Left", "reset_header": "x-reset"}
            """#,
            "request":
                #"{"method": "PUT", "path": "/", "timeout": "100s", "max_body": 4096, "body": {}}"#,
            "batch": #"{"rows": 3, "messages": "", "linger": "1s"}"#, "ends": #""2027-01-12""#,
            "tried": "true", "about": #""a""#, "sources": #"["b"]"#, "notes": #"["c"]"#,
        ]).file.provider
        #expect(provider.transport == .http1)
        var pace = DeclaredPace()
        pace.rowsPerSecond = DeclaredRate(550)
        pace.requestsPerSecond = DeclaredRate(5, inSeconds: 2)
        pace.burst = 60
        pace.inFlight = 6
        pace.ramp = .seconds(60)
        pace.remainingField = "x-left"
        pace.resetField = "x-reset"
        #expect(provider.pace == pace)
        #expect(provider.request.method == "PUT" && provider.request.timeout == .seconds(100))
        #expect(provider.request.bodyBytesMax == 4096)
        #expect(provider.batch == DeclaredBatch(.messages, rowsMax: 3, linger: .seconds(1)))
        #expect(provider.isTried && provider.end == "2027-01-12" && provider.about == "a")
        #expect(provider.sources == ["b"] && provider.notes == ["c"])
    }

    @Test(
        arguments: [
            (["ends": #""tomorrow""#], "/ends", "no day"),
            (["ends": #""2027-00-01""#], "/ends", "no day"),
            (["ends": #""2027-13-01""#], "/ends", "no day"),
            (["ends": #""2027-12-32""#], "/ends", "no day"),
            (["pace": #"{"ramp": 5}"#], "/pace/ramp", "no length of time"),
            (
                [
                    "request": #"{"path": "/", "body": {"a": 1}}"#,
                    "idempotency": #"{"pointer": "/a", "value": "uuid5", "valid": "1h"}"#,
                ], "/idempotency/pointer", "no such member yet"
            ),
            (
                [
                    "idempotency":
                        #"{"header": "a", "pointer": "/b", "value": "uuid5", "valid": "1h"}"#
                ],
                "/idempotency/pointer", "one place too many"
            ),
            (
                ["idempotency": #"{"value": "uuid5", "valid": "1h"}"#], "/idempotency",
                "goes nowhere"
            ),
            (
                [
                    "auth":
                        #"{"kind": "hmac", "hash": "sha256", "key": "${row:k}", "over": ["${body}"], "as": "hex", "use": "x"}"#,
                    "request": #"{"path": "/", "body": {"to": []}}"#,
                    "batch": #"{"rows": 2, "tokens": "/to"}"#,
                ], "/batch", "no key of their own"
            ),
            (
                [
                    "request": #"{"path": "/${row:token}", "body": {"to": []}}"#,
                    "batch": #"{"rows": 2, "tokens": "/to"}"#,
                ], "/batch", "no effect"
            ),
            (
                [
                    "answer":
                        #"{"rules": [{"status": 400, "outcome": "suspect", "split": true}], "otherwise": "rejected"}"#
                ],
                "/answer/rules/0/split", "has no effect"
            ),
            (
                [
                    "answer":
                        #"{"rules": [], "otherwise": "rejected", "rows": {"by": "index", "list": "/d", "rules": [{"status": 200, "outcome": "accepted"}], "otherwise": "rejected"}}"#
                ], "/answer/rows/rules/0/status", "is the answer's"
            ),
            (
                ["answer": #"{"rules": [], "otherwise": "rejected", "rows": "batch"}"#],
                "/answer/rows", "an object"
            ),
            (
                ["answer": #"{"rules": [], "otherwise": "rejected", "decode": ["x"]}"#],
                "/answer/decode/0", "write /x"
            ),
        ] as [([String: String], String, String)])
    func `what does not fit is told`(
        members: [String: String], pointer: String, words: String
    ) throws {
        let faults = faults(members)
        #expect(faults.map(\.place.pointer.text) == [pointer])
        #expect(faults.first?.text.contains(words) == true, "\(faults)")
    }

    @Test func `a byte order mark does not count`() throws {
        let text = ShippedProvider(named: "ntfy")?.bytes ?? []
        let file = try ProviderFile([0xEF, 0xBB, 0xBF] + text, name: "ntfy.json")
        #expect(file.provider.name == "ntfy")
    }
}
