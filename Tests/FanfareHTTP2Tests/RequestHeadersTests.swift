import FanfareBase
import Testing

@testable import FanfareHTTP2
@testable import FanfareHTTP2Server

/// The encoded fields must be those that the peer's own decoder reads, in every request.
@Suite struct RequestHeadersTests {
    private static let secret = "bearer " + String(repeating: "aB3_-.", count: 40)

    private func headers(_ value: String) -> RequestHeaders {
        RequestHeaders([
            HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
            HeaderField(":authority", "api.push.apple.com"), HeaderField(":path", nil),
            HeaderField("apns-topic", nil), HeaderField("authorization", value, .neverIndexed),
        ])
    }

    /// Sends requests with these paths and topics, and returns what the server reads.
    private func read(
        _ requests: [(path: String, topic: String)], value: String = secret
    ) throws -> [[String]] {
        var client = ClientSession(ClientSessionConfiguration())
        var server = try ServerSession(ServerSessionConfiguration())
        let headers = headers(value)
        var wire = ByteBuffer()
        let texts = requests.map { (Array($0.path.utf8), Array($0.topic.utf8)) }
        for (path, topic) in texts {
            try path.withUnsafeBufferPointer { path in
                try topic.withUnsafeBufferPointer { topic in
                    try [path, topic].withUnsafeBufferPointer { values in
                        _ = try client.submit(
                            headers, values: values,
                            body: .empty, tag: 0)
                        client.write(into: &wire, limit: .max)
                    }
                }
            }
        }
        try server.receive(UnsafeRawBufferPointer(wire.bytes))
        var read: [[String]] = []
        while let event = server.nextEvent() {
            guard case .requestReceived(let stream) = event else { continue }
            read.append(
                [RequestField.path, .apnsTopic, .authorization].map {
                    String(decoding: server.field($0, of: stream), as: UTF8.self)
                })
        }
        return read
    }

    @Test func `every request carries the real value`() throws {
        let requests = (0..<50).map { (path: "/3/device/\($0)", topic: "com.example.app") }
        #expect(try read(requests) == requests.map { [$0.path, $0.topic, Self.secret] })
    }

    @Test func `the table stays in step when values come and go around it`() throws {
        // Topics that differ are indexed, and push each other out of the table of 4,096 bytes.
        let long = String(repeating: "x", count: 150)
        let requests = (0..<90).map { (path: "/3/device/a", topic: "\(long)\($0 % 40)") }
        #expect(try read(requests) == requests.map { [$0.path, $0.topic, Self.secret] })
    }

    @Test func `a list too long for one frame goes the long way`() throws {
        let topic = String(repeating: "t", count: 12 * 1024)
        #expect(
            try read([("/3/device/a", topic)]) == [["/3/device/a", topic, Self.secret]])
    }

    @Test(arguments: ["", "~", "short", String(repeating: "~", count: 300)])
    func `any value arrives as it is`(value: String) throws {
        let requests = [(path: "/a", topic: "t"), (path: "/b", topic: "t")]
        #expect(try read(requests, value: value).map { $0[2] } == [value, value])
    }
}
