import Testing

@testable import FanfareHTTP2

/// Frames of a server, and what a client has to make of them.
///
/// Stream 1 has a request that is sent, stream 3 another one; stream 5 and all above are idle.
struct ConformanceCase: CustomTestStringConvertible {
    enum Expected {
        /// All is well; stream 1 may be answered, or not.
        case goesOn
        /// Stream 1 ends so; the connection goes on.
        case streamEnds(HTTP2ErrorCode)
        /// The connection ends, and GOAWAY says why.
        case connectionEnds(HTTP2ErrorCode)
    }

    /// Of RFC 9113.
    var section: String
    var what: String
    var bytes: [UInt8]
    var expected: Expected

    init(_ section: String, _ what: String, _ frames: [Frame], _ expected: Expected) {
        self.init(section, what, bytes: frames.flatMap(\.bytes), expected)
    }

    init(_ section: String, _ what: String, bytes: [UInt8], _ expected: Expected) {
        self.section = section
        self.what = what
        self.bytes = bytes
        self.expected = expected
    }

    var testDescription: String { "§\(section): \(what)" }

    /// Lets a client live through it.
    func run() throws {
        var client = TestClient()
        try client.submit(tag: 1)
        try client.submit(tag: 2)
        client.write()
        try client.receive([.settings(), Frame(.settings, flags: Frame.ack)])
        client.write()
        var failure: HTTP2ErrorCode?
        do throws(HTTP2Error) { try client.receive(bytes) } catch { failure = error.code }
        let written = client.write()
        let wantsMore = client.session.wantsRead || client.session.wantsWrite
        switch expected {
        case .connectionEnds(let code):
            #expect(failure == code)
            #expect(written.last?.kind == .goAway)
            #expect(written.last?.goAwayCode == code.rawValue)
            #expect(!wantsMore, "the connection is to be closed (§5.4.1)")
            return
        case .streamEnds(let code):
            #expect(client.closed[1] == code)
            let resets = written.filter { $0.kind == .resetStream }
            #expect(resets.allSatisfy { $0.stream == 1 && $0.resetCode == code.rawValue })
        case .goesOn:
            #expect(!written.contains { $0.kind == .resetStream || $0.kind == .goAway })
        }
        #expect(failure == nil)
        // It still answers, and hears the other answer.
        try client.receive([
            Frame(.ping, Array(1...8)), .headers(3, [(":status", "200")], endStream: true),
        ])
        #expect(client.write().contains(Frame(.ping, flags: Frame.ack, Array(1...8))))
        #expect(client.closed[2] == .noError)
        let answer = client.takeAnswer(tag: 2)
        #expect(answer == Answer())
    }

    // MARK: Frames

    static let answer = Frame.headers(1, [(":status", "200")])
    static let whole = Frame.headers(1, [(":status", "200")], endStream: true)
    /// The beginning of a field block whose end is to come.
    static let begun = Frame(.headers, stream: 1, Frame.block([(":status", "200")]))
    static let more = Frame.block([("x", "1")])

    static func update(_ stream: Int32, _ increment: UInt32) -> Frame {
        Frame(.windowUpdate, stream: stream, Frame.word(increment))
    }
}
