import FanfareCLI
import FanfareCore
import Testing

/// The metrics server's reading of bytes.
@Suite struct MetricsRequestTests {
    private func answer(_ text: String, isTooLong: Bool = false) -> String? {
        MetricsResponse.to(
            MetricsRequest.read(Array(text.utf8)), isTooLong: isTooLong, names: ServerNames()
        ) {
            "fanfare_paused 0\n"
        }
        .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static let request =
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\nUser-Agent: Prometheus/2.42.0\r\n"
        + "Accept: text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n\r\n"

    @Test func `a request is whole with its empty line, and not before`() {
        let bytes = Array(Self.request.utf8)
        for count in 0..<bytes.count {
            #expect(MetricsRequest.read(Array(bytes[..<count])) == .incomplete)
        }
        guard case .request(let request) = MetricsRequest.read(bytes) else {
            Issue.record("not a request")
            return
        }
        #expect(request.method == "GET" && request.path == "/metrics" && request.query == "")
        #expect(MetricsRequest.read(bytes + [0x47]) == .request(request))
        #expect(request.host == "127.0.0.1:9464" && request.byteCount == bytes.count)
        #expect(request.values("user-agent") == ["Prometheus/2.42.0"])
        #expect(request.values("origin") == [])
    }

    @Test func `GET gets the page and HEAD its head`() {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            + "Content-Length: 17\r\nConnection: close\r\n\r\n"
        #expect(answer(Self.request) == head + "fanfare_paused 0\n")
        #expect(answer("HEAD /metrics?x=y HTTP/1.0\n\n") == head)
        #expect(answer("\r\nGET /metrics HTTP/1.1\r\n\r\n") == head + "fanfare_paused 0\n")
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 404), ("HEAD /metrics/ HTTP/1.1\r\n\r\n", 404),
            ("POST /metrics HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 405),
            ("get /metrics HTTP/1.1\r\n\r\n", 405), ("GET /metrics\r\n\r\n", 400),
            ("GET  /metrics HTTP/1.1\r\n\r\n", 400), ("GET metrics HTTP/1.1\r\n\r\n", 400),
            ("GET /metrics HTTP/2.0\r\n\r\n", 400),
            ("GET /metrics HTTP/1.1\r\nno field\r\n\r\n", 400),
            ("GET /metrics HTTP/1.1\r\n: x\r\n\r\n", 400),
            ("GET /m\u{7F} HTTP/1.1\r\n\r\n", 400), ("\u{0}\n\n", 400),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\n\n", 400),
        ])
    func `anything else is told what it is`(text: String, status: Int) throws {
        let answer = try #require(self.answer(text))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Allow: GET, HEAD\r\n") == (status == 405))
        #expect(answer.hasSuffix("\r\n\r\n") == text.hasPrefix("HEAD"))
    }

    @Test(
        arguments: [
            ("127.0.0.1:9464", 200), ("localhost", 200), ("LOCALHOST:1", 200), ("[::1]:9464", 200),
            ("192.0.2.7", 200), ("attacker.example", 421), ("127.0.0.1.attacker.example", 421),
            ("localhost.attacker.example:9464", 421), ("fanfare:9464", 200), ("build7", 200),
        ])
    func `only a name of this machine, and one that was given, gets the metrics`(
        host: String, status: Int
    ) throws {
        let text = "GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        let answer = try #require(
            MetricsResponse.to(
                MetricsRequest.read(Array(text.utf8)), isTooLong: false,
                names: ServerNames(given: ["fanfare"], machine: "build7")
            ) { "" })
        #expect(answer.status == status)
        // Prometheus shows no body, but a person who tries it out sees what to do.
        let name = host.prefix { $0 != ":" }
        let advice = "give the job --page-host \(name)\n"
        #expect(String(decoding: answer.bytes, as: UTF8.self).hasSuffix(advice) == (status == 421))
    }

    @Test func `a query is told apart from its path`() {
        for (target, path, query) in [("/a", "/a", ""), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c")]
        {
            guard
                case .request(let request) = MetricsRequest.read(
                    Array("GET \(target) HTTP/1.1\r\n\r\n".utf8))
            else {
                Issue.record("\(target) is no request")
                return
            }
            #expect(request.path == path && request.query == query)
        }
    }

    @Test func `two hosts are no request`() {
        #expect(
            MetricsRequest.read(Array("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n".utf8))
                == .malformed)
    }

    @Test func `a head that does not end is refused`() throws {
        let text = "GET /metrics HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 2000)
        #expect(answer(text) == nil)
        #expect(try #require(answer(text, isTooLong: true)).hasPrefix("HTTP/1.1 431 "))
    }
}
