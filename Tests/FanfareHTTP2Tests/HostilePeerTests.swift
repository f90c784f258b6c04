import FanfareBase
import Testing

@testable import FanfareHTTP2

/// Acts that a peer may not do; each harms only its own stream or connection.
@Suite struct HostilePeerTests {
    @Test(arguments: [
        Frame(.pushPromise, flags: Frame.endHeaders, stream: 1, [0, 0, 0, 2]),
        Frame(.data, stream: 0, [1]),
        Frame(.settings, [0, 1, 2]),
        Frame(.ping, [1]),
        Frame(.continuation, stream: 1, []),
        Frame.headers(2, [(":status", "200")]),
        Frame(.windowUpdate, [0, 0, 0, 0]),
        Frame(.headers, flags: Frame.endHeaders, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ])
    func `a violation ends the connection, and the peer is told`(frame: Frame) throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        // Before the acknowledgement a peer cannot know that push is off.
        try client.receive([.settings(), Frame(.settings, flags: Frame.ack)])
        var thrown: HTTP2Error?
        do { try client.receive([frame]) } catch { thrown = error }

        let error = try #require(thrown)
        #expect(error.kind == .connectionFailed)
        #expect(error.initiator == .peer)
        let frames = client.write()
        let goAway = try #require(frames.last { $0.kind == .goAway })
        #expect(goAway.goAwayCode == error.code.rawValue)
        #expect(goAway.goAwayCode != 0)
        // Dead, but not dangerous.
        try client.receive([.settings()])
        let wantsMore = client.session.wantsRead || client.session.wantsWrite
        #expect(!wantsMore)
        let refusal = client.refusal(tag: 2)
        #expect(refusal == .noMoreStreams)
    }

    @Test(arguments: [
        [Frame.headers(1, [("apns-id", "1")], endStream: true)],
        [Frame.headers(1, [(":status", "20")], endStream: true)],
        [Frame.headers(1, [(":status", "2x0")], endStream: true)],
        [Frame.headers(1, [(":status", "101")])],
        [Frame.headers(1, [(":status", "200"), (":status", "200")], endStream: true)],
        [Frame.headers(1, [(":status", "100")], endStream: true)],
        [Frame.headers(1, [(":status", "100")]), Frame.data(1, "x", endStream: true)],
    ])
    func `a malformed answer ends its stream and no other`(frames: [Frame]) throws {
        var client = TestClient()
        try client.submit(tag: 1, body: "")
        try client.submit(tag: 2)
        client.write()
        try client.receive([.settings()])
        try client.receive(frames)
        client.write()
        #expect(client.closed[1] == .protocolError)
        let answer = client.takeAnswer(tag: 1)
        #expect(answer?.isComplete == false)
        try client.receive([.headers(3, [(":status", "200")], endStream: true)])
        #expect(client.closed[2] == .noError)
    }

    @Test func `a header list without end costs the stream, not memory`() throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        try client.receive([.settings()])
        // One large entry in the table, then references to it: 1 byte stands for 2,000.
        let value = [UInt8](repeating: 65, count: 2000)
        let block =
            [0x40, 1, 120, 0x7F, 0xD1, 0x0E] + value + [UInt8](repeating: 0xBE, count: 9000)
        try client.receive([Frame(.headers, flags: Frame.endHeaders, stream: 1, block)])
        client.write()
        #expect(client.closed[1] == .protocolError)
        #expect(client.session.heldBytes < 1 << 20)
    }

    /// 42 for :status 200, 16 times 1 + 2,000 + 32, and 1 + 165 + 32 are 32,768.
    @Test(arguments: [(165 as UInt8, HTTP2ErrorCode.noError), (166, .protocolError)])
    func `a header list has 32 KiB at most`(bytes: UInt8, code: HTTP2ErrorCode) throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        try client.receive([.settings()])
        let value = [UInt8](repeating: 65, count: 2000)
        let rest = [0x00, 1, 121, 0x7F, bytes - 127] + value.prefix(Int(bytes))
        let block =
            [0x88, 0x40, 1, 120, 0x7F, 0xD1, 0x0E] + value + [UInt8](repeating: 0xBE, count: 15)
            + rest
        let flags = Frame.endHeaders | Frame.endStream
        try client.receive([Frame(.headers, flags: flags, stream: 1, block)])
        #expect(client.closed[1] == code)
    }

    @Test func `a peer that wants more answered than it fetches is cut off`() throws {
        for frame in [Frame(.ping, [UInt8](repeating: 1, count: 8)), .settings()] {
            var client = TestClient()
            try client.receive([.settings()])
            client.write()
            try client.receive(Array(repeating: frame, count: Limits.unsentAcknowledgementsMax))
            let answers = client.write()
            #expect(answers.count == Limits.unsentAcknowledgementsMax)
            // A peer that fetches them may go on.
            try client.receive(Array(repeating: frame, count: Limits.unsentAcknowledgementsMax))
            #expect(client.failure(of: frame) == .enhanceYourCalm)
            let last = client.write().last
            #expect(last?.kind == .goAway)
        }
    }

    @Test func `GOAWAYs that take back more and more are bounded`() throws {
        var client = TestClient()
        for tag in 0..<100 as Range<UInt32> { try client.submit(tag: tag) }
        client.write()
        try client.receive([.settings(), .goAway(last: .max, code: 0)])
        let before = client.session.slotReviews
        let lower = (1...Int32(Limits.goAwaysLoweringMax)).map {
            Frame.goAway(last: 199 - 2 * $0, code: 0)
        }
        try client.receive(lower)
        // The same one again costs nothing.
        try client.receive(Array(repeating: lower[lower.count - 1], count: 1000))
        #expect(client.session.slotReviews == before + Limits.goAwaysLoweringMax)
        #expect(client.closed.count == Limits.goAwaysLoweringMax)
        #expect(client.failure(of: .goAway(last: 1, code: 0)) == .enhanceYourCalm)
    }

    @Test func `frames without end or content are bounded`() throws {
        for frame in [Frame.data(1, ""), .headers(1, [(":status", "103")])] {
            var client = TestClient()
            try client.submit(tag: 1)
            client.write()
            try client.receive([.settings()])
            if frame.kind == .data { try client.receive([.headers(1, [(":status", "200")])]) }
            try client.receive(Array(repeating: frame, count: Int(Limits.emptyFramesMax)))
            #expect(client.failure(of: frame) == .enhanceYourCalm)
        }
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        try client.receive([.settings(), Frame(.headers, stream: 1, [])])
        let more = Frame(.continuation, stream: 1, [])
        try client.receive(Array(repeating: more, count: Limits.continuationsMax))
        #expect(client.failure(of: more) == .enhanceYourCalm)
    }

    @Test func `the field block of a stream that has ended still counts for the next one`() throws {
        var client = TestClient()
        for tag in 1...2 as ClosedRange<UInt32> { try client.submit(tag: tag) }
        let first = StreamHandle(id: 1, slot: 0)
        client.write()
        try client.receive([.settings()])
        // A block that is reset in its middle, by us.
        let block = [0x40] + Frame.block([("apns-id", "ID-7")]).dropFirst()
        try client.receive([Frame(.headers, stream: 1, Array(block.prefix(5)))])
        client.session.reset(first)
        client.write()
        #expect(client.closed == [1: .cancel])
        _ = client.takeAnswer(tag: 1)
        client.events.removeAll()
        // Its slot serves the next request, whose answer is another one.
        try client.submit(tag: 3)
        client.write()
        try client.receive([
            Frame(.continuation, flags: Frame.endHeaders, stream: 1, Array(block.dropFirst(5))),
            Frame(.headers, flags: Frame.endHeaders | Frame.endStream, stream: 3, [0x88, 0xBE]),
            Frame(.headers, flags: Frame.endHeaders | Frame.endStream, stream: 5, [0x88]),
        ])
        #expect(client.takeAnswer(tag: 2) == Answer(messageID: "ID-7"))
        #expect(client.takeAnswer(tag: 3) == Answer())
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `random bytes and mutated frames never do more than end the connection`(
        seed: UInt64
    ) throws {
        var random = SplitMix(state: seed)
        var client = TestClient()
        var server = try TestServer()
        for tag in 0..<4 as Range<UInt32> { try client.submit(tag: tag) }
        let up = client.writeBytes()
        let frames: [Frame] = [
            .settings([(3, 100)]), .headers(1, [(":status", "200")]), .data(1, "abc"),
            .goAway(last: 5, code: 0), Frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0]),
            .headers(3, [(":status", "410"), ("apns-id", "x")], endStream: true),
            .reset(5, code: 7), Frame(.windowUpdate, [0, 0, 1, 0]),
        ]
        var down = Frame.settings().bytes
        for _ in 0..<20 {
            var bytes = frames.randomElement(using: &random)?.bytes ?? []
            if Bool.random(using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            down += bytes
        }
        var mutated = up
        for _ in 0..<3 {
            mutated[Int.random(in: 24..<up.count, using: &random)] = .random(
                in: 0...255, using: &random)
        }
        try? client.receive(down)
        client.write()
        try? server.receive(mutated)
        _ = try? server.write()
        let ends = client.closed.count
        #expect(ends + client.session.openStreams == 4)
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
