import Testing

@testable import Fanfare

/// The fields of a request of one's own: a field that a peer would call malformed is refused before
/// it is sent.
@Suite struct FixedRequestTests {
    private func request(_ name: String, _ value: String, body: String = "") throws -> FixedRequest
    {
        var request = LoadRequest()
        request.fields = [.init(name, value)]
        request.body = Array(body.utf8)
        return try FixedRequest(request)
    }

    // RFC 9113 §8.3.1, RFC 3986 §3.2
    @Test(arguments: ["example.com", "example.com:8443", "127.0.0.1:1", "[::1]", "[::1]:65535"])
    func `a host becomes the authority`(host: String) throws {
        #expect(try request("Host", host).authority == host)
    }

    @Test(
        arguments: [
            "", "me@example.com", "me:secret@example.com", "a b", "a/b", "example.com:",
            "example.com:0", "example.com:65536", "[::1", "[]", "[::1]8443", ":80", "a?b", "a#b",
        ])
    func `what is no host is refused`(host: String) {
        #expect(throws: FanfareError.self) { try request("host", host) }
    }

    // RFC 9113 §8.1.1
    @Test func `a content-length has to be that of the body`() throws {
        #expect(try request("content-length", "5", body: "hello").fields.count == 1)
        for length in ["4", "6", "05", "-5", "five"] {
            #expect(throws: FanfareError.self) {
                try request("Content-Length", length, body: "hello")
            }
        }
    }

    // RFC 9113 §8.2.1
    @Test(arguments: [" x", "x ", "\tx", "x\t"])
    func `a value has no blanks at its ends`(value: String) {
        #expect(throws: FanfareError.self) { try request("x-test", value) }
    }

    @Test func `a value may be empty`() throws {
        #expect(try request("x-test", "").fields.count == 1)
    }
}
