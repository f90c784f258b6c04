import FanfareBase
import Testing

@testable import FanfareHTTP2

@Suite struct ClientSessionTests {
    @Test func `a connection begins with the preface and settings that forbid push`() throws {
        var client = TestClient()
        client.write()

        #expect(client.written.starts(with: Frame.preface))
        let first = try #require(Frame.parse(client.written).first)
        // ENABLE_PUSH (2) = 0 and NO_RFC7540_PRIORITIES (9) = 1, RFC 9113 §6.5.2, RFC 9218 §2.1
        #expect(first.kind == .settings)
        #expect(Array(first.payload.prefix(6)) == [0, 2, 0, 0, 0, 0] as [UInt8])
        #expect(Array(first.payload.suffix(6)) == [0, 9, 0, 0, 0, 1] as [UInt8])
    }

    @Test func `the peer's settings are told and followed both ways`() throws {
        var client = TestClient()
        #expect(client.session.peerMaxConcurrentStreams == nil)
        for limit in [1, 1000, 10] as [UInt32] {
            try client.receive([.settings([(UInt16(3), limit), (UInt16(4), UInt32(100_000))])])
            #expect(client.events.last == .settings(maxConcurrentStreams: limit))
            #expect(client.session.peerMaxConcurrentStreams == limit)
        }
        #expect(client.session.connectionSendWindow == 65_535)
    }

    @Test func `a request is a HEADERS frame and a DATA frame`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        client.write()
        let stream = try client.submit(tag: 7, body: "{\"aps\":{}}")
        let frames = client.write()

        #expect(frames.map(\.kind) == [.headers, .data])
        #expect(frames.allSatisfy { $0.stream == stream.id })
        #expect(frames[1].payload == Array("{\"aps\":{}}".utf8))
        #expect(frames[1].flags == Frame.endStream)
        #expect(client.session.openStreams == 1)
    }

    @Test func `the provider's count of requests is kept until it is taken`() throws {
        var client = TestClient(
            ClientSessionConfiguration(quota: QuotaFields(remaining: "X-Left", reset: "x-reset")))
        try client.receive([.settings()])
        try client.submit(tag: 7)
        try client.submit(tag: 8)
        client.write()
        let before = client.session.takeQuota()
        #expect(before == QuotaNotice())
        try client.receive([
            .headers(
                1, [(":status", "200"), ("x-left", "12"), ("x-reset", "30")], endStream: true),
            .headers(3, [(":status", "200"), ("x-left", "11"), ("x-rest", "1")], endStream: true),
        ])
        let notice = client.session.takeQuota()
        #expect(notice.remaining == 11 && notice.reset == 30)
        let after = client.session.takeQuota()
        #expect(after == QuotaNotice())
    }

    @Test func `an answer is kept until it is released`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        try client.submit(tag: 7)
        client.write()
        let id = "EABCD123-0000-1111-2222-333344445555"
        try client.receive([
            .headers(
                1,
                [
                    (":status", "429"), ("apns-id", id),
                    ("retry-after", "Wednesday, 09-Nov-94 08:49:37 GMT"),
                ]),
            .data(1, "{\"reason\":"), .data(1, "\"TooManyRequests\"}"),
            .data(1, "", endStream: true),
        ])

        #expect(client.closed == [7: .noError])
        let answer = client.takeAnswer(tag: 7)
        #expect(
            answer
                == Answer(
                    status: 429, messageID: id, retryAfter: "Wednesday, 09-Nov-94 08:49:37 GMT",
                    body: "{\"reason\":\"TooManyRequests\"}", bodyBytes: 28))
        #expect(client.session.openStreams == 0)
    }

    @Test func `the date of an answer is kept beside it`() throws {
        for (early, date, late, told) in [
            (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (nil, String(repeating: "x", count: 40), nil, String(repeating: "x", count: 40)),
            // A longer text is no date, and a date before the answer or behind it is not the
            // answer's.
            (nil, String(repeating: "x", count: 41), nil, ""),
            ("Mon", nil, nil, ""), ("Mon", "Tue", nil, "Tue"), (nil, "Tue", "Wed", "Tue"),
            (nil, nil, "Wed", ""),
        ] as [(String?, String?, String?, String)] {
            func fields(_ list: [(String, String?)]) -> [(String, String)] {
                list.compactMap { name, value in value.map { (name, $0) } }
            }
            var client = TestClient()
            try client.receive([.settings()])
            try client.submit(tag: 3)
            client.write()
            try client.receive([
                .headers(1, fields([(":status", "103"), ("date", early)])),
                .headers(1, fields([(":status", "200"), ("date", date)])),
                .headers(1, fields([("x", ""), ("date", late)]), endStream: true),
            ])
            #expect(client.date(tag: 3) == told)
            #expect(client.takeAnswer(tag: 3) == Answer())
        }
    }

    @Test func `an answer split at every byte is the same answer`() throws {
        let bytes = [
            Frame.settings([(3, 10)]),
            Frame.headers(1, [(":status", "100")]),
            Frame.headers(1, [(":status", "400"), ("apns-id", "A")]),
            Frame(.data, flags: Frame.padded, stream: 1, [3] + Array("body".utf8) + [0, 0, 0]),
            Frame.headers(1, [("x-trailer", "1"), ("apns-id", "B")], endStream: true),
        ].flatMap(\.bytes)
        let expected = Answer(status: 400, messageID: "A", body: "body", bodyBytes: 4)
        for split in 0...bytes.count {
            var client = TestClient()
            try client.submit(tag: 1)
            client.write()
            try client.receive(Array(bytes[..<split]))
            try client.receive(Array(bytes[split...]))
            let answer = client.takeAnswer(tag: 1)
            #expect(answer == expected)
        }
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        for byte in bytes { try client.receive([byte]) }
        let answer = client.takeAnswer(tag: 1)
        #expect(answer == expected)
    }

    @Test func `a header list may come in CONTINUATION frames`() throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        let block = Frame.block([(":status", "200"), ("apns-id", "X")])
        try client.receive([
            .settings(), Frame(.headers, flags: Frame.endStream, stream: 1, Array(block[..<5])),
            Frame(.continuation, stream: 1, Array(block[5..<9])),
            Frame(.continuation, flags: Frame.endHeaders, stream: 1, Array(block[9...])),
        ])
        let answer = client.takeAnswer(tag: 1)
        #expect(answer == Answer(messageID: "X"))
    }

    @Test func `an answer may come before the request was sent`() throws {
        var client = TestClient()
        // A window of 4 bytes: the body stays where it is.
        try client.receive([.settings([(4, 4)])])
        try client.submit(tag: 1, body: "0123456789")
        let frames = client.write()
        #expect(frames.last?.payload.count == 4)
        try client.receive([.headers(1, [(":status", "413")], endStream: true)])
        // The rest is not waited for: the stream is reset, without an error. RFC 9113 §8.1
        #expect(client.write() == [.reset(1, code: 0)])
        try client.receive([
            .reset(1, code: 0), Frame(.windowUpdate, stream: 1, [0, 0, 0, 100]),
        ])
        #expect(client.write().isEmpty)
        let answer = client.takeAnswer(tag: 1)
        #expect(answer?.status == 413)
        #expect(answer?.isComplete == true)
        #expect(answer?.code == .noError)
    }

    @Test func `how much of a request has become frames is known to the byte`() throws {
        var client = TestClient()
        try client.receive([.settings([(3, 2), (4, 4)])])
        let first = try client.submit(tag: 1, body: "0123456789")
        let second = try client.submit(tag: 2, body: "")
        let third = try client.submit(tag: 3)
        #expect(client.session.written(first) == .nothing)
        client.write()
        let end = client.written.count
        #expect(client.session.written(first) == .part)
        // The last that was written is the second one's HEADERS with END_STREAM.
        #expect(client.session.written(second) == .whole(end: end))
        #expect(client.session.written(third) == .nothing)
        try client.receive([Frame(.windowUpdate, stream: 1, [0, 0, 0, 6])])
        client.write(limit: 1)
        #expect(client.session.written(first) == .whole(end: client.written.count))
        // One that was taken back is not made into more.
        client.session.reset(third)
        client.write()
        #expect(client.session.written(third) == .nothing)
    }

    @Test func `an answer can be read before its stream has ended`() throws {
        var client = TestClient()
        let stream = try client.submit(tag: 1)
        #expect(client.session.response(stream).status == 0)
        client.write()
        try client.receive([.settings(), .headers(1, [(":status", "103")])])
        #expect(client.session.response(stream).status == 0)
        try client.receive([.headers(1, [(":status", "410")]), .data(1, "{")])
        #expect(client.session.response(stream).status == 410)
        #expect(client.session.response(stream).isComplete == false)
        #expect(client.session.response(stream).bodyBytes == 1)
    }

    /// §6.8 does not say whose the last stream is, so that it bounds ours from above.
    @Test func `an even last id of a GOAWAY stands for the odd one below`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        for tag in 1...3 as ClosedRange<UInt32> { try client.submit(tag: tag) }
        client.write()
        try client.receive([.goAway(last: .max - 1, code: 0)])
        #expect(client.closed.isEmpty)
        try client.receive([.goAway(last: 4, code: 0)])
        #expect(client.events.contains(.goAway(lastStreamID: 3, code: .noError)))
        #expect(client.closed == [3: .refusedStream])
        #expect(client.failure(of: .goAway(last: 5, code: 0)) == .protocolError)
    }

    @Test func `a body waits for the window and goes on when it opens`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 0)])])
        try client.submit(tag: 1, body: "0123456789")
        let before = client.write()
        #expect(before.map(\.kind).last == .headers)
        try client.receive([Frame(.windowUpdate, stream: 1, [0, 0, 0, 6])])
        let first = client.write()
        try client.receive([Frame(.windowUpdate, stream: 1, [0, 0, 0, 6])])
        let second = client.write()
        #expect(
            (first + second).map { String(decoding: $0.payload, as: UTF8.self) } == [
                "012345", "6789",
            ])
        #expect(second.last?.flags == Frame.endStream)
    }

    @Test(arguments: [1, 9, 50, 200, 4096])
    func `writing in pieces of any size gives the same bytes`(limit: Int) throws {
        var whole = TestClient()
        var parts = TestClient()
        for tag in 0..<20 as Range<UInt32> {
            try whole.submit(tag: tag, body: String(repeating: "x", count: 100))
            try parts.submit(tag: tag, body: String(repeating: "x", count: 100))
        }
        whole.write()
        while parts.session.wantsWrite {
            let bytes = parts.writeBytes(limit: limit)
            #expect(bytes.count <= limit + 16_393)
        }
        #expect(whole.written == parts.written)
    }

    @Test func `a reset by the peer ends the stream with its code`() throws {
        for code in [0x1, 0x2, 0x7, 0x8, 0xb, 0x1234] as [UInt32] {
            var client = TestClient()
            try client.submit(tag: 1)
            client.write()
            try client.receive([.settings(), .reset(1, code: code)])
            #expect(client.closed == [1: HTTP2ErrorCode(rawValue: code)])
            let answer = client.takeAnswer(tag: 1)
            #expect(answer?.isComplete == false)
        }
    }

    @Test func `an own reset ends the stream once it is written, and late frames are ignored`()
        throws
    {
        var client = TestClient()
        try client.receive([.settings()])
        let stream = try client.submit(tag: 1)
        client.write()
        client.session.reset(stream)
        client.session.reset(stream)
        #expect(client.closed.isEmpty)
        let frames = client.write()
        #expect(frames.map(\.resetCode) == [HTTP2ErrorCode.cancel.rawValue])
        #expect(client.closed == [1: .cancel])
        try client.receive([.headers(1, [(":status", "200")], endStream: true)])
        #expect(client.closed == [1: .cancel])
        let answer = client.takeAnswer(tag: 1)
        #expect(answer?.status == 0)
    }

    @Test func `a request that is canceled in the queue is never written`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        client.write()
        let stream = try client.submit(tag: 1)
        client.session.reset(stream)
        let frames = client.write()
        #expect(frames.isEmpty)
        #expect(client.closed == [1: .cancel])
    }

    @Test func `a request that waits for the peer's limit can be taken back`() throws {
        var client = TestClient()
        try client.receive([.settings([(3, 1)])])
        try client.submit(tag: 1)
        let second = try client.submit(tag: 2)
        try client.submit(tag: 3)
        client.write()
        client.session.reset(second)
        #expect(client.write().isEmpty)
        #expect(client.closed == [2: .cancel])
        try client.receive([.headers(1, [(":status", "200")], endStream: true)])
        // Its id is left out, which closes it for the peer, too. RFC 9113 §5.1.1
        #expect(client.write().filter { $0.kind == .headers }.map(\.stream) == [5])
    }

    @Test func `a GOAWAY that says why counts, though a plain one follows at once`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        try client.receive([
            .goAway(last: 3, code: 11, debug: "{\"reason\":\"Why\"}"), .goAway(last: 3, code: 0),
        ])
        #expect(client.events.contains(.goAway(lastStreamID: 3, code: .enhanceYourCalm)))
        #expect(
            String(decoding: client.session.goAwayDebugData, as: UTF8.self)
                == "{\"reason\":\"Why\"}")
    }

    @Test func `GOAWAY refuses the streams above its id and lets the others end`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        for tag in 1...3 as ClosedRange<UInt32> { try client.submit(tag: tag) }
        client.write()
        try client.submit(tag: 4)
        try client.receive([.goAway(last: 3, code: 0, debug: "{\"reason\":\"Shutdown\"}")])

        #expect(client.events.contains(.goAway(lastStreamID: 3, code: .noError)))
        #expect(
            String(decoding: client.session.goAwayDebugData, as: UTF8.self)
                == "{\"reason\":\"Shutdown\"}")
        let canOpen = client.session.canOpenStreams
        #expect(!canOpen)
        let frames = client.write()
        #expect(!frames.map(\.kind).contains(.headers))
        #expect(client.closed == [3: .refusedStream, 4: .refusedStream])
        try client.receive([
            .headers(1, [(":status", "200")], endStream: true),
            .headers(3, [(":status", "200")], endStream: true),
        ])
        #expect(
            client.closed
                == [1: .noError, 2: .noError, 3: .refusedStream, 4: .refusedStream])
        let wantsMore = client.session.wantsRead || client.session.wantsWrite
        #expect(!wantsMore)
    }

    @Test func `the first GOAWAY of a graceful pair refuses nothing that was sent`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        try client.submit(tag: 1)
        client.write()
        try client.receive([.goAway(last: .max, code: 0)])
        #expect(client.closed.isEmpty)
        try client.receive([.goAway(last: 0, code: 0)])
        client.write()
        #expect(client.closed == [1: .refusedStream])
    }

    @Test func `a limit of one keeps the other requests in the queue`() throws {
        var client = TestClient()
        try client.receive([.settings([(3, 1)])])
        try client.submit(tag: 1)
        try client.submit(tag: 2)
        var frames = client.write()
        #expect(frames.filter { $0.kind == .headers }.map(\.stream) == [1])
        try client.receive([.headers(1, [(":status", "200")], endStream: true)])
        frames = client.write()
        #expect(frames.filter { $0.kind == .headers }.map(\.stream) == [3])
    }

    @Test func `when the ids are used up nothing can be submitted`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        client.session.skipStreamIDs(to: .max)
        try client.submit(tag: 1)
        let frames = client.write()
        #expect(frames.last?.stream == .max)
        let canOpen = client.session.canOpenStreams
        #expect(!canOpen)
        do {
            let refusal = client.refusal(tag: 2)
            #expect(refusal == .noMoreStreams)
        }
    }

    @Test func `requests beyond the slots or too large are not taken`() throws {
        var client = TestClient(ClientSessionConfiguration(streamCapacity: 2))
        try client.submit(tag: 1)
        do {
            let refusal = client.refusal(tag: 2, path: String(repeating: "a", count: 33_000))
            #expect(refusal == .headersTooLarge)
        }
        try client.submit(tag: 2)
        do {
            let refusal = client.refusal(tag: 3)
            #expect(refusal == .noFreeSlot)
        }
        #expect(client.session.openStreams == 2)
    }

    @Test func `a PING is answered, and ours is told`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        client.write()
        try client.receive([Frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])])
        let answer = client.write()
        #expect(answer == [Frame(.ping, flags: Frame.ack, [1, 2, 3, 4, 5, 6, 7, 8])])
        client.session.ping()
        let ping = client.write()
        try client.receive([Frame(.ping, flags: Frame.ack, ping[0].payload)])
        #expect(client.events.last == .pingAcknowledged)
    }

    @Test func `only the first bytes of a long body are kept`() throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        let page = String(repeating: "<p>", count: 1000)
        try client.receive([
            .settings(), .headers(1, [(":status", "502")]), .data(1, page),
            .data(1, page, endStream: true),
        ])
        let answer = client.takeAnswer(tag: 1)
        #expect(answer?.bodyBytes == 6000)
        #expect(answer?.body == String((page + page).prefix(Limits.responseBodyBytes)))
    }
}
