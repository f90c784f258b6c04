import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareSimulator
import FanfareTLS
import Testing

@Suite struct SimulatedConnectionTests {
    static let uuid = "123e4567-e89b-12d3-a456-4266554400a0"

    private func configuration(
        rules: String = "", _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        var text = #"{"rules":[\#(rules)]}"#
        configuration.scenario = try text.withUTF8 { try Scenario(json: $0) }
        change(&configuration)
        return configuration
    }

    // MARK: Answers

    @Test func `a good request is accepted and its id echoed`() throws {
        let dialogue = try SimulatedDialogue()
        let ending = try dialogue.send(1, id: Self.uuid)
        #expect(ending == .init(status: 200, id: Self.uuid))
    }

    @Test func `a request without an id gets one, the same in every run`() throws {
        let ids = try (0..<2).map { _ in
            let dialogue = try SimulatedDialogue()
            return try [1, 2].map { try #require(try dialogue.send($0)).id }
        }
        #expect(ids[0] == ids[1])
        #expect(ids[0][0] != ids[0][1])
        // RFC 9562 §5.4: version 4, variant 10.
        let text = Array(ids[0][0])
        #expect(text.count == 36 && text[14] == "4" && "89ab".contains(text[19]))
    }

    @Test func `a refusal has a JSON body and an id`() throws {
        let dialogue = try SimulatedDialogue()
        #expect(
            try dialogue.send(1, token: "xyz", id: Self.uuid)
                == .init(status: 400, body: #"{"reason":"BadDeviceToken"}"#, id: Self.uuid))
        #expect(try dialogue.send(2, body: "")?.body == #"{"reason":"PayloadEmpty"}"#)
        #expect(try dialogue.send(3, body: "{,}")?.body == #"{"reason":"PayloadEmpty"}"#)
        let long = "\"" + String(repeating: "a", count: 10_000) + "\""
        #expect(
            try dialogue.send(4, body: long)
                == .init(
                    status: 413, body: #"{"reason":"PayloadTooLarge"}"#,
                    id: try #require(dialogue.endings[4]).id))
        let bad = try #require(try dialogue.send(5, id: "42"))
        #expect(bad.body == #"{"reason":"BadMessageId"}"#)
        #expect(bad.id.count == 36)
        #expect(dialogue.core.counters.refused == 5)
    }

    @Test func `with a key the provider token's signature and age count`() throws {
        let fixture = try ProviderTokenFixture()
        let configuration = try configuration { $0.tokenVerifier = fixture.verifier }
        let unsigned = try SimulatedDialogue(configuration)
        #expect(try unsigned.send(1)?.body == #"{"reason":"InvalidProviderToken"}"#)
        let signed = try SimulatedDialogue(
            configuration, authorization: "bearer " + fixture.signer.sign(issuedAt: 1_699_999_000))
        #expect(try signed.send(1)?.status == 200)
        signed.unixMilliseconds += 3_600_000
        #expect(try signed.send(2)?.body == #"{"reason":"ExpiredProviderToken"}"#)
    }

    @Test func `without a provider token only a certificate helps`() throws {
        let bare = try SimulatedDialogue(authorization: nil)
        #expect(try bare.send(1)?.body == #"{"reason":"MissingProviderToken"}"#)
        let certified = try SimulatedDialogue(authorization: nil, isCertified: true)
        #expect(try certified.send(1)?.status == 200)
    }

    // MARK: The scenario

    @Test func `tokens get what the rules say`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(
                rules: """
                    {"when":{"tokenPrefix":"dead"},"then":{"status":410,"timestamp":1600000000001}},
                    {"when":{"tokenPrefix":"de"},"then":{"status":410}},
                    {"when":{"tokenPrefix":"5"},"then":{"status":503,"retryAfter":7}}
                    """))
        #expect(
            try dialogue.send(1, token: "dead")?.body
                == #"{"reason":"Unregistered","timestamp":1600000000001}"#)
        #expect(
            try dialogue.send(2, token: "de00")?.body
                == #"{"reason":"Unregistered","timestamp":1700000000000}"#)
        let busy = try #require(try dialogue.send(3, token: "5"))
        #expect(busy.status == 503 && busy.retryAfter == "7")
        #expect(try dialogue.send(4, token: "a")?.status == 200)
    }

    @Test func `a stream is reset or never answered`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(
                rules: """
                    {"when":{"tokenPrefix":"a"},"then":{"resetStream":"REFUSED_STREAM"}},
                    {"when":{"tokenPrefix":"b"},"then":{"stall":"stream"}}
                    """))
        #expect(try dialogue.send(1, token: "a") == .init(status: 0, code: .refusedStream))
        #expect(try dialogue.send(2, token: "b") == nil)
        dialogue.advance(by: .seconds(3600))
        #expect(dialogue.endings[2] == nil)
        #expect(dialogue.core.counters.reset == 1)
        #expect(dialogue.core.counters.unanswered == 1)
    }

    @Test func `a hard GOAWAY names the last stream and ends the connection`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(
                rules: """
                    {"when":{"after":1},"then":{"goaway":
                      {"error":"NO_ERROR","lastStreamID":"before","reason":"Shutdown"}}}
                    """))
        #expect(try dialogue.send(1)?.status == 200)
        #expect(!dialogue.server.wantsClose)
        _ = try dialogue.send(2)
        let goAway = try #require(dialogue.goAways.last)
        // Client streams have odd ids: 1 was answered, 3 was not processed.
        #expect(goAway.last == 1 && goAway.code == .noError)
        #expect(goAway.debug == #"{"reason":"Shutdown"}"#)
        #expect(dialogue.server.wantsClose)
    }

    @Test func `a graceful GOAWAY comes in two, and the answers come first`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(rules: #"{"then":{"goaway":"graceful"}}"#))
        #expect(try dialogue.send(1)?.status == 200)
        #expect(dialogue.goAways.map(\.last) == [Int32.max])
        #expect(!dialogue.server.wantsClose)
        dialogue.advance(by: .seconds(1))
        // RFC 9113 §6.8: eight bytes, the last stream is 1, the code is NO_ERROR.
        #expect(dialogue.lastFlight == [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
        #expect(dialogue.server.wantsClose)
    }

    @Test func `a connection is cut or stalled`() throws {
        let cut = try SimulatedDialogue(configuration(rules: #"{"then":{"closeConnection":true}}"#))
        #expect(try cut.send(1) == nil)
        #expect(cut.server.wantsClose && !cut.server.wantsWrite)
        let stalled = try SimulatedDialogue(
            configuration(rules: #"{"then":{"stall":"connection"}}"#))
        #expect(try stalled.send(1) == nil)
        #expect(stalled.server.isStalled && !stalled.server.wantsClose)
        #expect(stalled.server.nextDeadline == nil)
    }

    // MARK: Latency

    @Test func `answers come after the latency and not before`() throws {
        let dialogue = try SimulatedDialogue(
            configuration {
                $0.latency = .fixed(.milliseconds(40))
                $0.fixedStreamLimit = true
            })
        try dialogue.submit(1)
        try dialogue.submit(2)
        dialogue.exchange()
        #expect(dialogue.server.nextDeadline == Instant(nanoseconds: 40_000_000))
        dialogue.advance(by: .milliseconds(39))
        #expect(dialogue.endings.isEmpty)
        dialogue.advance(by: .milliseconds(1))
        #expect(dialogue.endings.count == 2)
        #expect(dialogue.server.nextDeadline == nil)
    }

    @Test func `a stream that the client gave up is not answered`() throws {
        let dialogue = try SimulatedDialogue(
            configuration { $0.latency = .fixed(.milliseconds(40)) })
        let stream = try dialogue.submit(1)
        dialogue.exchange()
        dialogue.client.reset(stream)
        dialogue.exchange()
        #expect(dialogue.endings[1]?.code == .cancel)
        dialogue.advance(by: .milliseconds(40))
        #expect(dialogue.core.counters.accepted == 0)
        #expect(dialogue.core.counters.unanswered == 1)
    }

    @Test func `answers with different delays overtake each other`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(
                rules: #"{"when":{"tokenPrefix":"a"},"then":{"latency":"10ms"}}"#
            ) {
                $0.latency = .fixed(.milliseconds(40))
                $0.fixedStreamLimit = true
            })
        for tag in 1...50 { try dialogue.submit(UInt32(tag), token: tag % 2 == 0 ? "a" : "b") }
        dialogue.exchange()
        dialogue.advance(by: .milliseconds(10))
        #expect(Set(dialogue.endings.keys) == Set((1...50).filter { $0 % 2 == 0 }.map(UInt32.init)))
        dialogue.advance(by: .milliseconds(30))
        #expect(dialogue.endings.count == 50)
    }

    // MARK: The stream limit

    @Test func `the limit opens at the first success, falls at a rejection and comes back`() throws
    {
        let dialogue = try SimulatedDialogue()
        #expect(dialogue.limits == [1])
        #expect(try dialogue.send(1)?.status == 200)
        #expect(dialogue.limits == [1, 1000])
        #expect(try dialogue.send(2, body: "")?.status == 400)
        #expect(dialogue.limits == [1, 1000, 1])
        #expect(try dialogue.send(3)?.status == 200)
        #expect(dialogue.limits == [1, 1000, 1, 1000])
    }

    @Test func `streams beyond a limit that just fell are refused`() throws {
        let dialogue = try SimulatedDialogue(
            configuration { $0.latency = .fixed(.milliseconds(1)) })
        try dialogue.submit(1)
        dialogue.exchange()
        dialogue.advance(by: .milliseconds(1))
        try dialogue.submit(2, body: "")
        dialogue.exchange()
        // The rejection is due; the client does not know of it when it opens two more.
        dialogue.now = dialogue.now.advanced(by: .milliseconds(1))
        dialogue.server.timerFired(now: dialogue.now)
        try dialogue.submit(3)
        try dialogue.submit(4)
        dialogue.exchange()
        dialogue.advance(by: .milliseconds(1))
        #expect(dialogue.endings[2]?.status == 400)
        #expect(dialogue.endings.values.contains { $0.code == .refusedStream })
        #expect(dialogue.endings.count == 4)
    }

    // MARK: The log

    @Test func `the log has a line for each request`() throws {
        let dialogue = try SimulatedDialogue(
            configuration(rules: #"{"when":{"tokenPrefix":"b"},"then":{"stall":"stream"}}"#) {
                $0.logsRequests = true
            })
        _ = try dialogue.send(1, token: "a", id: Self.uuid)
        _ = try dialogue.send(2, token: "\"\u{E9}", id: Self.uuid)
        _ = try dialogue.send(3, token: "b", id: Self.uuid)
        let zeros = { (count: Int) in String(repeating: "0", count: count) }
        let start = { (stream: Int) in
            #"{"time":1700000000000,"connection":1,"stream":\#(stream),"token":"#
        }
        let middle = #","apns_id":"\#(Self.uuid)","topic":"com.example.app","push_type":"alert","#
        let lines = String(decoding: dialogue.core.log.lines.bytes, as: UTF8.self)
        #expect(
            lines == start(1) + #""a\#(zeros(63))""# + middle
                + #""status":200,"reason":null,"payload_bytes":10}"# + "\n"
                + start(3) + #""\"\u00c3\u00a9\#(zeros(61))""# + middle
                + #""status":400,"reason":"BadDeviceToken","payload_bytes":10}"# + "\n"
                + start(5) + #""b\#(zeros(63))""# + middle
                + #""status":null,"reason":null,"payload_bytes":10}"# + "\n")
    }
}
