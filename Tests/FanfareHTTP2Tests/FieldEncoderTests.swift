import FanfareBase
import Testing

@testable import FanfareHTTP2
@testable import FanfareHTTP2Server

/// The bytes of field blocks, as RFC 7541 has them.
@Suite struct FieldEncoderTests {
    private static let list = [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":authority", "a.example"), HeaderField(":path", nil),
        HeaderField("apns-id", nil, .nameOnly), HeaderField("apns-topic", nil),
    ]

    private func encode(_ encoder: inout FieldEncoder, _ texts: [String?]) -> [UInt8] {
        let bytes = texts.map { Array(($0 ?? "").utf8) }
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(
            capacity: max(bytes.joined().count, 1))
        defer { text.deallocate() }
        _ = text.update(fromContentsOf: bytes.joined())
        var start = 0
        let values = zip(texts, bytes).map { value, bytes in
            defer { start += bytes.count }
            return value == nil
                ? UnsafeBufferPointer<UInt8>.empty
                : UnsafeBufferPointer(
                    rebasing: UnsafeBufferPointer(text)[start..<start + bytes.count])
        }
        return values.withUnsafeBufferPointer { values in
            let most = encoder.bytesMax(values)
            let target = UnsafeMutablePointer<UInt8>.allocate(capacity: most)
            defer { target.deallocate() }
            let count = encoder.encode(values, to: target) - target
            #expect(count <= most)
            return Array(UnsafeBufferPointer(start: target, count: count))
        }
    }

    private func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func `the first request fills the table, and later ones refer to it`() {
        var encoder = FieldEncoder(RequestHeaders(Self.list))
        // §6.1: static entries 3 and 7. §6.2.1: with indexing, :authority is static entry 1.
        // §6.2.2: without, :path is static entry 4.
        let first: [UInt8] =
            [0x83, 0x87, 0x41] + string("a.example") + [0x04] + string("/1")
            + [0x40] + string("apns-id") + string("A") + [0x40] + string("apns-topic") + string("t")
        #expect(encode(&encoder, ["/1", "A", "t"]) == first)
        // Dynamic entries count from the newest, 62: topic, id 63, :authority 64. §2.3.3
        // A name with a four-bit prefix: 15, and 63 - 15 = 48 behind it. §5.1
        #expect(
            encode(&encoder, ["/2", "B", "t"])
                == [0x83, 0x87, 0xC0, 0x04] + string("/2") + [0x0F, 48] + string("B") + [0xBE])
        for text in ["/2a", "/2b"] {
            #expect(
                encode(&encoder, [text, "B", "t"])
                    == [0x83, 0x87, 0xC0, 0x04] + string(text) + [0x0F, 48] + string("B") + [0xBE])
        }
        // Another topic than the one that is remembered: only its name.
        #expect(
            encode(&encoder, ["/3", nil, "u"])
                == [0x83, 0x87, 0xC0, 0x04] + string("/3") + [0x0F, 47] + string("u"))
        #expect(encode(&encoder, ["/4", nil, nil]) == [0x83, 0x87, 0xC0, 0x04] + string("/4"))
    }

    @Test func `a field of which few requests bring a value has the usual one in the others`() {
        var encoder = FieldEncoder(
            RequestHeaders([
                HeaderField(":method", "POST"), HeaderField(":path", nil),
                HeaderField("apns-topic", usual: "t"),
                HeaderField("apns-priority", usual: nil, .nameOnly),
            ]))
        func path(_ text: String) -> [UInt8] { [0x83, 0x04] + string(text) }
        #expect(
            encode(&encoder, ["/1"]) == path("/1") + [0x40] + string("apns-topic") + string("t"))
        // From the third on the block is known, and must be the same.
        for text in ["/2", "/3", "/4"] {
            #expect(encode(&encoder, [text]) == path(text) + [0xBE])
        }
        // The topic is 62; its name has a prefix of four bits: 15 + 47. The priority's name enters.
        #expect(
            encode(&encoder, ["/5", "u", "5"])
                == path("/5") + [0x0F, 47] + string("u") + [0x40] + string("apns-priority")
                + string("5"))
        // It has moved the topic to 63.
        for text in ["/6", "/7", "/8"] {
            #expect(encode(&encoder, [text]) == path(text) + [0xBF])
        }
        #expect(
            encode(&encoder, ["/9", nil, "6"]) == path("/9") + [0xBF, 0x0F, 47] + string("6"))
        // A path may be left out, or be long: 300 is 127 + 173, which is 45 + 128 and 1. §5.1
        #expect(encode(&encoder, [nil]) == [0x83, 0xBF])
        let long = String(repeating: "l", count: 300)
        #expect(
            encode(&encoder, [long])
                == [0x83, 0x04, 127, 0xAD, 0x01] + Array(long.utf8) + [0xBF])
        // A new size of 0 empties the table. §6.3
        encoder.setTableLimit(0)
        let literal = [0x00] + string("apns-topic") + string("t")
        #expect(encode(&encoder, ["/a"]) == [0x20] + path("/a") + literal)
        for text in ["/b", "/c", "/d"] {
            #expect(encode(&encoder, [text]) == path(text) + literal)
        }
    }

    @Test func `a value may have a beginning that all requests share`() {
        var encoder = FieldEncoder(
            RequestHeaders([
                HeaderField(":method", "POST"), HeaderField(":path", beginning: "/3/device/"),
            ]))
        // The first ones are written field by field, the others from the usual block.
        for text in ["0", "0123", "", "01", "0123456789abcdef"] {
            #expect(encode(&encoder, [text]) == [0x83, 0x04] + string("/3/device/" + text))
        }
    }

    @Test func `a value that comes later enters the table then`() {
        var encoder = FieldEncoder(RequestHeaders(Self.list))
        _ = encode(&encoder, ["/1", nil, "t"])
        #expect(
            encode(&encoder, ["/2", "A", "t"])
                // Topic is 62 and :authority 63 until the id is in. §6.2.1
                == [0x83, 0x87, 0xBF, 0x04] + string("/2") + [0x40] + string("apns-id")
                + string("A") + [0xBF])
        #expect(
            encode(&encoder, ["/3", "B", "t"])
                == [0x83, 0x87, 0xC0, 0x04] + string("/3") + [0x0F, 47] + string("B") + [0xBF])
    }

    @Test(
        arguments: [(50, [0x3F, 19], 0x40), (49, [0x3F, 18], 0x00)] as [(UInt32, [UInt8], UInt8)])
    func `a field enters a table that has room for its name, its value and 32 bytes`(
        limit: UInt32, update: [UInt8], mark: UInt8
    ) {
        // §4.1: 10 for apns-topic, 8 for its value. §6.3: a size of 0, then of 31 + 19 or 18.
        var encoder = FieldEncoder(
            RequestHeaders([HeaderField(":method", "POST"), HeaderField("apns-topic", nil)]))
        encoder.setTableLimit(limit)
        #expect(
            encode(&encoder, ["abcdefgh"])
                == [0x20] + update + [0x83, mark] + string("apns-topic") + string("abcdefgh"))
    }

    @Test func `a peer without a table gets literals`() {
        var encoder = FieldEncoder(RequestHeaders(Self.list))
        encoder.setTableLimit(0)
        let request: [UInt8] =
            [0x83, 0x87, 0x01] + string("a.example") + [0x04] + string("/1")
            + [0x00] + string("apns-id") + string("A") + [0x00] + string("apns-topic") + string("t")
        // A new size of 0. §6.3
        #expect(encode(&encoder, ["/1", "A", "t"]) == [0x20] + request)
        #expect(encode(&encoder, ["/1", "A", "t"]) == request)
    }

    @Test func `a table that changes its size begins anew`() {
        var encoder = FieldEncoder(RequestHeaders(Self.list))
        let first = encode(&encoder, ["/1", "A", "t"])
        // 65,536 is more than we use. 4,096 is 31 + 4,065 = 31 + (97 + 31 · 128). §5.1, §6.3
        encoder.setTableLimit(65_536)
        #expect(encode(&encoder, ["/1", "A", "t"]).count < first.count)
        encoder.setTableLimit(100)
        encoder.setTableLimit(4096)
        #expect(encode(&encoder, ["/1", "A", "t"]) == [0x20, 0x3F, 0xE1, 0x1F] + first)
    }

    @Test func `a limit that was lower for a moment is told the peer, whenever it was`() throws {
        // RFC 7541 §4.2: the smallest one in between, too.
        let limits: [(UInt16, UInt32)] = [(1, 64), (1, 4096)]
        for frames in [limits.map { Frame.settings([$0]) }, [Frame.settings(limits)]] {
            var early = TestClient()
            try early.receive(frames)
            early.write()
            try early.submit(tag: 0)
            let first = early.write().first
            #expect(first?.payload.prefix(4) == [0x20, 0x3F, 0xE1, 0x1F])

            var late = TestClient()
            try late.receive([.settings()])
            try late.submit(tag: 0)
            late.write()
            try late.receive(frames)
            late.write()
            try late.submit(tag: 1)
            let second = late.write().first
            #expect(second?.payload.prefix(4) == [0x20, 0x3F, 0xE1, 0x1F])
        }
    }

    @Test func `what does not fit into the table is left out of it`() {
        var encoder = FieldEncoder(RequestHeaders(Self.list))
        // :authority has 10 + 9 + 32 = 51 bytes, the id's entry 7 + 1 + 32 = 40. §4.1
        encoder.setTableLimit(91)
        let first = encode(&encoder, ["/1", "A", "t"])
        #expect(first.suffix(14) == [0x00] + string("apns-topic") + string("t"))
        let second = encode(&encoder, ["/1", "A", "t"])
        // The id is 62, :authority 63.
        #expect(
            second
                == [0x83, 0x87, 0xBF, 0x04] + string("/1") + [0x0F, 47] + string("A")
                + [0x00] + string("apns-topic") + string("t"))
    }

    @Test func `integers have as many bytes as they need`() {
        // §C.1: 10 and 1,337 with a prefix of five bits, 42 with eight.
        for (value, prefix, bytes) in [
            (10, 5, [10]), (1337, 5, [31, 154, 10]), (42, 8, [42]), (30, 5, [30]),
            (31, 5, [31, 0]), (15 + 127, 4, [15, 127]), (15 + 128, 4, [15, 128, 1]),
        ] as [(Int, Int, [UInt8])] {
            let target = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
            defer { target.deallocate() }
            let end = FieldLiteral.write(value, prefix: prefix, mark: 0, to: target)
            #expect(Array(UnsafeBufferPointer(start: target, count: end - target)) == bytes)
        }
    }

    @Test func `a token that all requests have is sent once`() {
        let token = HeaderField("authorization", "bearer abc")
        var encoder = FieldEncoder(RequestHeaders([HeaderField(":path", nil), token]))
        // Its name is static entry 23. §6.2.1, appendix A
        #expect(
            encode(&encoder, ["/1"]) == [0x04] + string("/1") + [0x57] + string("bearer abc"))
        #expect(encode(&encoder, ["/2"]) == [0x04] + string("/2") + [0xBE])
    }

    @Test func `a secret is marked as one`() throws {
        var client = TestClient(
            fields: [
                HeaderField(":path", nil),
                HeaderField("authorization", "bearer abcdef", .neverIndexed),
                HeaderField("x-secret", nil, .neverIndexed),
            ])
        try client.submit(tag: 0, values: ["/", "s3cret"], body: [])
        let frame = try #require(client.write().first { $0.kind == .headers })
        let fields = try #require(FieldDecoder().decode(frame.payload))
        #expect(fields.map(\.name) == [":path", "authorization", "x-secret"])
        #expect(fields.map(\.value) == ["/", "bearer abcdef", "s3cret"])
        #expect(fields.map(\.isSecret) == [false, true, true])
    }

    @Test func `a field block larger than a frame goes on in CONTINUATION`() throws {
        var client = TestClient()
        var server = try TestServer(ServerSessionConfiguration(maxHeaderListSize: 32_768))
        try exchange(&client, &server)
        let path = "/" + String(repeating: "p", count: 25_000)
        try client.submit(tag: 0, path: path)
        let bytes = client.writeBytes()
        let frames = Frame.parse(bytes)
        #expect(frames.map(\.kind) == [.headers, .continuation, .data])
        #expect(frames.map(\.flags) == [0, Frame.endHeaders, Frame.endStream])
        try server.receive(bytes)
        #expect(server.requests.map { server.text(.path, $0) } == [path])
    }
}
