import Testing

@testable import FanfareHTTP2

/// The rules of RFC 9113 for a client, one by one; docs/internals/http2-conformance.md has the
/// table.
///
/// The cases are those that h2spec puts to clients, and more of the same kind; the bytes are made here.
@Suite struct ConformanceTests {
    private typealias Case = ConformanceCase

    @Test(arguments: frames + frameSizes)
    func `§4 - frames and their sizes`(_ rule: ConformanceCase) throws { try rule.run() }

    @Test(arguments: streams)
    func `§5 - streams, their states and errors`(_ rule: ConformanceCase) throws {
        try rule.run()
    }

    @Test(arguments: data + headers + continuation)
    func `§6 - DATA, HEADERS and CONTINUATION`(_ rule: ConformanceCase) throws { try rule.run() }

    @Test(arguments: priority + resets + push)
    func `§6 - PRIORITY, RST_STREAM and PUSH_PROMISE`(_ rule: ConformanceCase) throws {
        try rule.run()
    }

    @Test(arguments: settings + ping + goAway + windowUpdate)
    func `§6 - SETTINGS, PING, GOAWAY and WINDOW_UPDATE`(_ rule: ConformanceCase) throws {
        try rule.run()
    }

    @Test func `§3.4 - the server's preface is SETTINGS, and nothing comes before it`() throws {
        var client = TestClient()
        #expect(client.write().map(\.kind) == [.settings, .windowUpdate])
        try client.receive([.settings()])
        #expect(client.failure(of: Frame(.ping, Array(1...8))) == nil)
        for frame in [
            Frame(.ping, Array(1...8)), Frame(.settings, flags: Frame.ack),
            .goAway(last: 0, code: 0),
            Frame(.windowUpdate, Frame.word(1)),
        ] {
            client = TestClient()
            #expect(client.failure(of: frame) == .protocolError)
        }
    }

    @Test func `§6.5.3 - SETTINGS are acknowledged at once, an acknowledgement is not`() throws {
        var client = TestClient()
        try client.receive([.settings([(3, 100)])])
        #expect(client.write().contains(Frame(.settings, flags: Frame.ack)))
        try client.receive([Frame(.settings, flags: Frame.ack)])
        #expect(client.write().isEmpty)
    }

    @Test func `§6.7 - PING is answered with its own bytes, an acknowledgement is not`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        client.write()
        try client.receive([
            Frame(.ping, flags: Frame.ack, Array(9...16)), Frame(.ping, Array(1...8)),
        ])
        #expect(client.write() == [Frame(.ping, flags: Frame.ack, Array(1...8))])
    }

    @Test func `§6.9.1 - a stream's window beyond 2³¹ − 1 costs the stream`() throws {
        var client = TestClient()
        try client.submit(tag: 1)
        client.write()
        let most = ConformanceCase.update(1, UInt32(Int32.max))
        try client.receive([.settings(), ConformanceCase.answer, most, most])
        #expect(client.write().last == .reset(1, code: 3))
        #expect(client.closed[1] == .flowControlError)
    }

    // MARK: §4

    private static let frames = [
        Case(
            "4.1", "a frame of an unknown type", bytes: [0, 0, 8, 0x16, 0, 0, 0, 0, 0] + zeros(8),
            .goesOn),
        Case(
            "4.1", "a frame with undefined flags",
            bytes: [0, 0, 8, 6, 0x16, 0, 0, 0, 0] + zeros(8),
            .goesOn),
        Case(
            "4.1", "the reserved bit of a stream",
            bytes: [0, 0, 8, 6, 0, 0x80, 0, 0, 0] + zeros(8),
            .goesOn),
        Case(
            "5.5", "an extension's frame on a stream",
            bytes: [0, 0, 4, 0xFF, 0xFF, 0, 0, 0, 1] + zeros(4), .goesOn),
        Case(
            "5.5", "an extension's frame inside of a field block",
            bytes: Case.begun.bytes + [0, 0, 4, 0xFF, 0xFF, 0, 0, 0, 1] + zeros(4),
            .connectionEnds(.protocolError)),
    ]

    private static let frameSizes = [
        Case(
            "4.2", "DATA of 2¹⁴ bytes",
            [Case.answer, Frame(.data, flags: 1, stream: 1, zeros(16_384))], .streamEnds(.noError)),
        Case(
            "4.2", "DATA beyond SETTINGS_MAX_FRAME_SIZE",
            [Case.answer, Frame(.data, flags: 1, stream: 1, zeros(16_385))],
            .connectionEnds(.frameSizeError)),
        Case(
            "4.2", "HEADERS beyond SETTINGS_MAX_FRAME_SIZE",
            [Frame(.headers, flags: 5, stream: 1, zeros(16_385))],
            .connectionEnds(.frameSizeError)),
        // A literal with a new name, of which only the length of the value is there.
        Case(
            "4.3", "a field block that cannot be decoded",
            [Frame(.headers, flags: 5, stream: 1, [0x88, 0x40, 1, 0x78, 5])],
            .connectionEnds(.compressionError)),
        Case(
            "4.3", "a field block that cannot be decoded, of a stream that has ended",
            [Case.whole, Frame(.headers, flags: 5, stream: 1, [0x80])],
            .connectionEnds(.compressionError)),
        Case(
            "4.3", "a size update behind a field",
            [Frame(.headers, flags: 5, stream: 1, [0x88, 0x20])],
            .connectionEnds(.compressionError)),
    ]

    // MARK: §5

    private static let streams = [
        Case("5.1", "idle: DATA", [.data(5, "x")], .connectionEnds(.protocolError)),
        Case("5.1", "idle: HEADERS", [.headers(5, [])], .connectionEnds(.protocolError)),
        Case("5.1", "idle: RST_STREAM", [.reset(5, code: 8)], .connectionEnds(.protocolError)),
        Case("5.1", "idle: WINDOW_UPDATE", [Case.update(5, 1)], .connectionEnds(.protocolError)),
        Case(
            "5.1", "idle: CONTINUATION",
            [Frame(.continuation, flags: Frame.endHeaders, stream: 5, Case.more)],
            .connectionEnds(.protocolError)),
        // RFC 7540 made an error of these; RFC 9113 lets them be ignored, for they may have been on
        // their way.
        Case(
            "5.1", "closed by the peer's RST_STREAM: DATA",
            [Case.answer, .reset(1, code: 8), .data(1, "x")], .streamEnds(.cancel)),
        Case(
            "5.1", "closed by the peer's RST_STREAM: HEADERS",
            [Case.answer, .reset(1, code: 8), Case.whole], .streamEnds(.cancel)),
        Case(
            "5.1", "closed by END_STREAM: DATA", [Case.whole, .data(1, "x")], .streamEnds(.noError)),
        Case(
            "5.1", "closed by END_STREAM: HEADERS", [Case.whole, Case.whole], .streamEnds(.noError)),
        Case(
            "5.1", "closed by END_STREAM: WINDOW_UPDATE and RST_STREAM",
            [Case.whole, Case.update(1, 1), .reset(1, code: 0)], .streamEnds(.noError)),
        Case(
            "5.1", "closed: CONTINUATION",
            [Case.whole, Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more)],
            .connectionEnds(.protocolError)),
        Case(
            "5.1", "closed by the peer's RST_STREAM: CONTINUATION",
            [
                Case.answer, .reset(1, code: 8),
                Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more),
            ], .connectionEnds(.protocolError)),
        Case(
            "5.1.1", "a stream that was never opened", [.headers(101, [(":status", "200")])],
            .connectionEnds(.protocolError)),
        Case(
            "5.1.1", "a stream of the server's own", [.headers(2, [(":status", "200")])],
            .connectionEnds(.protocolError)),
        Case(
            "5.4.1", "a PING for a stream ends the connection with GOAWAY",
            bytes: [0, 0, 8, 6, 0, 0, 0, 0, 3] + zeros(8), .connectionEnds(.protocolError)),
        Case(
            "5.4.2", "a stream's error leaves the others alone", [.data(1, "x", endStream: true)],
            .streamEnds(.protocolError)),
    ]

    // MARK: §6

    private static let data = [
        Case("6.1", "DATA for the connection", [.data(0, "x")], .connectionEnds(.protocolError)),
        Case(
            "6.1", "as much padding as payload",
            [Case.answer, Frame(.data, flags: 0x9, stream: 1, [6, 1, 2, 3, 4, 5])],
            .connectionEnds(.protocolError)),
        Case(
            "6.1", "padding up to the end",
            [Case.answer, Frame(.data, flags: 0x9, stream: 1, [5, 0, 0, 0, 0, 0])],
            .streamEnds(.noError)),
        Case(
            "6.1", "padding without its length",
            [Case.answer, Frame(.data, flags: 0x9, stream: 1)],
            .connectionEnds(.frameSizeError)),
    ]

    private static let headers = [
        Case(
            "6.2", "HEADERS for the connection", [.headers(0, [(":status", "200")])],
            .connectionEnds(.protocolError)),
        Case(
            "6.2", "a frame between HEADERS and CONTINUATION",
            [Case.begun, Frame(.priority, stream: 1, zeros(5))], .connectionEnds(.protocolError)),
        Case(
            "6.2", "as much padding as payload",
            [Frame(.headers, flags: 0xD, stream: 1, [2, 0x88])], .connectionEnds(.protocolError)),
        Case(
            "6.2", "padding and priority",
            [Frame(.headers, flags: 0x2D, stream: 1, [1, 0, 0, 0, 3, 7, 0x88, 0])],
            .streamEnds(.noError)),
    ]

    private static let continuation = [
        Case(
            "6.10", "several CONTINUATION",
            [
                Case.begun, Frame(.continuation, stream: 1, Case.more),
                Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more),
            ], .goesOn),
        Case(
            "6.10", "another frame behind a CONTINUATION",
            [Case.begun, Frame(.continuation, stream: 1, Case.more), .data(1, "x")],
            .connectionEnds(.protocolError)),
        Case(
            "6.10", "a CONTINUATION for the connection",
            [Case.begun, Frame(.continuation, flags: Frame.endHeaders, stream: 0, Case.more)],
            .connectionEnds(.protocolError)),
        Case(
            "6.10", "a CONTINUATION for another stream",
            [Case.begun, Frame(.continuation, flags: Frame.endHeaders, stream: 3, Case.more)],
            .connectionEnds(.protocolError)),
        Case(
            "6.10", "a CONTINUATION behind END_HEADERS of HEADERS",
            [Case.answer, Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more)],
            .connectionEnds(.protocolError)),
        Case(
            "6.10", "a CONTINUATION behind END_HEADERS of a CONTINUATION",
            [
                Case.begun, Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more),
                Frame(.continuation, flags: Frame.endHeaders, stream: 1, Case.more),
            ], .connectionEnds(.protocolError)),
        Case(
            "6.10", "a CONTINUATION behind DATA",
            [Case.answer, .data(1, "x"), Frame(.continuation, stream: 1, Case.more)],
            .connectionEnds(.protocolError)),
    ]

    private static let priority = [
        Case(
            "6.3", "PRIORITY for the connection", [Frame(.priority, stream: 0, zeros(5))],
            .connectionEnds(.protocolError)),
        Case("6.3", "PRIORITY for any stream", [Frame(.priority, stream: 77, zeros(5))], .goesOn),
        // An error of the stream, of which §5.4.1 lets one of the connection be made.
        Case(
            "6.3", "PRIORITY of four bytes", [Frame(.priority, stream: 1, zeros(4))],
            .connectionEnds(.frameSizeError)),
    ]

    private static let resets = [
        Case(
            "6.4", "RST_STREAM for the connection", [.reset(0, code: 8)],
            .connectionEnds(.protocolError)),
        Case(
            "6.4", "RST_STREAM for an idle stream", [.reset(2, code: 8)],
            .connectionEnds(.protocolError)),
        Case(
            "6.4", "RST_STREAM of three bytes", [Frame(.resetStream, stream: 1, zeros(3))],
            .connectionEnds(.frameSizeError)),
        // §7: unknown codes are no error.
        Case(
            "7", "an unknown error code", [.reset(1, code: 0x1234)],
            .streamEnds(.init(rawValue: 0x1234))),
        // §8.1: an answer is not to be discarded for it.
        Case(
            "8.1", "NO_ERROR behind an answer", [Case.whole, .reset(1, code: 0)],
            .streamEnds(.noError)),
    ]

    private static let push = [
        Case(
            "8.4", "PUSH_PROMISE where push is off",
            [Frame(.pushPromise, flags: Frame.endHeaders, stream: 1, [0, 0, 0, 2, 0x82])],
            .connectionEnds(.protocolError))
    ]

    private static let settings = [
        Case(
            "6.5", "an acknowledgement with content", [Frame(.settings, flags: Frame.ack, [0])],
            .connectionEnds(.frameSizeError)),
        Case(
            "6.5", "SETTINGS for a stream", [Frame(.settings, stream: 1, [0, 3, 0, 0, 0, 100])],
            .connectionEnds(.protocolError)),
        Case(
            "6.5", "SETTINGS of three bytes", [Frame(.settings, [0, 3, 0])],
            .connectionEnds(.frameSizeError)),
        Case(
            "6.5.2", "ENABLE_PUSH of a server", [.settings([(2, 1)])],
            .connectionEnds(.protocolError)),
        Case(
            "6.5.2", "INITIAL_WINDOW_SIZE above 2³¹ − 1", [.settings([(4, 1 << 31)])],
            .connectionEnds(.flowControlError)),
        Case(
            "6.5.2", "MAX_FRAME_SIZE below 2¹⁴", [.settings([(5, 16_383)])],
            .connectionEnds(.protocolError)),
        Case(
            "6.5.2", "MAX_FRAME_SIZE above 2²⁴ − 1", [.settings([(5, 1 << 24)])],
            .connectionEnds(.protocolError)),
        Case("6.5.2", "an unknown setting", [.settings([(0xFF, 1)])], .goesOn),
        Case(
            "6.5.2", "the last of several values counts", [.settings([(4, 1), (4, 70_000)])],
            .goesOn),
    ]

    private static let ping = [
        Case(
            "6.7", "PING for a stream", [Frame(.ping, stream: 1, zeros(8))],
            .connectionEnds(.protocolError)),
        Case(
            "6.7", "PING of six bytes", [Frame(.ping, zeros(6))], .connectionEnds(.frameSizeError)),
    ]

    private static let goAway = [
        Case(
            "6.8", "GOAWAY for a stream", [Frame(.goAway, stream: 1, zeros(8))],
            .connectionEnds(.protocolError)),
        Case(
            "6.8", "GOAWAY of seven bytes", [Frame(.goAway, zeros(7))],
            .connectionEnds(.frameSizeError)),
        Case(
            "6.8", "GOAWAY with a higher last stream than before",
            [.goAway(last: 3, code: 0), .goAway(last: 5, code: 0)], .connectionEnds(.protocolError)),
    ]

    private static let windowUpdate = [
        Case(
            "6.9", "WINDOW_UPDATE of nothing for the connection", [Case.update(0, 0)],
            .connectionEnds(.protocolError)),
        Case(
            "6.9", "WINDOW_UPDATE of nothing for a stream", [Case.answer, Case.update(1, 0)],
            .streamEnds(.protocolError)),
        Case(
            "6.9", "WINDOW_UPDATE of three bytes", [Frame(.windowUpdate, zeros(3))],
            .connectionEnds(.frameSizeError)),
        Case(
            "6.9.1", "a connection's window beyond 2³¹ − 1",
            [Case.update(0, UInt32(Int32.max)), Case.update(0, UInt32(Int32.max))],
            .connectionEnds(.flowControlError)),
    ]

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
