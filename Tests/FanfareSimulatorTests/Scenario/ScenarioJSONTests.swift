import FanfareJSON
import FanfareSimulator
import Glibc
import Testing

@Suite struct ScenarioJSONTests {
    private func scenario(_ text: String) throws -> Scenario {
        var text = text
        return try text.withUTF8 { try Scenario(json: $0, file: "s.json") }
    }

    private func action(_ then: String) throws -> Scenario.Action {
        try scenario(#"{"rules":[{"then":\#(then)}]}"#).rules[0].action
    }

    private func condition(_ when: String) throws -> Scenario.Condition {
        try scenario(#"{"rules":[{"when":\#(when),"then":{"status":500}}]}"#).rules[0].condition
    }

    @Test func `conditions are read in all their forms`() throws {
        #expect(try condition(#"{"tokenPrefix":"DeAd"}"#).tokenPrefix == Array("dead".utf8))
        #expect(try condition(#"{"fraction":0.25}"#).fraction == 0..<0.25)
        #expect(try condition(#"{"fraction":[0.25,1]}"#).fraction == 0.25..<1)
        #expect(try condition(#"{"everyNth":3}"#).everyNth == 3)
        #expect(try condition(#"{"connection":2}"#).connections == 2...2)
        #expect(try condition(#"{"connection":[2,4]}"#).connections == 2...4)
        #expect(try condition(#"{"after":10}"#).afterRequests == 10)
        #expect(try condition(#"{"after":"1.5s"}"#).afterNanoseconds == 1_500_000_000)
        #expect(try condition(#"{"attempt":[1,2]}"#).attempts == 1...2)
        #expect(try condition("{}") == Scenario.Condition())
    }

    @Test func `answers are read with their defaults`() throws {
        #expect(
            try action(#"{"status":410,"reason":"ExpiredToken","timestamp":5}"#).stream
                == .answer(.init(status: 410, reason: "ExpiredToken", timestamp: 5)))
        #expect(
            try action(#"{"status":410}"#).stream
                == .answer(.init(status: 410, reason: "Unregistered")))
        #expect(try action(#"{"status":400}"#).stream == .answer(.init(status: 400)))
        #expect(
            try action(#"{"status":503,"reason":"","retryAfter":7}"#).stream
                == .answer(.init(status: 503, retryAfter: "7")))
        #expect(
            try action(#"{"status":503,"reason":"","retryAfter":{"dateIn":"1.5s"}}"#).stream
                == .answer(.init(status: 503, retryDateNanoseconds: 1_500_000_000)))
        #expect(try action(#"{"latency":"5ms"}"#).stream == .accept)
        #expect(try action(#"{"latency":"5ms"}"#).latency == .fixed(.milliseconds(5)))
    }

    @Test func `faults of the wire are read`() throws {
        #expect(try action(#"{"stall":"stream"}"#).stream == .stall)
        #expect(try action(#"{"stall":"connection"}"#).stallsConnection)
        #expect(
            try action(#"{"resetStream":"REFUSED_STREAM"}"#).stream == .reset(errorCode: 7))
        #expect(try action(#"{"resetStream":11}"#).stream == .reset(errorCode: 11))
        #expect(try action(#"{"closeConnection":true}"#).closesConnection)
        #expect(try action(#"{"closeConnection":true}"#).stream == .stall)
        #expect(try !action(#"{"closeConnection":true}"#).resetsConnection)
        let unread = try action(#"{"status":200,"closeConnection":"unread"}"#)
        #expect(unread.closesConnection && unread.leavesUnread && !unread.resetsConnection)
        let reset = try action(#"{"closeConnection":"reset"}"#)
        #expect(reset.closesConnection && reset.resetsConnection && reset.stream == .stall)
        let deaf = try action(#"{"stopReading":true}"#)
        #expect(deaf.stopsReading && deaf.stream == .accept)
        #expect(try action(#"{"maxConcurrentStreams":0}"#).maxConcurrentStreams == 0)

        let graceful = try action(#"{"goaway":"graceful"}"#)
        #expect(graceful.goAway == Scenario.GoAway())
        #expect(graceful.stream == .accept)
        let hard = try action(
            #"{"goaway":{"error":"NO_ERROR","lastStreamID":"before","reason":"Shutdown"}}"#)
        #expect(hard.goAway?.errorCode == 0)
        #expect(hard.goAway?.lastStream == .beforeThis)
        #expect(hard.goAway?.reason == "Shutdown")
        #expect(hard.stream == .stall)
    }

    @Test(
        arguments: [
            ("0.5/s", 2e9), ("2m/d", 43_200_000), ("2M/d", 43_200_000), ("1/.5s", 5e8),
            ("3/7µs", 7000.0 / 3),
        ] as [(String, Double)])
    func `a rate is written as in options`(text: String, nanoseconds: Double) throws {
        let rule = try #require(
            try scenario(#"{"rules":[{"then":{"rateLimit":"\#(text)"}}]}"#).rules.first)
        #expect(rule.condition.rateLimit?.nanosecondsPerRequest == nanoseconds)
    }

    @Test func `a rate limit is a condition with an answer`() throws {
        let rule = try scenario(
            #"{"rules":[{"then":{"rateLimit":{"rate":"90k/m","burst":5}}}]}"#
        ).rules[0]
        #expect(rule.condition.rateLimit?.nanosecondsPerRequest.rounded() == 666_667)
        #expect(rule.condition.rateLimit?.burst == 5)
        #expect(rule.action.stream == .answer(.init(status: 429, reason: "TooManyRequests")))
    }

    @Test func `a rate limit may be each token's or connection's own`() throws {
        func read(_ limit: String) throws -> Scenario {
            try scenario(#"{"rules":[{"then":{"rateLimit":\#(limit)}}]}"#)
        }
        func scope(_ limit: String) throws -> Scenario.RateLimit.Scope? {
            try read(limit).rules[0].condition.rateLimit?.scope
        }
        #expect(try scope(#""1/s""#) == .all)
        #expect(try scope(#"{"rate":"1/s","per":"all"}"#) == .all)
        #expect(try scope(#"{"rate":"1/s","per":"token"}"#) == .token)
        #expect(try scope(#"{"rate":"1/s","per":"connection"}"#) == .connection)
        // Any thread can count the requests that a connection counts for itself.
        #expect(try read(#"{"rate":"1/s","per":"token"}"#).countsAcrossConnections)
        #expect(try !read(#"{"rate":"1/s","per":"connection"}"#).countsAcrossConnections)
    }

    @Test(arguments: [
        (#"[]"#, "s.json"),
        (#"{"rules":{}}"#, "s.json.rules"),
        (#"{}"#, "s.json.rules"),
        (#"{"rules":[],"seed":1}"#, "s.json.seed"),
        (#"{"rules":[{}]}"#, "s.json: rules[0]"),
        (#"{"rules":[{"then":{}}]}"#, "s.json: rules[0].then"),
        (#"{"rules":[{"then":{"status":400},"else":1}]}"#, "s.json: rules[0].else"),
        (#"{"rules":[{"then":{"status":400,"status":401}}]}"#, "s.json: rules[0].then.status"),
        (#"{"rules":[{"then":{"status":199}}]}"#, "s.json: rules[0].then.status"),
        (#"{"rules":[{"then":{"status":600}}]}"#, "s.json: rules[0].then.status"),
        (#"{"rules":[{"then":{"status":"400"}}]}"#, "s.json: rules[0].then.status"),
        (#"{"rules":[{"then":{"reason":"x"}}]}"#, "s.json: rules[0].then"),
        (#"{"rules":[{"then":{"status":400,"reason":"a\"b"}}]}"#, "s.json: rules[0].then.reason"),
        (#"{"rules":[{"then":{"status":400,"timestamp":1}}]}"#, "s.json: rules[0].then.timestamp"),
        (#"{"rules":[{"then":{"resetStream":"NOPE"}}]}"#, "s.json: rules[0].then.resetStream"),
        (#"{"rules":[{"then":{"resetStream":-1}}]}"#, "s.json: rules[0].then.resetStream"),
        (#"{"rules":[{"then":{"status":400,"stall":"stream"}}]}"#, "s.json: rules[0].then"),
        (#"{"rules":[{"then":{"stall":true}}]}"#, "s.json: rules[0].then.stall"),
        (#"{"rules":[{"then":{"goaway":true}}]}"#, "s.json: rules[0].then.goaway"),
        (#"{"rules":[{"then":{"goaway":{}}}]}"#, "s.json: rules[0].then.goaway"),
        (#"{"rules":[{"then":{"latency":"soon"}}]}"#, "s.json: rules[0].then.latency"),
        (#"{"rules":[{"then":{"rateLimit":"100"}}]}"#, "s.json: rules[0].then.rateLimit"),
        (
            #"{"rules":[{"then":{"rateLimit":{"rate":"1/s","per":"row"}}}]}"#,
            "s.json: rules[0].then.rateLimit.per"
        ),
        (
            #"{"rules":[{"then":{"status":503,"retryAfter":-1}}]}"#,
            "s.json: rules[0].then.retryAfter"
        ),
        (
            #"{"rules":[{"then":{"status":503,"retryAfter":{"dateIn":2}}}]}"#,
            "s.json: rules[0].then.retryAfter.dateIn"
        ),
        (
            #"{"rules":[{"then":{"status":503,"retryAfter":{"dateIn":"2s","x":1}}}]}"#,
            "s.json: rules[0].then.retryAfter.x"
        ),
        (
            #"{"rules":[{"then":{"closeConnection":"gently"}}]}"#,
            "s.json: rules[0].then.closeConnection"
        ),
        (
            #"{"rules":[{"then":{"closeConnection":"reset","status":200}}]}"#,
            "s.json: rules[0].then"
        ),
        (#"{"rules":[{"then":{"stopReading":"yes"}}]}"#, "s.json: rules[0].then.stopReading"),
        (
            #"{"rules":[{"then":{"stopReading":true,"stall":"connection"}}]}"#,
            "s.json: rules[0].then"
        ),
        (
            #"{"rules":[{"then":{"stopReading":true,"closeConnection":true}}]}"#,
            "s.json: rules[0].then"
        ),
        (
            #"{"rules":[{"when":{"tokenPrefix":"xy"},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.tokenPrefix"
        ),
        (
            #"{"rules":[{"when":{"fraction":1.5},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.fraction"
        ),
        (
            #"{"rules":[{"when":{"everyNth":0},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.everyNth"
        ),
        (
            #"{"rules":[{"when":{"connection":[3,2]},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.connection"
        ),
        (
            #"{"rules":[{"when":{"after":"later"},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.after"
        ),
        (
            #"{"rules":[{"when":{"attempt":1.5},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.attempt"
        ),
        (
            #"{"rules":[{"when":{"moon":"full"},"then":{"status":400}}]}"#,
            "s.json: rules[0].when.moon"
        ),
    ])
    func `a fault is named with its place`(_ text: String, _ place: String) {
        let error = #expect(throws: SimulatorError.self) { try scenario(text) }
        #expect(error?.place == place)
    }

    @Test func `text that is not JSON is a fault of the file`() {
        let error = #expect(throws: SimulatorError.self) { try scenario("{\n oops") }
        #expect(error?.place == "s.json")
    }

    @Test func `the example of the documentation is valid`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try #require(fopen("/\(root)/docs/scenarios.md", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let text = String(decoding: bytes, as: UTF8.self)
        let start = try #require(text.firstRange(of: "```json\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "\n```")).lowerBound
        let example = try scenario(String(text[start..<end]))
        #expect(example.rules.count == 6)
        #expect(example.countsAcrossConnections)
    }
}
