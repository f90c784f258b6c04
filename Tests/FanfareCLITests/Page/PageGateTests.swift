import Fanfare
import FanfareCLI
import Testing

/// The rights of requests to the server that shows a job.
@Suite struct PageGateTests {
    private static let key = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
    private static let gate = PageGate(
        names: ServerNames(), key: PageKey(key), hasMetrics: true)

    /// The demand of a request that has come whole.
    private static func demand(
        _ text: String, of gate: PageGate = gate
    ) throws -> PageGate.Demand {
        let bytes = Array(text.utf8)
        guard case .request(let request) = MetricsRequest.read(bytes) else {
            throw NoRequest(text: text)
        }
        return gate.demand(request, body: bytes[request.byteCount...])
    }

    private struct NoRequest: Error {
        let text: String
    }

    private static func status(_ text: String, of gate: PageGate = gate) throws -> Int {
        if case .refusal(let refusal) = try demand(text, of: gate) { refusal.status } else { 200 }
    }

    private static func get(_ path: String, _ fields: String...) -> String {
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:9464\r\n"
            + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// An order as the page's own script sends it, with some fields in place of the right ones.
    private static func post(
        _ body: String = "pause", method: String = "POST", path: String = "/control",
        host: String? = "127.0.0.1:9464", origin: String? = "http://127.0.0.1:9464",
        site: String? = "same-origin", key: String? = key, length: String? = nil,
        more: String = ""
    ) -> String {
        let fields: [(String, String?)] = [
            ("Host", host), ("Origin", origin), ("Sec-Fetch-Site", site), ("Fanfare-Control", key),
            ("Content-Length", length ?? "\(body.utf8.count)"),
        ]
        return "\(method) \(path) HTTP/1.1\r\n"
            + fields.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined()
            + "\(more)\r\n\(body)"
    }

    @Test func `each address has its page`() throws {
        #expect(try Self.demand(Self.get("/")) == .page)
        #expect(try Self.demand(Self.get("/events")) == .stream)
        #expect(try Self.demand(Self.get("/final")) == .finalPage)
        #expect(try Self.demand(Self.get("/metrics")) == .metrics)
        #expect(try Self.status(Self.get("/favicon.ico")) == 404)
        #expect(try Self.status(Self.get("/control")) == 405)
        let plain = PageGate(names: ServerNames())
        #expect(try Self.status(Self.get("/metrics"), of: plain) == 404)
        #expect(try Self.status(Self.post(), of: plain) == 404)
    }

    @Test(arguments: [
        ("pause", ControlRequest.pause), ("resume", .resume), ("stop", .stop),
        ("rate 2000/s", .rate(SendingRate(2000, per: .seconds(1)))),
        ("rate fcm=unlimited", .rate(nil, of: .fcm)),
    ])
    func `the page's own order is taken`(body: String, order: ControlRequest) throws {
        #expect(try Self.demand(Self.post(body)) == .order(order))
        // A pipelined request behind it is no part of it.
        #expect(
            try Self.demand(Self.post(body, length: "\(body.utf8.count)") + "GET / junk")
                == .order(order))
        // Not all browsers say where a request comes from in two ways.
        #expect(try Self.demand(Self.post(body, site: nil)) == .order(order))
    }

    @Test func `an order that has not come whole is waited for`() throws {
        let text = Self.post("rate 2000/s")
        for count in 1...11 {
            #expect(try Self.demand(String(text.dropLast(count))) == .incomplete)
        }
    }

    /// Orders by the status that refuses them.
    private static let refused: [(status: Int, texts: [String])] = [
        (
            421,
            [
                post(host: "attacker.example:9464", origin: "http://attacker.example:9464"),
                post(host: "localhost.attacker.example"),
            ]
        ),
        (
            403,
            [
                post(host: nil), post(origin: "http://attacker.example"), post(origin: "null"),
                post(origin: nil), post(origin: "http://127.0.0.1:8080"),
                post(origin: "http://localhost:9464"), post(origin: "https://127.0.0.1:9464"),
                post(more: "Origin: http://127.0.0.1:9464\r\n"), post(site: "cross-site"),
                post(site: "same-site"), post(site: "none"), post(key: nil), post(key: ""),
                post(key: String(key.dropLast())), post(key: "\(key)x"),
                post(key: "1\(key.dropFirst())"), post(more: "Fanfare-Control: \(key)\r\n"),
            ]
        ),
        (
            405,
            [
                post(method: "GET"), post(method: "OPTIONS"), post(method: "PUT"), post(path: "/"),
                post(path: "/events"),
            ]
        ),
        (404, [post(path: "/control/"), post(path: "/orders")]),
        (413, [post(length: "257"), post(length: "99999999999999999999")]),
        (501, [post(more: "Transfer-Encoding: chunked\r\n")]),
        (
            400,
            [
                post(length: "-1"), post(length: "+5"), post(length: ""),
                post(more: "Content-Length: 5\r\n"), post("status"), post("status json"),
                post("shutdown"), post(""), post("rate"), post("pause\nresume"),
                post("rate 2000/s\u{1}"),
            ]
        ),
    ]

    @Test func `any other order is refused`() throws {
        for (status, texts) in Self.refused {
            for text in texts { #expect(try Self.status(text) == status, "\(text)") }
        }
    }

    @Test func `an order without a length is refused`() throws {
        let text = Self.post().replacing("Content-Length: 5\r\n", with: "")
        #expect(try Self.status(text) == 411)
    }

    @Test(arguments: ["/", "/events", "/final"])
    func `a page of another site reads nothing`(path: String) throws {
        #expect(try Self.status("GET \(path) HTTP/1.1\r\nHost: attacker.example\r\n\r\n") == 421)
        #expect(try Self.status(Self.get(path, "Origin: http://attacker.example")) == 403)
        #expect(try Self.status(Self.get(path, "Origin: null")) == 403)
        #expect(try Self.status(Self.get(path, "Sec-Fetch-Site: cross-site")) == 403)
        #expect(try Self.status(Self.get(path, "Sec-Fetch-Site: same-site")) == 403)
        #expect(try Self.status(Self.get(path, "Sec-Fetch-Site: same-origin")) == 200)
        #expect(try Self.status(Self.get(path, "Sec-Fetch-Site: none")) == 200)
        #expect(try Self.status(Self.get(path, "Origin: http://127.0.0.1:9464")) == 200)
        // To follow a link to the page is no reading of it.
        let link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
        #expect(try Self.status(Self.get(path, link[0], link[1])) == (path == "/" ? 200 : 403))
    }

    @Test func `what is read can be asked for its head, and a stream cannot`() throws {
        func head(_ path: String) -> String {
            "HEAD \(path) HTTP/1.1\r\nHost: localhost:9464\r\n\r\n"
        }
        #expect(try Self.demand(head("/")) == .page)
        #expect(try Self.demand(head("/final")) == .finalPage)
        #expect(try Self.status(head("/events")) == 405)
        guard case .refusal(let refusal) = try Self.demand(Self.post(path: "/final")) else {
            Issue.record("a page took an order")
            return
        }
        #expect(refusal.allowed == "GET, HEAD")
    }

    @Test func `a name that was given is answered, with TLS before it or without`() throws {
        let names = ServerNames(given: ["jobs.example"])
        func read(_ host: String, _ gate: PageGate, _ more: String = "") throws -> Int {
            try Self.status("GET /events HTTP/1.1\r\nHost: \(host)\r\n\(more)\r\n", of: gate)
        }
        for gate in [PageGate(names: names), PageGate(names: names, key: PageKey(Self.key))] {
            #expect(try read("jobs.example:9464", gate) == 200)
            #expect(try read("jobs.example", gate, "Origin: https://jobs.example\r\n") == 200)
            #expect(try read("jobs.example", gate, "Origin: https://127.0.0.1\r\n") == 403)
            #expect(try read("127.0.0.1", gate, "Origin: https://127.0.0.1\r\n") == 403)
            #expect(try read("attacker.example:9464", gate) == 421)
        }
        let gate = PageGate(names: names, key: PageKey(Self.key))
        let order = Self.post(host: "jobs.example", origin: "https://jobs.example")
        #expect(try Self.demand(order, of: gate) == .order(.pause))
        #expect(try Self.status(order) == 421)
    }

    @Test func `a key is 256 bits that come out differently each time`() {
        let texts = Set((0..<100).map { _ in PageKey.randomText() })
        #expect(texts.count == 100)
        for text in texts {
            #expect(text.utf8.count == 43)
            #expect(text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") })
            #expect(PageKey(text).isOpened(by: text))
        }
        #expect(!"\(PageKey(Self.key))".contains(Self.key))
    }
}
