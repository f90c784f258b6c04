import CNghttp2
import FanfareBase
import Testing

@testable import FanfareHTTP2
@testable import FanfareHTTP2Server

/// Our client against our server, in memory.
@Suite struct SessionDialogueTests {
    @Test func `the server sees what the client sent, and the client what the server answered`()
        throws
    {
        var client = TestClient()
        var server = try TestServer()
        try exchange(&client, &server)
        try client.submit(tag: 9, path: "/3/device/abc", id: "ID-1", body: "{\"aps\":1}")
        try exchange(&client, &server)

        let stream = try #require(server.requests.first)
        #expect(server.text(.method, stream) == "POST")
        #expect(server.text(.path, stream) == "/3/device/abc")
        #expect(server.text(.authority, stream) == "api.push.apple.com")
        #expect(server.text(.authorization, stream) == "bearer " + TestClient.token)
        #expect(server.text(.apnsTopic, stream) == "com.example.app")
        #expect(server.text(.apnsPushType, stream) == "alert")
        #expect(server.text(.apnsPriority, stream) == "10")
        #expect(server.text(.apnsID, stream) == "ID-1")
        #expect(server.text(.apnsExpiration, stream) == "")
        #expect(
            String(decoding: server.session.body(of: stream), as: UTF8.self) == "{\"aps\":1}")
        let hasDuplicate = server.session.hasDuplicateField(stream)
        #expect(!hasDuplicate)

        try server.respond(
            stream, status: 410, fields: [("apns-id", "ID-1")],
            body: "{\"reason\":\"Unregistered\"}")
        try exchange(&client, &server)
        let answer = client.takeAnswer(tag: 9)
        #expect(
            answer
                == Answer(
                    status: 410, messageID: "ID-1", body: "{\"reason\":\"Unregistered\"}",
                    bodyBytes: 25))
        #expect(server.events.last == .streamClosed(stream, code: .noError))
        server.session.release(stream)
        #expect(server.session.openStreams == 0)
    }

    @Test func `a value without address leaves its field out`() throws {
        var client = TestClient()
        var server = try TestServer()
        try client.submit(tag: 1, id: nil)
        try client.submit(tag: 2, id: "ID-2")
        try exchange(&client, &server)
        #expect(server.requests.map { server.text(.apnsID, $0) } == ["", "ID-2"])
        #expect(server.requests.map { server.text(.apnsPriority, $0) } == ["10", "10"])
    }

    @Test func `a stream above a limit that was just lowered is refused`() throws {
        var client = TestClient()
        var server = try TestServer()
        try exchange(&client, &server)
        try client.submit(tag: 1)
        try exchange(&client, &server)
        // The client has not seen the new limit when it sends its second request.
        try server.session.updateSettings(maxConcurrentStreams: 1)
        try client.submit(tag: 2)
        try exchange(&client, &server)
        #expect(client.closed == [2: .refusedStream])
        #expect(client.session.peerMaxConcurrentStreams == 1)
        // And up again.
        try server.session.updateSettings(maxConcurrentStreams: 10)
        try exchange(&client, &server)
        try client.submit(tag: 3)
        try exchange(&client, &server)
        #expect(server.requests.count == 2)
    }

    @Test func `after the acknowledgement a stream too many costs the connection`() throws {
        var server = try TestServer(ServerSessionConfiguration(maxConcurrentStreams: 1))
        try server.receive(
            Frame.preface
                + [
                    .settings(), Frame(.settings, flags: Frame.ack),
                    .headers(1, [(":method", "POST"), (":scheme", "https"), (":path", "/")]),
                ].flatMap { (frame: Frame) in frame.bytes })
        #expect(throws: HTTP2Error.self) {
            try server.receive(
                Frame.headers(3, [(":method", "POST"), (":scheme", "https"), (":path", "/")])
                    .bytes)
        }
        let frames = Frame.parse(try server.write())
        #expect(frames.last?.goAwayCode == HTTP2ErrorCode.protocolError.rawValue)
    }

    @Test func `a server leaves gracefully in two steps`() throws {
        var client = TestClient()
        var server = try TestServer()
        try exchange(&client, &server)
        try client.submit(tag: 1)
        try exchange(&client, &server)
        try server.session.announceGoAway()
        try exchange(&client, &server)
        #expect(client.events.last == .goAway(lastStreamID: .max, code: .noError))
        let debug = Array("{\"reason\":\"Shutdown\"}".utf8)
        try debug.withUnsafeBufferPointer { debug in
            try server.session.goAway(lastStreamID: nil, code: .noError, debugData: debug)
        }
        try exchange(&client, &server)
        #expect(client.events.last == .goAway(lastStreamID: 1, code: .noError))
        try server.respond(try #require(server.requests.first))
        try exchange(&client, &server)
        #expect(client.closed == [1: .noError])
    }

    @Test func `a request without method, scheme or path is reset`() throws {
        var server = try TestServer()
        try server.receive(
            Frame.preface + Frame.settings().bytes
                + Frame.headers(1, [(":method", "POST"), (":path", "/")], endStream: true).bytes)
        let frames = Frame.parse(try server.write())
        #expect(frames.last == .reset(1, code: HTTP2ErrorCode.protocolError.rawValue))
        #expect(server.requests.isEmpty)
    }

    @Test func `paths and ids do not fill the header table, and later requests are small`() throws {
        var client = TestClient()
        try client.receive([.settings([(3, 1000)])])
        client.write()
        var inflater: OpaquePointer?
        try #require(nghttp2_hd_inflate_new(&inflater) == 0)
        defer { nghttp2_hd_inflate_del(inflater) }
        var sizes: [Int] = []
        var entries: [Int] = []
        for tag in 0..<50 as Range<UInt32> {
            let path = "/3/device/" + String(repeating: String(tag % 10), count: 64)
            try client.submit(
                tag: tag, path: path, id: "EABCD123-0000-1111-2222-3333444455\(10 + tag)")
            let frame = try #require(client.write().first { $0.kind == .headers })
            sizes.append(frame.payload.count)
            var rest = frame.payload
            var seenPath = ""
            while !rest.isEmpty {
                var field = nghttp2_nv()
                var flags: Int32 = 0
                let used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, rest, rest.count, 1)
                try #require(used >= 0)
                rest.removeFirst(used)
                let name = String(
                    decoding: UnsafeBufferPointer(start: field.name, count: field.namelen),
                    as: UTF8.self)
                if name == ":path" {
                    seenPath = String(
                        decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen),
                        as: UTF8.self)
                }
            }
            nghttp2_hd_inflate_end_headers(inflater)
            #expect(seenPath == path)
            entries.append(nghttp2_hd_inflate_get_num_table_entries(inflater))
        }
        // The static table has 61 entries (RFC 7541, appendix A); :authority, topic, push type,
        // priority and the first apns-id come on top.
        #expect(entries.allSatisfy { $0 == 61 + 5 })
        // 203 bytes of token in Huffman code are about 155; the path is 74, the id 36, each with two
        // or three before it, and six fields are a byte.
        #expect(sizes.dropFirst().allSatisfy { $0 < sizes[0] - 60 && $0 < 290 })
    }

    @Test func `a hundred thousand requests leave the memory as it was`() throws {
        var client = TestClient()
        var server = try TestServer()
        try exchange(&client, &server)
        var blocks: [Int] = []
        var held: [Int] = []
        for round in 0..<100_000 as Range<UInt32> {
            try client.submit(tag: round)
            try server.receive(client.writeBytes())
            let stream = try #require(server.requests.first)
            try server.respond(stream)
            try client.receive(try server.write())
            #expect(client.closed == [round: .noError])
            let answer = client.takeAnswer(tag: round)
            #expect(answer?.status == 200)
            server.session.release(stream)
            client.events.removeAll()
            client.written.removeAll()
            server.events.removeAll()
            if round % 10_000 == 5000 {
                blocks.append(server.session.liveBlocks)
                held.append(client.session.heldBytes)
            }
        }
        #expect(Set(blocks).count == 1)
        #expect(Set(held).count == 1)
    }
}
