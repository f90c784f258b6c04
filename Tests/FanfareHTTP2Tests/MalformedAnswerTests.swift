import FanfareBase
import Testing

@testable import FanfareHTTP2

/// Answers that break HTTP: none of them counts, and none harms another. RFC 9113 §8
@Suite struct MalformedAnswerTests {
    /// A field as it may stand in a block.
    private enum Form: CaseIterable {
        case plain, indexed, neverIndexed, coded, codedAndIndexed

        /// RFC 7541 §6.2; names and values shorter than 127 bytes.
        func literal(_ name: String, _ value: String) -> [UInt8] {
            let mark: UInt8 =
                switch self {
                case .plain, .coded: 0x00
                case .indexed, .codedAndIndexed: 0x40
                case .neverIndexed: 0x10
                }
            let isCoded = self == .coded || self == .codedAndIndexed
            return [mark] + Self.string(name, isCoded) + Self.string(value, isCoded)
        }

        private static func string(_ text: String, _ isCoded: Bool) -> [UInt8] {
            guard isCoded else { return [UInt8(text.utf8.count)] + Array(text.utf8) }
            var coded = ByteBuffer()
            HuffmanCode.shared.append(text, to: &coded)
            return [0x80 | UInt8(coded.count)] + Array(coded.bytes)
        }
    }

    /// The outcome of frames on stream 1, with another request beside it.
    private struct End: Equatable {
        var code: HTTP2ErrorCode?
        var status: UInt16 = 0
        var isComplete = false
    }

    private func end(
        _ frames: [Frame], fields: [HeaderField] = TestClient.apnsFields
    ) throws -> End {
        var client = TestClient(fields: fields)
        try client.receive([.settings()])
        try client.submit(tag: 1)
        try client.submit(tag: 2)
        client.write()
        try client.receive(frames)
        let resets = client.write().filter { $0.kind == .resetStream }
        var end = End(code: client.closed[1])
        if let answer = client.takeAnswer(tag: 1) {
            end.status = answer.status
            end.isComplete = answer.isComplete
        }
        // The peer is told, and the connection goes on.
        #expect(resets == (end.code == .protocolError ? [.reset(1, code: 1)] : []))
        try client.receive([.headers(3, [(":status", "200")], endStream: true)])
        #expect(client.closed[2] == .noError)
        return end
    }

    private static let malformed = End(code: .protocolError)
    private static let accepted = End(code: .noError, status: 200, isComplete: true)

    private func block(_ block: [UInt8], ends: Bool = true) -> Frame {
        Frame(
            .headers, flags: Frame.endHeaders | (ends ? Frame.endStream : 0), stream: 1, block)
    }

    /// A field behind `:status: 200`, which is entry 8 of the static table.
    private func end(with name: String, _ value: String, _ form: Form) throws -> End {
        try end([block([0x88] + form.literal(name, value))])
    }

    @Test(arguments: [
        "X-Up", "x-Up", "a b", "a\u{0}", "a\t", "\u{7F}", "\u{80}", "x\u{FF}", "a:b", "x:",
        "", "a\"", "a(", "a,", "a/", "a;", "a=", "a@", "a[", "a\\", "a{", "a}", "\r\n",
        String(repeating: "x", count: 50) + "Y",
    ])
    func `§8.2.1 - a name has the characters of a token, and no upper case`(name: String) throws {
        for form in Form.allCases {
            #expect(try end(with: name, "1", form) == Self.malformed, "\(form)")
        }
    }

    @Test(arguments: ["x", "a-b_c.d", "0", "!#$%&'*+-.^_`|~", String(repeating: "y", count: 60)])
    func `§8.2.1 - the characters of a token make a name`(name: String) throws {
        for form in Form.allCases {
            #expect(try end(with: name, "1", form) == Self.accepted, "\(form)")
        }
    }

    @Test(arguments: [
        "\u{0}", "a\u{0}b", "a\r", "a\nb", "\n", " a", "a ", "\ta", "a\t", " ", "1\u{1B}[2J",
        "a\u{7F}", String(repeating: "v", count: 60) + " ",
        "\t" + String(repeating: "v", count: 60),
        String(repeating: "v", count: 50) + "\u{0}" + String(repeating: "v", count: 20),
        "0123456\u{0}01234567", "01234567\n", "\u{1F}0123456", "0123456\u{7F}",
    ])
    func `§8.2.1 - a value has no NUL, CR or LF, other control, or blank at its ends`(
        value: String
    ) throws {
        for form in Form.allCases {
            #expect(try end(with: "x", value, form) == Self.malformed, "\(form)")
            #expect(try end(with: "apns-id", value, form) == Self.malformed, "\(form)")
        }
    }

    @Test(arguments: [
        "", "a b", "a\tb", "é", "ÿ\u{80}", "01234567\t01234567", "~ !", "\u{FF}\u{A0}\u{9F}",
        String(repeating: "a b", count: 30),
    ])
    func `§8.2.1 - blanks inside and bytes above 0x7F make a value`(value: String) throws {
        for form in Form.allCases {
            #expect(try end(with: "x", value, form) == Self.accepted, "\(form)")
        }
    }

    @Test(arguments: [
        ("connection", "close"), ("proxy-connection", "x"), ("keep-alive", "timeout=5"),
        ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("te", "gzip"),
    ])
    func `§8.2.2 - fields about the connection are malformed`(field: (String, String)) throws {
        for form in Form.allCases {
            #expect(try end(with: field.0, field.1, form) == Self.malformed, "\(form)")
        }
        // Entry 57 of the static table is transfer-encoding.
        #expect(try end([block([0x88, 0x0F, 57 - 15, 1, 0x78])]) == Self.malformed)
    }

    @Test(arguments: [
        ":path", ":method", ":scheme", ":authority", ":protocol", ":foo", ":", "::status",
        ":Status",
    ])
    func `§8.3 - an answer has no pseudo-header field but its status`(name: String) throws {
        for form in Form.allCases {
            #expect(try end(with: name, "x", form) == Self.malformed, "\(form)")
        }
        // Entry 4 of the static table is :path with /.
        #expect(try end([block([0x88, 0x84])]) == Self.malformed)
        #expect(try end([block([0x84, 0x88])]) == Self.malformed)
    }

    @Test func `§8.3 - pseudo-header fields come before the others`() throws {
        #expect(
            try end([.headers(1, [("x", "1"), (":status", "200")], endStream: true)])
                == Self.malformed)
        // Entry 54 of the static table is server, 8 is :status 200.
        #expect(try end([block([0xB6, 0x88])]) == Self.malformed)
        // x: 1 goes into the table with an answer 103, and is entry 62 then.
        let early = Frame(
            .headers, flags: Frame.endHeaders, stream: 1,
            Form.plain.literal(":status", "103") + Form.indexed.literal("x", "1"))
        #expect(try end([early, block([0x88, 0xBE])]).code == .noError)
        #expect(try end([early, block([0xBE, 0x88])]) == Self.malformed)
    }

    @Test func `§8.3 - trailers have no pseudo-header field`() throws {
        let answer = Frame.headers(1, [(":status", "200")])
        #expect(
            try end([answer, .headers(1, [(":status", "200")], endStream: true)])
                == Self.malformed)
        #expect(
            try end([answer, .headers(1, [("x", "1"), (":path", "/")], endStream: true)])
                == Self.malformed)
        #expect(try end([answer, .headers(1, [("x", "1")], endStream: true)]) == Self.accepted)
    }

    @Test func `§8.3.2 - an answer has one status, of three digits`() throws {
        for fields in [
            [("x", "1")], [], [(":status", "200"), (":status", "200")], [(":status", "20")],
            [(":status", "2000")], [(":status", "2x0")], [(":status", "")], [(":status", "099")],
            // Characters behind the digits, and before them.
            [(":status", ":00")], [(":status", "2:0")], [(":status", "20:")],
            [(":status", "/00")], [(":status", "2/0")], [(":status", "20/")],
        ] {
            #expect(
                try end([.headers(1, fields, endStream: true)]) == Self.malformed, "\(fields)")
        }
    }

    @Test func `§8.1 - an answer is a final header list, DATA, and trailers that end it`() throws {
        let answer = Frame.headers(1, [(":status", "200")])
        let informational = Frame.headers(1, [(":status", "103")])
        #expect(try end([.data(1, "x", endStream: true)]) == Self.malformed)
        #expect(try end([informational, .data(1, "x", endStream: true)]) == Self.malformed)
        #expect(
            try end([.headers(1, [(":status", "103")], endStream: true)]) == Self.malformed)
        // §8.6: there is no switching of protocols.
        #expect(try end([.headers(1, [(":status", "101")])]) == Self.malformed)
        #expect(try end([answer, .headers(1, [("x", "1")])]) == Self.malformed)
        #expect(
            try end([informational, informational, answer, .data(1, "x", endStream: true)])
                == Self.accepted)
    }

    @Test(arguments: [
        // Less and more than was announced, in one frame and in several.
        ([("content-length", "3")], ["ab"], false), ([("content-length", "3")], ["abcd"], false),
        ([("content-length", "3")], ["a", "b"], false), ([("content-length", "3")], [], false),
        ([("content-length", "0")], ["a"], false), ([("content-length", "3")], ["abc"], true),
        ([("content-length", "0")], [""], true), ([("content-length", "003")], ["a", "bc"], true),
        ([], ["abc"], true),
        // No number, twice, and a number that is none of bytes.
        ([("content-length", "x")], ["a"], false), ([("content-length", "")], ["a"], false),
        ([("content-length", "-1")], ["a"], false), ([("content-length", "+1")], ["a"], false),
        ([("content-length", "1, 1")], ["a"], false),
        ([("content-length", "1"), ("content-length", "1")], ["a"], false),
        ([("content-length", "99999999999999999999")], ["a"], false),
    ])
    func `§8.1.1 - a body is as long as the content-length says`(
        fields: [(String, String)], body: [String], isRight: Bool
    ) throws {
        var frames = [
            Frame.headers(1, [(":status", "200")] + fields, endStream: body.isEmpty)
        ]
        for (index, part) in body.enumerated() {
            frames.append(.data(1, part, endStream: index == body.count - 1))
        }
        #expect(try end(frames) == (isRight ? Self.accepted : Self.malformed))
        // The end may also come with trailers.
        guard let last = frames.indices.last, !body.isEmpty else { return }
        frames[last].flags = 0
        frames.append(.headers(1, [("x", "1")], endStream: true))
        #expect(try end(frames) == (isRight ? Self.accepted : Self.malformed))
    }

    @Test func `§8.1.1 - a body that is too long is cut off before its end`() throws {
        #expect(
            try end([.headers(1, [(":status", "200"), ("content-length", "2")]), .data(1, "abc")])
                == Self.malformed)
    }

    @Test func `§8.1.1 - answers without content may announce what they do not have`() throws {
        func answer(_ status: String, _ length: String, ends: Bool = true) -> Frame {
            .headers(1, [(":status", status), ("content-length", length)], endStream: ends)
        }
        #expect(
            try end([answer("304", "5")])
                == End(code: .noError, status: 304, isComplete: true))
        #expect(
            try end([answer("204", "0")])
                == End(code: .noError, status: 204, isComplete: true))
        // RFC 9110 §8.6: 204 and 1xx announce nothing; §15.3.5: 204 has no content.
        #expect(try end([answer("204", "5")]) == Self.malformed)
        #expect(
            try end([.headers(1, [(":status", "204")]), .data(1, "1", endStream: true)])
                == Self.malformed)
        #expect(try end([answer("103", "0", ends: false)]) == Self.malformed)
        #expect(
            try end([answer("304", "5", ends: false), .data(1, "12345", endStream: true)])
                == Self.malformed)
        let head = [HeaderField(":method", "HEAD")] + TestClient.apnsFields.dropFirst()
        #expect(try end([answer("200", "5")], fields: head) == Self.accepted)
        #expect(
            try end(
                [answer("200", "5", ends: false), .data(1, "12345", endStream: true)],
                fields: head) == Self.malformed)
    }

    @Test(arguments: [("x", "a\n"), ("X", "a")])
    func `a bad field is as bad when it comes out of the table, and its name is not`(
        field: (String, String)
    ) throws {
        var client = TestClient()
        try client.receive([.settings()])
        for tag in 1...3 as ClosedRange<UInt32> { try client.submit(tag: tag) }
        client.write()
        func answer(_ stream: Int32, _ block: [UInt8]) -> Frame {
            Frame(.headers, flags: Frame.endHeaders | Frame.endStream, stream: stream, block)
        }
        try client.receive([
            answer(1, [0x88] + Form.indexed.literal(field.0, field.1)),
            // Entry 62 is the newest one; then its name with another value.
            answer(3, [0x88, 0x80 | 62]), answer(5, [0x88, 0x0F, 62 - 15, 1, 0x62]),
        ])
        #expect(client.closed[1] == .protocolError)
        #expect(client.closed[2] == .protocolError)
        #expect(client.closed[3] == (field.0 == "x" ? .noError : .protocolError))
    }

    /// RFC 9113 §8.1 leaves it open; docs/decisions/032 says why.
    @Test func `a 200 without END_STREAM that is then reset is answered`() throws {
        for code in [0, 2, 7, 8] as [UInt32] {
            let end = try end([.headers(1, [(":status", "200")]), .reset(1, code: code)])
            #expect(end.status == 200)
            #expect(!end.isComplete)
        }
    }

    // MARK: What is told of them

    /// Returns the fault of an answer, and the name of its field.
    private func fault(_ frames: [Frame]) throws -> [String?] {
        var client = TestClient()
        try client.receive([.settings()])
        let stream = try client.submit(tag: 1)
        client.write()
        try client.receive(frames)
        let fault = client.session.fault(of: stream).map { "\($0)" }
        return [fault, client.session.faultyField(of: stream)]
    }

    @Test(
        arguments: [
            (
                "X-Up", "1",
                "the name of a header field has upper case, or is no token (RFC 9113 §8.2.1)"
            ),
            (
                "x", "a\n",
                "the value of a header field has control characters, or blanks at its ends (RFC 9113 §8.2.1)"
            ),
            (
                "connection", "close",
                "a header field is about the connection, which HTTP/2 forbids (RFC 9113 §8.2.2)"
            ),
            (":path", "/", "a pseudo-header field is another than :status (RFC 9113 §8.3)"),
            (":status", "200", "there is more than one status (RFC 9113 §8.3.2)"),
            ("content-length", "x", "the content-length is not one number (RFC 9110 §8.6)"),
        ])
    func `a field that breaks a rule is named with the rule`(
        name: String, value: String, rule: String
    ) throws {
        for form in Form.allCases {
            let told = try fault([block([0x88] + form.literal(name, value))])
            #expect(told == [rule, name], "\(form)")
        }
    }

    @Test func `a name from the static table is told, and one from the peer's own is not known`()
        throws
    {
        // Entry 57 of the static table is transfer-encoding, 4 is :path with /.
        #expect(try fault([block([0x88, 0x0F, 57 - 15, 1, 0x78])])[1] == "transfer-encoding")
        #expect(try fault([block([0x88, 0x84])])[1] == ":path")
        // Entry 62 is the newest of the peer's own.
        let early = Frame(
            .headers, flags: Frame.endHeaders, stream: 1,
            Form.plain.literal(":status", "103") + Form.indexed.literal("x", "1"))
        #expect(try fault([early, block([0x88, 0x0F, 62 - 15, 1, 0x0A])])[1] == nil)
        #expect(try fault([block([0x88] + Form.plain.literal("a\u{1B}b", "1"))])[1] == "a?b")
        // A second answer has `connection` from the peer's table.
        var client = TestClient()
        try client.receive([.settings()])
        try client.submit(tag: 1)
        let second = try client.submit(tag: 2)
        client.write()
        let indexed = Frame(
            .headers, flags: Frame.endHeaders | Frame.endStream, stream: 3, [0x88, 0x80 | 62])
        try client.receive([block([0x88] + Form.indexed.literal("connection", "close")), indexed])
        #expect(client.session.faultyField(of: second) == "connection")
    }

    @Test func `a rule that no field breaks is told alone`() throws {
        let answer = Frame.headers(1, [(":status", "200")])
        let long = Frame.headers(1, [(":status", "200"), ("content-length", "3")])
        let rules: [([Frame], MalformedAnswer)] = [
            ([.headers(1, [("x", "1")], endStream: true)], .noStatus),
            ([.headers(1, [("x", "1"), (":status", "200")], endStream: true)], .latePseudoField),
            ([.data(1, "x", endStream: true)], .bodyFirst),
            ([answer, .headers(1, [("x", "1")])], .trailersWithoutEnd),
            ([.headers(1, [(":status", "103")], endStream: true)], .endedInformational),
            ([long, .data(1, "ab", endStream: true)], .otherLength),
            ([long, .data(1, "abcd")], .otherLength),
            (
                [.headers(1, [(":status", "204"), ("content-length", "3")], endStream: true)],
                .announcedWithoutContent
            ),
        ]
        for (frames, rule) in rules { #expect(try fault(frames) == [rule.description, nil]) }
        #expect(try fault([answer]) == [nil, nil])
    }
}
