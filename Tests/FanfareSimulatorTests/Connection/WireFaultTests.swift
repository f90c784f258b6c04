import FanfareCore
import FanfareHTTP2
import FanfareSimulator
import Testing

/// Each fault of the wire that a scenario can order, as the client sees it.
@Suite struct WireFaultTests {
    private func dialogue(
        _ rules: String, _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws -> SimulatedDialogue {
        var configuration = SimulatorConfiguration()
        var text = #"{"rules":[\#(rules)]}"#
        configuration.scenario = try text.withUTF8 { try Scenario(json: $0) }
        change(&configuration)
        return try SimulatedDialogue(configuration)
    }

    // MARK: The stream

    @Test(
        arguments: [
            ("PROTOCOL_ERROR", 1), ("INTERNAL_ERROR", 2), ("REFUSED_STREAM", 7), ("CANCEL", 8),
            ("ENHANCE_YOUR_CALM", 11), ("HTTP_1_1_REQUIRED", 13),
        ] as [(String, UInt32)])
    func `a stream is reset with the code that was named`(name: String, code: UInt32) throws {
        let dialogue = try dialogue(#"{"then":{"resetStream":"\#(name)"}}"#)
        // RFC 9113 §7
        #expect(try dialogue.send(1) == .init(status: 0, code: HTTP2ErrorCode(rawValue: code)))
        #expect(dialogue.core.counters.reset == 1)
    }

    @Test func `a stall lasts, and others are answered meanwhile`() throws {
        let dialogue = try dialogue(#"{"when":{"tokenPrefix":"d"},"then":{"stall":"stream"}}"#)
        #expect(try dialogue.send(1)?.status == 200)
        #expect(try dialogue.send(2, token: "d") == nil)
        #expect(try dialogue.send(3)?.status == 200)
        dialogue.advance(by: .seconds(3600))
        #expect(dialogue.endings[2] == nil)
    }

    // MARK: GOAWAY

    @Test(
        arguments: [
            (#"{"error":"NO_ERROR"}"#, 5, 0, ""),
            (#"{"error":"NO_ERROR","lastStreamID":"before"}"#, 3, 0, ""),
            (#"{"error":"NO_ERROR","lastStreamID":"this"}"#, 5, 0, ""),
            (#"{"error":"ENHANCE_YOUR_CALM","lastStreamID":1}"#, 1, 11, ""),
            (#"{"error":"INTERNAL_ERROR","lastStreamID":0}"#, 0, 2, ""),
            (
                #"{"error":99,"reason":"BadCertificateEnvironment"}"#, 5, 99,
                #"{"reason":"BadCertificateEnvironment"}"#
            ),
        ] as [(String, Int32, UInt32, String)])
    func `GOAWAY has the last id, the code and the reason that were named`(
        order: String, last: Int32, code: UInt32, debug: String
    ) throws {
        let dialogue = try dialogue(#"{"when":{"after":2},"then":{"goaway":\#(order)}}"#)
        for tag in UInt32(1)...2 { #expect(try dialogue.send(tag)?.status == 200) }
        _ = try dialogue.send(3)
        let goAway = try #require(dialogue.goAways.first)
        #expect(dialogue.goAways.count == 1)
        #expect(goAway.last == last && goAway.code.rawValue == code && goAway.debug == debug)
        #expect(dialogue.server.wantsClose)
    }

    @Test(arguments: ["0ms", "10ms"])
    func `what is above the last id of a GOAWAY is not answered`(latency: String) throws {
        let dialogue = try dialogue(
            #"{"then":{"status":200,"goaway":{"error":"NO_ERROR","lastStreamID":"this"}}}"#
        ) {
            $0.fixedStreamLimit = true
            // swift-format-ignore: NeverUseForceTry
            $0.latency = try! LatencyModel(latency)
        }
        for tag in UInt32(1)...4 { try dialogue.submit(tag) }
        dialogue.exchange()
        dialogue.advance(by: .milliseconds(10))
        #expect(dialogue.core.counters.accepted == 1)
        #expect(dialogue.goAways.map(\.last) == [1])
        #expect(dialogue.endings[1]?.status == 200)
        for tag in UInt32(2)...4 { #expect(dialogue.endings[tag]?.code == .refusedStream) }
    }

    @Test func `a GOAWAY has no higher last id than the one before it`() throws {
        let dialogue = try dialogue(
            #"""
            {"when":{"after":1},"then":{"status":200,"goaway":{"error":"NO_ERROR","lastStreamID":9}}},
            {"then":{"status":200,"goaway":{"error":"NO_ERROR","lastStreamID":5}}}
            """#
        ) { $0.fixedStreamLimit = true }
        for tag in UInt32(1)...3 { try dialogue.submit(tag) }
        dialogue.exchange()
        // RFC 9113 §6.8: the client would end the connection.
        #expect(dialogue.core.counters.accepted == 3)
        #expect(dialogue.goAways.map(\.last).allSatisfy { $0 == 5 })
        for tag in UInt32(1)...3 { #expect(dialogue.endings[tag]?.status == 200) }
    }

    // MARK: The end of the connection

    @Test func `a connection is closed before the answer`() throws {
        let dialogue = try dialogue(#"{"when":{"after":1},"then":{"closeConnection":true}}"#)
        #expect(try dialogue.send(1)?.status == 200)
        #expect(try dialogue.send(2) == nil)
        #expect(dialogue.server.wantsClose && !dialogue.server.endsWithReset)
        #expect(dialogue.core.counters.unanswered == 1)
    }

    @Test func `a connection is closed behind the answer`() throws {
        let dialogue = try dialogue(
            #"{"when":{"after":1},"then":{"status":503,"closeConnection":true}}"#)
        #expect(try dialogue.send(1)?.status == 200)
        #expect(!dialogue.server.wantsClose)
        #expect(try dialogue.send(2)?.status == 503)
        #expect(dialogue.server.wantsClose)
    }

    @Test func `a connection is reset`() throws {
        let dialogue = try dialogue(#"{"then":{"closeConnection":"reset"}}"#)
        #expect(try dialogue.send(1) == nil)
        #expect(dialogue.server.wantsClose && dialogue.server.endsWithReset)
        #expect(!dialogue.server.wantsWrite)
    }

    @Test func `a connection that leaves bytes unread says first what is due`() throws {
        let dialogue = try dialogue(
            #"""
            {"when":{"after":1},"then":{"status":200,"goaway":{"error":"NO_ERROR",
            "lastStreamID":"this"},"closeConnection":"unread"}}
            """#)
        #expect(try dialogue.send(1)?.status == 200)
        #expect(!dialogue.server.wantsClose)
        #expect(try dialogue.send(2)?.status == 200)
        #expect(dialogue.goAways.first?.last == 3)
        #expect(dialogue.server.wantsClose && dialogue.server.leavesUnread)
        #expect(!dialogue.server.isReading)
    }

    @Test func `requests behind the one that ends a connection never arrive`() throws {
        for action in [
            #""closeConnection":true"#, #""closeConnection":"unread""#, #""stall":"connection""#,
        ] {
            let dialogue = try dialogue(#"{"when":{"after":1},"then":{\#(action)}}"#) {
                $0.fixedStreamLimit = true
                $0.logsRequests = true
            }
            for tag in UInt32(1)...4 { try dialogue.submit(tag) }
            dialogue.exchange()
            #expect(dialogue.core.counters.requests == 2)
            let lines = String(decoding: dialogue.core.log.lines.bytes, as: UTF8.self)
            #expect(lines.split(separator: "\n").count == 2)
        }
    }

    // MARK: Half-open peers

    @Test func `a peer that stops reading still answers what it has read`() throws {
        let dialogue = try dialogue(
            #"{"when":{"tokenPrefix":"d"},"then":{"stopReading":true,"latency":"10ms"}}"#
        ) {
            $0.latency = .fixed(.milliseconds(20))
            $0.fixedStreamLimit = true
        }
        try dialogue.submit(1)
        try dialogue.submit(2, token: "d")
        try dialogue.submit(3)
        dialogue.exchange()
        #expect(dialogue.server.isReading)
        dialogue.advance(by: .milliseconds(10))
        #expect(!dialogue.server.isReading)
        #expect(dialogue.endings.keys.sorted() == [2])
        // Nothing that it says is heard any more.
        try dialogue.submit(4)
        dialogue.exchange()
        dialogue.advance(by: .milliseconds(10))
        #expect(dialogue.endings.keys.sorted() == [1, 2, 3])
        dialogue.advance(by: .seconds(3600))
        #expect(dialogue.endings[4] == nil)
        #expect(dialogue.core.counters.requests == 3)
        #expect(!dialogue.server.wantsClose)
    }

    @Test func `a peer that is gone neither reads nor writes`() throws {
        let dialogue = try dialogue(
            #"{"when":{"after":1},"then":{"stall":"connection"}}"#
        ) { $0.fixedStreamLimit = true }
        for tag in UInt32(1)...3 { try dialogue.submit(tag) }
        dialogue.exchange()
        // Not even the first answer, which was ready, has left.
        #expect(dialogue.endings.isEmpty)
        #expect(!dialogue.server.isReading && !dialogue.server.wantsWrite)
        #expect(!dialogue.server.wantsClose)
    }

    // MARK: Limits

    @Test func `the stream limit changes up and down`() throws {
        let dialogue = try dialogue(
            """
            {"when":{"tokenPrefix":"a"},"then":{"maxConcurrentStreams":1}},
            {"when":{"tokenPrefix":"b"},"then":{"maxConcurrentStreams":500}},
            {"when":{"tokenPrefix":"c"},"then":{"maxConcurrentStreams":0}}
            """)
        #expect(try dialogue.send(1)?.status == 200)
        #expect(dialogue.limits == [1, 1000])
        for (tag, token) in [(2, "a"), (3, "b"), (4, "c")] as [(UInt32, String)] {
            #expect(try dialogue.send(tag, token: token)?.status == 200)
        }
        #expect(dialogue.limits == [1, 1000, 1, 500, 0])
    }

    @Test func `a token above its own rate is throttled, others are not`() throws {
        let dialogue = try dialogue(
            #"{"then":{"rateLimit":{"rate":"1/s","burst":2,"per":"token"},"status":429,"retryAfter":1}}"#
        )
        let tokens = ["a", "b", "a", "a", "b", "b"]
        var endings: [SimulatedDialogue.Ending?] = []
        for (index, token) in tokens.enumerated() {
            endings.append(try dialogue.send(UInt32(index), token: token))
        }
        #expect(endings.map { $0?.status } == [200, 200, 200, 429, 200, 429])
        #expect(endings[3]?.retryAfter == "1")
        dialogue.advance(by: .seconds(1))
        #expect(try dialogue.send(10, token: "a")?.status == 200)
    }

    // MARK: Retry-After

    @Test func `retry-after is seconds, a date as written, or a date from now`() throws {
        let dialogue = try dialogue(
            """
            {"when":{"tokenPrefix":"a"},"then":{"status":503,"retryAfter":120}},
            {"when":{"tokenPrefix":"b"},
             "then":{"status":503,"retryAfter":"Sun, 06 Nov 1994 08:49:37 GMT"}},
            {"when":{"tokenPrefix":"c"},"then":{"status":429,"retryAfter":{"dateIn":"2s"}}}
            """)
        #expect(try dialogue.send(1, token: "a")?.retryAfter == "120")
        #expect(try dialogue.send(2, token: "b")?.retryAfter == "Sun, 06 Nov 1994 08:49:37 GMT")
        // RFC 9110 §5.6.7 has 784,111,777 as this date, and others are from `date -u -d @…`.
        let dates: [(UInt64, String)] = [
            (784_111_775_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_774_001, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_398_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_700_000_000_000, "Tue, 14 Nov 2023 22:13:22 GMT"),
            (4_102_444_797_000, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ]
        for (index, (now, date)) in dates.enumerated() {
            dialogue.unixMilliseconds = now
            let ending = try dialogue.send(UInt32(10 + index), token: "c")
            #expect(ending?.status == 429 && ending?.retryAfter == date)
        }
    }

    @Test func `a date from now counts from the answer`() throws {
        let dialogue = try dialogue(
            #"{"then":{"status":503,"latency":"3s","retryAfter":{"dateIn":"2s"}}}"#)
        dialogue.unixMilliseconds = 784_111_772_000
        #expect(try dialogue.send(1) == nil)
        dialogue.advance(by: .seconds(3))
        #expect(dialogue.endings[1]?.retryAfter == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    // MARK: Determinism

    @Test func `the same seed and requests give the same bytes`() throws {
        let rules = """
            {"when":{"fraction":0.1},"then":{"status":410}},
            {"when":{"fraction":[0.1,0.2]},"then":{"resetStream":"REFUSED_STREAM"}},
            {"when":{"everyNth":9},"then":{"stall":"stream"}},
            {"when":{"fraction":[0.2,0.3],"attempt":1},
             "then":{"status":503,"retryAfter":{"dateIn":"1s"}}},
            {"then":{"rateLimit":{"rate":"200/s","burst":20,"per":"all"}}},
            {"when":{"after":150},"then":{"maxConcurrentStreams":50}},
            {"when":{"after":190},"then":{"goaway":"graceful"}}
            """
        let latency = try LatencyModel("lognormal:p50=5ms,p99=30ms")
        func flights(seed: UInt64) throws -> [[UInt8]] {
            let dialogue = try dialogue(rules) {
                $0.seed = seed
                $0.latency = latency
                $0.fixedStreamLimit = true
            }
            var flights: [[UInt8]] = []
            for tag in UInt32(0)..<200 {
                try dialogue.submit(tag, token: String(tag % 150 + 4096, radix: 16))
                dialogue.exchange()
                dialogue.advance(by: .milliseconds(3))
                flights.append(dialogue.lastFlight)
            }
            return flights
        }
        let first = try flights(seed: 7)
        #expect(try flights(seed: 7) == first)
        #expect(try flights(seed: 8) != first)
    }
}
