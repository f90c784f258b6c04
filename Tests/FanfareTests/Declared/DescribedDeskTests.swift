import Fanfare
import FanfareBase
import FanfareCore
import Testing

@testable import FanfareSimulator

/// The simulator's answers for providers that files describe.
@Suite struct DescribedDeskTests {
    /// A desk with a scenario, and what a client says to it.
    private final class Stage {
        let file: ProviderFile
        let desk: DescribedDesk
        let core: SimulatorCore
        var unixMilliseconds: UInt64 = 1_700_000_000_000
        var authorization: String?

        init(_ file: ProviderFile, rules: String = "") throws {
            self.file = file
            desk = try DescribedDesk(file, tokenLife: .seconds(60))
            var configuration = SimulatorConfiguration()
            var text = #"{"rules":[\#(rules)]}"#
            configuration.scenario = try text.withUTF8 {
                try Scenario(json: $0, isDescribed: true)
            }
            try desk.check(configuration.scenario)
            configuration.described = desk
            core = SimulatorCore(configuration)
        }

        func ask(
            _ method: String, _ path: String, _ body: [UInt8] = [], field: String? = nil
        ) -> GoogleDesk.Decision {
            desk.decide(
                DescribedDesk.Received(
                    method: method, path: path, body: body,
                    field: { [authorization] in $0 == "authorization" ? authorization : field }),
                core: core, unixMilliseconds: unixMilliseconds
            ) { token, service, isFurtherRow in
                var request = ScenarioState.Request(
                    connection: 1, numberOnConnection: 1, connectionAge: 0,
                    now: Instant(nanoseconds: 0), service: service)
                request.isFurtherRow = isFurtherRow
                return core.scenario.rule(for: request, token: token)
            }
        }

        /// The path of the first example's request.
        private func path(_ example: DeclaredExample) throws -> String {
            let url = try #require(example.request).url
            return String(try DeclaredURL(service: url).path)
        }

        /// Sends the request of the first example.
        /// - Returns: The meaning of the answer for each of its rows.
        func outcomes() throws -> [Outcome] {
            let example = try #require(file.provider.examples.first)
            let request = try #require(example.request)
            authorization = try token() ?? authorization
            let answer = ask(
                request.method, try path(example), request.body,
                field: try tokens(example).first
            ).answer
            let reply = file.reply(status: UInt16(answer.status), body: answer.body)
            return DeclaredJudge(file.provider.answer)
                .judge(reply, tokens: try tokens(example).map { Array($0.utf8) })
                .rows.map(\.class.outcome)
        }

        func tokens(_ example: DeclaredExample) throws -> [String] {
            let column = file.provider.columns[file.provider.token.column]
            return try example.rows.map { try #require($0[column]?.word) }
        }

        /// The value of `authorization`, where tokens are given out.
        private func token() throws -> String? {
            guard file.provider.authorization.kind == .clientCredentials else { return nil }
            let answer = ask("POST", "/oauth2/v3/token").answer
            let json = try #require(file.reply(status: 200, body: answer.body).body)
            return "Bearer \(try #require(json["access_token"]?.text))"
        }
    }

    /// Those that are sent to one address.
    private static let names = ShippedProvider.all.map(\.name).filter { $0 != "webhook" }

    private static func file(_ name: String) throws -> ProviderFile {
        try #require(ShippedProvider(named: name)).file()
    }

    @Test(arguments: names)
    func `rows of every file are accepted as its examples say`(name: String) throws {
        let stage = try Stage(Self.file(name))
        let outcomes = try stage.outcomes()
        #expect(!outcomes.isEmpty && outcomes.allSatisfy { $0 == .accepted }, "\(outcomes)")
    }

    @Test(arguments: names)
    func `rows of every file have the outcomes that a scenario wants`(name: String) throws {
        let file = try Self.file(name)
        var tried = 0
        for outcome in Outcome.allCases where outcome != .invalid && outcome != .skipped {
            let rule = #"{"then":{"outcome":"\#(outcome.name)"}}"#
            guard let stage = try? Stage(file, rules: rule) else { continue }
            let outcomes = try stage.outcomes()
            // Of several rows with one verdict none is known to be dead.
            let expected: [Outcome] =
                outcome == .unregistered && outcomes.count > 1
                ? [.unregistered, .suspect] : [outcome]
            #expect(
                outcomes.allSatisfy { expected.contains($0) }, "\(outcome): \(outcomes)")
            tried += 1
        }
        #expect(tried >= 4)
    }

    @Test func `rows of one request have outcomes of their own`() throws {
        let rule = #"{"when":{"tokenPrefix":"bb"},"then":{"outcome":"unregistered"}}"#
        #expect(try Stage(Self.file("hms"), rules: rule).outcomes() == [.accepted, .unregistered])
        let expo = try Self.file("expo")
        let example = try #require(expo.provider.examples.first)
        let tokens = try Stage(expo).tokens(example)
        try #require(tokens.count == 2)
        let second = #"{"when":{"tokenPrefix":"\#(tokens[1])"},"then":{"outcome":"unregistered"}}"#
        #expect(try Stage(expo, rules: second).outcomes() == [.accepted, .unregistered])
    }

    /// JPush says 1003 of a request with an illegal token, and nothing of the others.
    @Test func `a scenario may ask for an answer after which a request is split`() throws {
        let file = try Self.file("jpush")
        let stage = try Stage(
            file,
            rules: #"{"when":{"tokenPrefix":"1a"},"then":{"status":400,"reason":"1003"}}"#)
        #expect(try stage.outcomes() == [.suspect, .suspect])
        let request = try #require(file.provider.examples.first?.request)
        let answer = stage.ask(
            request.method, try DeclaredURL(service: request.url).path, request.body
        ).answer
        let reply = file.reply(status: UInt16(answer.status), body: answer.body)
        #expect(
            DeclaredJudge(file.provider.answer).judge(reply, tokens: [[1], [2]]).splits)
    }

    /// They would be accepted otherwise, since the rule has no effect on them.
    @Test(arguments: [
        #"{"then":{"rateLimit":{"rate":"1/s","burst":1},"status":503}}"#,
        #"{"when":{"everyNth":2},"then":{"status":503}}"#,
        #"{"then":{"latency":"1ms"}}"#,
    ])
    func `a rule for requests leaves their further rows to the rules behind it`(
        rule: String
    ) throws {
        let dead = #"{"when":{"tokenPrefix":"bb"},"then":{"outcome":"unregistered"}}"#
        let stage = try Stage(Self.file("hms"), rules: rule + "," + dead)
        #expect(try stage.outcomes() == [.accepted, .unregistered])
        // The second request is above the rate, and every other one.
        let isRefused = try !stage.outcomes().contains(.unregistered)
        #expect(isRefused == rule.contains("503"))
    }

    /// Those of TPNS are all with 200; 1008028 is its quota.
    @Test func `a reason of a scenario chooses among answers with 200`() throws {
        let file = try Self.file("tpns")
        let stage = try Stage(file, rules: #"{"then":{"status":200,"reason":"1008028"}}"#)
        #expect(try Set(stage.outcomes()) == [.throttled])
        let example = try #require(file.provider.examples.first?.request)
        let path = try DeclaredURL(service: example.url).path
        let answer = stage.ask(example.method, path, example.body).answer
        #expect(answer.status == 200 && !answer.accepts)
        #expect(throws: SimulatorError.self) {
            try Stage(file, rules: #"{"then":{"status":200,"reason":"1999999"}}"#)
        }
    }

    @Test func `a status of a scenario has the body of the example with its reason`() throws {
        let file = try Self.file("ntfy")
        func body(_ reason: String) throws -> String {
            let stage = try Stage(
                file, rules: #"{"then":{"status":429,"reason":"\#(reason)","retryAfter":2}}"#)
            let example = try #require(file.provider.examples.first)
            let request = try #require(example.request)
            let path = try DeclaredURL(service: request.url).path
            let decision = stage.ask(request.method, path, request.body)
            #expect(decision.answer.status == 429 && decision.rule == 0)
            return String(decoding: decision.answer.body, as: UTF8.self)
        }
        #expect(try body("daily").contains("42908"))
        #expect(try body("").contains("42901"))
    }

    @Test func `tokens are given out, wanted and good for a time`() throws {
        let stage = try Stage(Self.file("hms"))
        let path = "/v1/10086/messages:send"
        let body = Array(#"{"message":{"token":["AAAA"]}}"#.utf8)
        func status() -> Int { stage.ask("POST", path, body).answer.status }
        #expect(status() == 401)
        stage.authorization = "Bearer other"
        #expect(status() == 401)
        let given = stage.ask("POST", "/oauth2/v3/token")
        #expect(given.service == .oauth)
        let json = try #require(stage.file.reply(status: 200, body: given.answer.body).body)
        #expect(json["expires_in"]?.word == "60")
        stage.authorization = "Bearer \(try #require(json["access_token"]?.text))"
        #expect(status() == 200)
        stage.unixMilliseconds += 59_999
        #expect(status() == 200)
        stage.unixMilliseconds += 1
        #expect(status() == 401)
    }

    @Test func `requests for tokens are refused by name only`() throws {
        let rules = #"{"when":{"provider":"oauth"},"then":{"status":503,"reason":"busy"}}"#
        let stage = try Stage(Self.file("hms"), rules: rules)
        let refused = stage.ask("POST", "/oauth2/v3/token").answer
        #expect(refused.status == 503)
        #expect(String(decoding: refused.body, as: UTF8.self) == #"{"error":"busy"}"#)
        let other = try Stage(Self.file("hms"), rules: #"{"then":{"status":503}}"#)
        #expect(other.ask("POST", "/oauth2/v3/token").answer.status == 200)
    }

    @Test func `what the file does not send is refused`() throws {
        let stage = try Stage(Self.file("ntfy"))
        #expect(stage.ask("POST", "/elsewhere", Array("{}".utf8)).answer.status == 400)
        #expect(stage.ask("POST", "/", Array("no JSON".utf8)).answer.status == 400)
        #expect(stage.ask("DELETE", "/").answer.status == 400)
    }

    @Test func `rows with URLs of their own are known by their paths`() throws {
        let rule = #"{"when":{"tokenPrefix":"/gone"},"then":{"outcome":"unregistered"}}"#
        let stage = try Stage(Self.file("webhook"), rules: rule)
        let taken = stage.ask("POST", "/in?a=b", Array("{}".utf8))
        #expect(taken.answer.status == 200 && taken.target == "/in?a=b")
        #expect(stage.ask("POST", "/gone/1", Array("{}".utf8)).answer.status == 410)
        #expect(stage.ask("GET", "/in").answer.status == 400)
    }

    @Test func `what cannot be simulated is said at the start`() throws {
        let bare = try Described([:]).file
        let error = #expect(throws: SimulatorError.self) {
            try DescribedDesk(bare, tokenLife: .seconds(60))
        }
        #expect(error?.message.contains("no example of an answer") == true)
        let outcome = #expect(throws: SimulatorError.self) {
            try Stage(Self.file("gotify"), rules: #"{"then":{"outcome":"throttled"}}"#)
        }
        #expect(
            outcome?.description
                == "rules[0].then.outcome: no example of gotify has an answer for throttled")
    }

    // MARK: Patterns

    @Test(
        arguments: [
            ("/to/${row:token}", "/to/ab%2Fc", "ab%2Fc"), ("/to/${row:token}/x", "/to/ab/x", "ab"),
            ("/to/${row:token}/x", "/to/ab/y", nil), ("/${row:title}/${row:token}", "/a/b", "b"),
            ("/to?t=${row:token}&x=1", "/to?t=ab&x=1", "ab"), ("/to", "/to", ""),
            ("/to", "/to/", nil),
            ("/to/${row:token}", "/two/ab", nil),
        ] as [(String, String, String?)])
    func `a value is found in what was made of a text`(
        text: String, path: String, found: String?
    ) throws {
        let file = try Described([
            "request":
                #"{"path": "\#(text)", "body": {"to": "${row:token}", "b": "${row:title|x}"}}"#
        ]).file
        let column = file.provider.token.column
        let pattern = TextPattern(file.provider.request.path) { $0 == .column(column) }
        #expect(pattern.find(in: path.utf8).map { String(decoding: $0, as: UTF8.self) } == found)
    }

    @Test(arguments: [
        ("https://a.example/oauth/token", "/oauth/token", true),
        ("https://a.example/oauth/token", "/oauth/other", false),
        ("${set:origin}/token", "/token", true), ("${set:origin}/token", "/x", false),
        ("https://${set:origin}/token", "/token", true),
    ])
    func `the address of tokens is known by its path`(
        url: String, path: String, isFound: Bool
    ) throws {
        let usesSetting = url.contains("${")
        let file = try Described([
            "settings": usesSetting ? #"{"origin": {"default": "https://a.example"}}"# : "{}",
            "auth": #"""
            {"kind": "client_credentials", "url": "\#(url)", "form": {}, "token": "/t",
             "lifetime": "1h", "use": "authorization: Bearer ${token}"}
            """#,
        ]).file
        guard case .clientCredentials(let exchange) = file.provider.authorization else {
            Issue.record("it has no exchange")
            return
        }
        #expect((TextPattern(pathOf: exchange.url).find(in: path.utf8) != nil) == isFound)
    }
}
