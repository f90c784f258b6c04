import FanfareBase
import Testing

@testable import FanfareHTTP2

/// Our windows towards the peer, and the peer's towards us. RFC 9113 §6.9
@Suite struct FlowControlTests {
    private func body(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func bytes(of frames: [Frame]) -> [Int32: Int] {
        frames.filter { $0.kind == .data }.reduce(into: [:]) {
            $0[$1.stream, default: 0] += $1.payload.count
        }
    }

    private func update(_ stream: Int32, _ increment: UInt32) -> Frame {
        Frame(.windowUpdate, stream: stream, Frame.word(increment))
    }

    @Test func `bodies beyond the connection's window wait, and go on in their order`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 1 << 20)])])
        for tag in 0..<3 as Range<UInt32> { try client.submit(tag: tag, body: body(30_000)) }
        // 65,535 is what a connection has at first, also if SETTINGS say more. §6.9.2
        #expect(bytes(of: client.write()) == [1: 30_000, 3: 30_000, 5: 5535])
        let isBlocked = client.session.connectionSendWindow == 0 && !client.session.wantsWrite
        #expect(isBlocked)
        try client.submit(tag: 3, body: body(10))
        // Its HEADERS need no window.
        #expect(client.write().map(\.kind) == [.headers])
        try client.receive([update(0, 24_470)])
        let rest = client.write()
        #expect(bytes(of: rest) == [5: 24_465, 7: 5])
        #expect(rest.filter { $0.flags == Frame.endStream }.map(\.stream) == [5])
    }

    @Test func `frames are never larger than 16 KiB, even if the peer takes more`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 1 << 20), (5, 1 << 20)])])
        try client.submit(tag: 0, body: body(40_000))
        let frames = client.write().filter { $0.kind == .data }
        #expect(frames.map(\.payload.count) == [16_384, 16_384, 7232])
        #expect(frames.map(\.flags) == [0, 0, Frame.endStream])
    }

    /// An increment of 0 is an error. §6.9
    @Test func `nothing is given back of what has not come`() {
        for size in [0, 1, 2, 100] as [Int32] {
            var window = ReceiveWindow(size)
            let first = window.receive(0)
            let nothing = window.credit()
            #expect(first && nothing == nil)
        }
        var window = ReceiveWindow(10)
        let fits = window.receive(4)
        let early = window.credit()
        #expect(fits && early == nil)
        let fitsToo = window.receive(1)
        let half = window.credit()
        #expect(fitsToo && half == 5)
        let whole = window.receive(10)
        let tooMuch = window.receive(1)
        #expect(whole && !tooMuch)
    }

    @Test func `a session that has failed says so, and sends nothing else`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 100)])])
        try client.submit(tag: 0, body: body(150))
        client.write()
        try client.submit(tag: 1)
        // A body could go on, and a request begin, when the peer breaks a rule: PING on a stream. §6.7
        try client.receive([update(1, 50)])
        let fault = Frame(.ping, stream: 1, Array(repeating: 0, count: 8))
        #expect(client.failure(of: fault) == .protocolError)
        #expect(client.write().map(\.kind) == [.goAway])
    }

    @Test func `a window that is lowered below zero has to be filled first`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 100)])])
        try client.submit(tag: 0, body: body(200))
        #expect(bytes(of: client.write()) == [1: 100])
        // 100 are sent, so 40 leave a window of -60. §6.9.2
        try client.receive([.settings([(4, 40)])])
        try client.receive([update(1, 60)])
        #expect(bytes(of: client.write()).isEmpty)
        try client.receive([update(1, 1)])
        #expect(bytes(of: client.write()) == [1: 1])
        try client.receive([.settings([(4, 139)])])
        #expect(bytes(of: client.write()) == [1: 99])
        let wantsWrite = client.session.wantsWrite
        #expect(!wantsWrite)
    }

    @Test func `a stream whose body waits in the queue loses its turn with its window`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 1 << 20)])])
        try client.submit(tag: 0, body: body(65_535))
        try client.submit(tag: 1, body: body(100))
        try client.submit(tag: 2, body: body(100))
        #expect(bytes(of: client.write()) == [1: 65_535])
        // The first of the two is reset, the other's window closed.
        try client.receive([.reset(3, code: 8), .settings([(4, 0)]), update(0, 1000)])
        #expect(bytes(of: client.write()).isEmpty)
        try client.receive([update(5, 30)])
        #expect(bytes(of: client.write()) == [5: 30])
    }

    @Test func `a window beyond 2³¹ − 1 ends the connection, or the stream`() throws {
        // 65,535 is already there. §6.9.1
        let most = UInt32(Int32.max) - 65_535
        var client = TestClient()
        try client.receive([.settings(), update(0, most)])
        #expect(client.session.connectionSendWindow == Int(Int32.max))
        #expect(client.failure(of: update(0, 1)) == .flowControlError)

        client = TestClient()
        try client.submit(tag: 0)
        client.write()
        // Two bytes of the window are taken by the body.
        try client.receive([.settings(), update(1, most + 2)])
        #expect(client.closed.isEmpty)
        try client.receive([update(1, 1)])
        #expect(client.closed == [0: .flowControlError])

        client = TestClient()
        try client.submit(tag: 0)
        client.write()
        try client.receive([.settings(), update(1, most)])
        #expect(client.failure(of: .settings([(4, 65_538)])) == .flowControlError)
    }

    /// 900 × 15 bytes of SETTINGS with a new window each, for 1,000 streams whose bodies wait.
    @Test func `a window that changes over and over is looked at once, when frames are made`()
        throws
    {
        var client = TestClient()
        try client.receive([.settings([(4, 0)])])
        client.write()
        for tag in 0..<1000 as Range<UInt32> { try client.submit(tag: tag, body: body(10)) }
        client.write()
        let before = client.session.slotReviews
        try client.receive((1...900).flatMap { [Frame.settings([(4, UInt32($0 % 9))])] })
        #expect(client.session.slotReviews == before)
        // 900 is a multiple of nine.
        #expect(bytes(of: client.write()).isEmpty)
        #expect(client.session.slotReviews == before + 1)
        try client.receive([.settings([(4, 3)]), .settings([(4, 5)]), update(1, 5)])
        let sent = bytes(of: client.write())
        #expect(sent.count == 1000 && sent[1] == 10 && sent[1999] == 5)
        #expect(client.session.slotReviews == before + 2)
    }

    @Test func `a window near its bound is looked at once for each stream that had it`() throws {
        var client = TestClient()
        try client.receive([.settings([(4, 0)])])
        for tag in 0..<2 as Range<UInt32> { try client.submit(tag: tag, body: body(10)) }
        client.write()
        // The stream with the large window ends, so that the others may have a large one, too.
        try client.receive([update(1, UInt32(Int32.max) - 5), .reset(1, code: 8)])
        let before = client.session.slotReviews
        try client.receive((0..<100).map { Frame.settings([(4, 10 + UInt32($0))]) })
        #expect(client.session.slotReviews == before + 1)
        try client.receive([update(3, UInt32(Int32.max) - 200)])
        #expect(client.failure(of: .settings([(4, 201)])) == .flowControlError)
    }

    @Test func `a long answer is given credit for, on the stream and on the connection`() throws {
        var client = TestClient(ClientSessionConfiguration(receiveWindowBytes: 65_535))
        try client.submit(tag: 0)
        client.write()
        try client.receive([.settings(), .headers(1, [(":status", "200")])])
        client.write()
        let chunk = Frame.data(1, body(16_000))
        try client.receive([chunk, chunk])
        #expect(client.write().isEmpty)
        try client.receive([chunk])
        #expect(client.write() == [update(0, 48_000), update(1, 48_000)])
        // Padding counts, and so does what comes for a stream that has ended.
        try client.receive([
            Frame(
                .data, flags: Frame.padded | Frame.endStream, stream: 1,
                [200] + [UInt8](repeating: 0, count: 200)),
            chunk, chunk,
        ])
        #expect(client.closed == [0: .noError])
        try client.receive([chunk])
        #expect(client.write() == [update(0, 48_201)])
    }

    @Test func `a body without end is canceled beyond the bound, and its status counts`() throws {
        var configuration = ClientSessionConfiguration(receiveWindowBytes: 65_535)
        configuration.bodyBytesMax = 80_000
        var client = TestClient(configuration)
        try client.submit(tag: 0)
        try client.submit(tag: 1)
        client.write()
        try client.receive([
            .settings(), .headers(1, [(":status", "410")]), .headers(3, [(":status", "200")]),
        ])
        client.write()
        let chunk = Frame.data(1, body(16_000))
        try client.receive([chunk, chunk, chunk])
        #expect(client.write() == [update(0, 48_000), update(1, 48_000)])
        #expect(client.closed == [:])
        try client.receive([chunk, chunk, chunk])
        // CANCEL. RFC 9113 §7
        #expect(client.write() == [update(0, 48_000), .reset(1, code: 8)])
        #expect(client.closed == [0: .cancel])
        let answer = client.takeAnswer(tag: 0)
        #expect(answer?.status == 410 && answer?.isComplete == false)
        #expect(answer?.bodyBytes == 96_000)
        // The other stream goes on, and may have as much again.
        try client.receive([chunk, .data(3, body(16_000)), .data(3, "", endStream: true)])
        #expect(client.closed == [0: .cancel, 1: .noError])
    }

    @Test func `a peer may send what it was given, and not a byte more`() {
        var window = ReceiveWindow(100)
        var isAllowed: [Bool] = []
        var credits: [UInt32?] = []
        for count in [49, 51, 100, 1] {
            isAllowed.append(window.receive(count))
            credits.append(count == 49 || count == 51 ? window.credit() : nil)
        }
        #expect(isAllowed == [true, true, true, false])
        #expect(credits == [nil, 100, nil, nil])
    }
}
