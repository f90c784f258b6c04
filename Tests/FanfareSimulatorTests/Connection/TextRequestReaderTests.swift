import Testing

@testable import FanfareSimulator

@Suite struct TextRequestReaderTests {
    private static let two =
        "POST /send?a=1 HTTP/1.1\r\nHost: a\r\nX-Title:  One two\r\ncontent-length: 4\r\n\r\n{\r\n}"
        + "GET /next HTTP/1.1\r\nhost: a\r\n\r\n"

    private func read(_ pieces: [[UInt8]]) -> [TextRequestReader.Step] {
        var reader = TextRequestReader()
        var steps: [TextRequestReader.Step] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            while true {
                let step = reader.next()
                if step == .needsMore { break }
                steps.append(step)
                if case .fault = step { return steps }
            }
        }
        return steps
    }

    private static var expected: [TextRequestReader.Step] {
        var first = TextRequestReader.Request(method: "POST", path: "/send?a=1")
        first.fields = [
            .init(name: "host", value: "a"), .init(name: "x-title", value: "One two"),
            .init(name: "content-length", value: "4"),
        ]
        first.body = Array("{\r\n}".utf8)
        var second = TextRequestReader.Request(method: "GET", path: "/next")
        second.fields = [.init(name: "host", value: "a")]
        return [.request(first), .request(second)]
    }

    @Test func `requests come out whole, wherever they were cut`() {
        let bytes = Array(Self.two.utf8)
        #expect(read([bytes]) == Self.expected)
        #expect(read(bytes.map { [$0] }) == Self.expected)
        for place in bytes.indices {
            #expect(
                read([Array(bytes[..<place]), Array(bytes[place...])]) == Self.expected,
                "\(place)")
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400),
        ("GET * HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nho st: a\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx", 400),
        ("POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\ncontent-length: 9999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        ("GET / HTTP/1.1\r\nx: \(String(repeating: "a", count: 13_000))\r\n\r\n", 431),
        (String(repeating: "a", count: 13_000), 431),
    ])
    func `what is no request is answered and nothing behind it`(text: String, status: Int) {
        #expect(read([Array(text.utf8)]) == [.fault(status: status)])
    }
}
