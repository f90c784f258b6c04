import FanfareHTTP2
import Testing

@testable import FanfareHTTP1

/// The bytes of requests.
@Suite struct RequestHeadTests {
    private func written(
        _ fields: [HeaderField], values: [String?] = [], body: String = ""
    ) throws -> String {
        var client = TestClient(fields: fields)
        try client.submit(values: values, body: Array(body.utf8))
        return client.write()
    }

    private func refusal(_ fields: [HeaderField], values: [String?] = []) -> HTTP1Error? {
        var client = TestClient(fields: fields)
        let refusal = client.refusal(values: values)
        #expect(refusal == nil || !client.session.wantsWrite)
        return refusal
    }

    // RFC 9110 §3.9, with names in lower case and the host in front
    @Test func `a request is a line, the host and the fields`() throws {
        let fields =
            TestClient.getFields + [
                HeaderField("user-agent", "curl/7.64.1"), HeaderField("accept-language", "en, mi"),
            ]
        #expect(
            try written(fields) == """
                GET /hello.txt HTTP/1.1\r
                host: www.example.com\r
                user-agent: curl/7.64.1\r
                accept-language: en, mi\r
                \r

                """)
    }

    @Test func `values stand in their places, behind what they begin with`() throws {
        #expect(
            try written(TestClient.postFields, values: ["0123", "id-1"], body: "{}") == """
                POST /3/device/0123 HTTP/1.1\r
                host: api.push.apple.com\r
                authorization: bearer e30.e30.x\r
                apns-topic: com.example.app\r
                apns-id: id-1\r
                content-length: 2\r
                \r
                {}
                """)
        // No value leaves a place out; an optional one of the request's own takes the usual one's place.
        #expect(
            try written(TestClient.postFields, values: ["0123", nil, "other"]) == """
                POST /3/device/0123 HTTP/1.1\r
                host: api.push.apple.com\r
                authorization: bearer e30.e30.x\r
                apns-topic: other\r
                content-length: 0\r
                \r

                """)
        #expect(
            try written(TestClient.postFields, values: ["0123", "", nil]) == """
                POST /3/device/0123 HTTP/1.1\r
                host: api.push.apple.com\r
                authorization: bearer e30.e30.x\r
                apns-topic: com.example.app\r
                apns-id: \r
                content-length: 0\r
                \r

                """)
    }

    @Test func `an optional field without a usual value is there if a request brings one`() throws {
        let fields =
            TestClient.getFields + [
                HeaderField("a", usual: nil), HeaderField("b", "1"), HeaderField("c", usual: "2"),
            ]
        let begin = "GET /hello.txt HTTP/1.1\r\nhost: www.example.com\r\n"
        #expect(try written(fields) == begin + "b: 1\r\nc: 2\r\n\r\n")
        #expect(try written(fields, values: ["x", nil]) == begin + "a: x\r\nb: 1\r\nc: 2\r\n\r\n")
        #expect(try written(fields, values: [nil, "y"]) == begin + "b: 1\r\nc: y\r\n\r\n")
    }

    @Test func `values are in the order of their places, also before the path`() throws {
        let fields = [
            HeaderField(":method", "GET"), HeaderField("a", nil), HeaderField(":path", nil),
            HeaderField(":authority", "www.example.com"), HeaderField("b", nil),
        ]
        #expect(
            try written(fields, values: ["1", "/x", "2"])
                == "GET /x HTTP/1.1\r\nhost: www.example.com\r\na: 1\r\nb: 2\r\n\r\n")
    }

    @Test func `a place may begin with what all its values begin with`() throws {
        let fields =
            TestClient.getFields + [HeaderField("authorization", beginning: "vapid t=")]
        let text = try written(fields, values: ["abc"])
        #expect(text.hasSuffix("\r\nauthorization: vapid t=abc\r\n\r\n"))
        #expect(!(try written(fields, values: [nil])).contains("authorization"))
    }

    // RFC 9110 §8.6
    @Test(arguments: [
        ("POST", "", "0"), ("PUT", "", "0"), ("PATCH", "", "0"), ("POST", "ab", "2"),
        ("GET", "", nil), ("HEAD", "", nil), ("DELETE", "", nil), ("OPTIONS", "", nil),
        ("GET", "a", "1"), ("DELETE", "abc", "3"),
    ])
    func `the length of a body is told where one is expected`(
        method: String, body: String, length: String?
    ) throws {
        var fields = TestClient.getFields
        fields[0] = HeaderField(":method", method)
        // Another statement about the length is not believed.
        let text = try written(fields + [HeaderField("content-length", "7")], body: body)
        let told = text.matches(of: /\r\ncontent-length: (.*)\r\n/).map { String($0.1) }
        #expect(told == [length].compactMap(\.self))
        #expect(text.hasSuffix("\r\n\r\n" + body))
    }

    // RFC 9110 §10.1.4
    @Test func `te is the connection's`() throws {
        let text = try written(TestClient.getFields + [HeaderField("te", "trailers")])
        #expect(text.hasSuffix("\r\nconnection: te\r\nte: trailers\r\n\r\n"))
    }

    @Test(arguments: [
        "\r\nx: y", "a\r", "a\n", "\n", "\u{0}", "a\u{B}", "\u{7F}", "\u{1F}",
    ])
    func `no value ends its line`(value: String) throws {
        #expect(refusal(TestClient.postFields, values: ["0123", value]) == .unsendable)
        #expect(refusal(TestClient.postFields, values: ["0123", nil, value]) == .unsendable)
        #expect(refusal(TestClient.postFields, values: [value, nil]) == .unsendable)
        #expect(refusal(TestClient.getFields + [HeaderField("x", value)]) == .unsendable)
        #expect(refusal(TestClient.getFields + [HeaderField("x", usual: value)]) == .unsendable)
        #expect(
            refusal(TestClient.getFields + [HeaderField("x", beginning: value)], values: ["1"])
                == .unsendable)
    }

    @Test func `values may have tabs and bytes above ASCII`() throws {
        let text = try written(TestClient.postFields, values: ["0", "a\tb", "\u{e9}"])
        #expect(text.contains("\r\napns-topic: \u{e9}\r\napns-id: a\tb\r\n"))
    }

    // RFC 9112 §3
    @Test(arguments: ["a b", "a\tb", " ", "\u{e9}", "a\r\n"])
    func `no target ends before its end`(target: String) {
        #expect(refusal(TestClient.postFields, values: [target, nil]) == .unsendable)
        var fields = TestClient.getFields
        fields[2] = HeaderField(":path", "/" + target)
        #expect(refusal(fields) == .unsendable)
        fields[2] = HeaderField(":path", "/")
        fields[3] = HeaderField(":authority", target)
        #expect(refusal(fields) == .unsendable)
    }

    @Test func `a target begins with a slash`() throws {
        var fields = TestClient.getFields
        for (path, isGood) in [("/", true), ("*", true), ("", false), ("x", false), ("**", false)] {
            fields[2] = HeaderField(":path", path)
            #expect((refusal(fields) == nil) == isGood, "\(path)")
        }
        fields[2] = HeaderField(":path", nil)
        #expect(refusal(fields, values: ["/x"]) == nil)
        for value in ["x", "*", "", nil] {
            #expect(refusal(fields, values: [value]) == .unsendable, "\(value ?? "nil")")
        }
        fields[2] = HeaderField(":path", beginning: "x")
        #expect(refusal(fields, values: ["/x"]) == .unsendable)
        // A begun field may be left at that, but not out.
        fields[2] = HeaderField(":path", beginning: "/x")
        #expect(refusal(fields, values: [""]) == nil)
        #expect(refusal(fields, values: [nil]) == .unsendable)
    }

    @Test func `a request has a method, a path and an authority`() {
        for index in [0, 2, 3] {
            var fields = TestClient.getFields
            fields.remove(at: index)
            #expect(refusal(fields) == .unsendable)
        }
        var fields = TestClient.getFields
        fields[0] = HeaderField(":method", "G T")
        #expect(refusal(fields) == .unsendable)
        fields[0] = HeaderField(":method", usual: "GET")
        #expect(refusal(fields) == .unsendable)
        #expect(
            refusal([HeaderField(":protocol", "websocket")] + TestClient.getFields) == .unsendable)
    }

    @Test(arguments: [
        "connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ])
    func `what is about the connection is the session's`(name: String) {
        #expect(refusal(TestClient.getFields + [HeaderField(name, "x")]) == .unsendable)
        #expect(
            refusal(TestClient.getFields + [HeaderField(name, nil)], values: ["x"]) == .unsendable)
    }

    @Test(arguments: ["", "a b", "a:", "a\r\n", "\u{e9}"])
    func `a name is a token`(name: String) {
        #expect(refusal(TestClient.getFields + [HeaderField(name, "x")]) == .unsendable)
    }

    @Test func `a head has a bound`() throws {
        var client = TestClient(fields: TestClient.postFields)
        let value = String(repeating: "x", count: 32 * 1024)
        #expect(client.refusal(values: ["0", value]) == .headTooLarge)
        // Nothing has happened.
        #expect(client.session.canOpenStreams == true)
        #expect(client.session.wantsWrite == false)
        #expect(client.refusal(values: ["0", nil]) == nil)
        #expect(client.session.wantsWrite == true)
    }
}
