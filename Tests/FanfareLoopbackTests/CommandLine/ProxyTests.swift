import FanfareSimulator
import FanfareTLS
import Foundation
import Testing

/// The way through a proxy: what is asked of it, what it may answer, and what people are told.
@Suite struct ProxyTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(200), to: "rows.csv")
        try tool.folder.write("ada:open sesame\n", to: "password.txt")
    }

    /// `ada:open sesame` as `base64` of coreutils writes it.
    private static let basic = "YWRhOm9wZW4gc2VzYW1l"

    /// Sends to a name that only a proxy could look up (RFC 6761 §6.4).
    private func send(
        through proxy: ScriptedProxy, _ options: String...,
        to endpoint: String = "https://push.invalid"
    ) throws -> CommandLineTool.Result {
        defer { proxy.stop() }
        return try tool.run(
            [
                "send", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--endpoint",
                endpoint, "--proxy", "http://127.0.0.1:\(proxy.port)",
            ] + options)
    }

    private func expectNoRowTouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(!tool.folder.exists("fanfare-report.csv"), sourceLocation: sourceLocation)
    }

    /// Runs a simulator with a certificate for this name.
    private func serve(_ name: String, _ body: (_ port: UInt16) throws -> Void) throws {
        let authority = try SelfSignedAuthority(names: [name])
        var settings = SimulatorServerConfiguration()
        settings.identity = authority.identity
        settings.provider.acceptsAnonymous = true
        let server = try SimulatorServer(settings)
        defer { server.stop() }
        try authority.writeCA(to: tool.folder.path("ca.pem"))
        try body(try server.start())
    }

    @Test func `rows are sent through a tunnel, to a name that only the proxy knows`() throws {
        try serve("push.invalid") { port in
            let proxy = try ScriptedProxy(.tunnels(port))
            let result = try send(
                through: proxy, "--ca-file", "ca.pem", "--summary", "summary.json", "--log",
                "log.ndjson", "--html", "page.html")
            result.expect(0, says: "127.0.0.1:\(proxy.port)")
            try tool.report().expectEveryRowOnce(200)
            for name in ["summary.json", "log.ndjson"] {
                let text = try tool.folder.read(name)
                #expect(text.contains(#""proxy": "127.0.0.1:\#(proxy.port)""#), "\(text)")
            }
            #expect(try tool.folder.read("page.html").contains("127.0.0.1:\(proxy.port)"))
            // RFC 9112 §3.2.3, RFC 9110 §9.3.6
            let head = "CONNECT push.invalid:443 HTTP/1.1\r\nHost: push.invalid:443\r\n"
            #expect(!proxy.requests.isEmpty)
            #expect(proxy.requests.allSatisfy { $0.hasPrefix(head) && $0.hasSuffix("\r\n\r\n") })
            #expect(!proxy.requests.contains { $0.contains("Authorization") })
        }
    }

    @Test func `the certificate has to be that of the provider`() throws {
        try serve("localhost") { port in
            try send(through: ScriptedProxy(.tunnels(port)), "--ca-file", "ca.pem")
                .expect(3, says: "another name")
            try expectNoRowTouched()
        }
    }

    @Test func `an explicit proxy leads to the simulator, too`() throws {
        let proxy = try ScriptedProxy(.saysAndCloses("HTTP/1.1 403 Forbidden\r\n\r\n"))
        defer { proxy.stop() }
        try tool.run(
            ["push", String(repeating: "ab", count: 32), "--proxy", "127.0.0.1:\(proxy.port)"]
                + Self.simulator
        ).expect(3, says: "403", "do not allow")
    }

    private static let simulator = [
        "--provider", "simulator", "--alert", "hi", "--topic", "com.example.app",
    ]

    @Test func `bench goes through it, and says so in its result`() throws {
        try serve("push.invalid") { port in
            let proxy = try ScriptedProxy(.tunnels(port))
            defer { proxy.stop() }
            try tool.run(
                "bench", "--endpoint", "https://push.invalid", "--ca-file", "ca.pem", "--count",
                "100", "--proxy", "http://127.0.0.1:\(proxy.port)", "--summary", "bench.json"
            ).expect(0)
            let text = try tool.folder.read("bench.json")
            #expect(text.contains(#""proxy": "127.0.0.1:\#(proxy.port)""#), "\(text)")
            #expect(!proxy.requests.isEmpty)
        }
    }

    @Test func `user and password come from a file, and are seen nowhere else`() throws {
        try serve("push.invalid") { port in
            let proxy = try ScriptedProxy(.tunnels(port))
            let result = try send(
                through: proxy, "--ca-file", "ca.pem", "--proxy-credentials-file", "password.txt",
                "--log", "log.ndjson", "--log-level", "debug", "--summary", "summary.json",
                "--html", "page.html")
            result.expect(0)
            #expect(!proxy.requests.isEmpty)
            let line = "\r\nProxy-Authorization: Basic \(Self.basic)\r\n"
            #expect(proxy.requests.allSatisfy { $0.contains(line) })
            var texts = [result.output, result.errors]
            for name in [
                "log.ndjson", "summary.json", "page.html", "fanfare-report.csv",
            ] {
                texts.append(try tool.folder.read(name))
            }
            for text in texts {
                #expect(!text.contains("sesame") && !text.contains(Self.basic))
            }
        }
    }

    @Test func `a demand for a password ends the job at once`() throws {
        let head = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: "
        let basic = try ScriptedProxy(.says(head + "Basic realm=\"a\"\r\n\r\n"))
        try send(through: basic, "--connections", "1")
            .expect(3, says: "407", "127.0.0.1:\(basic.port)", "--proxy-credentials-file")
        #expect(basic.requests.count == 1)
        try expectNoRowTouched()
        // Nothing that it says is repeated: it knows the password.
        let wrong = try ScriptedProxy(
            .says(head + "Basic realm=\"open sesame\"\r\nX: \(Self.basic)\r\n\r\n"))
        let result = try send(
            through: wrong, "--proxy-credentials-file", "password.txt", "--overwrite")
        result.expect(3, says: "refuses the user's name or the password")
        #expect(!result.errors.contains("sesame") && !result.errors.contains(Self.basic))
        let other = try ScriptedProxy(.says(head + "Negotiate\r\n\r\n"))
        try send(through: other, "--overwrite").expect(3, says: "Negotiate", "Basic only")
    }

    @Test(arguments: [
        ("HTTP/1.1 403 Forbidden\r\n", ["403", "push.invalid:443", "rules do not allow"]),
        ("HTTP/1.1 502 Bad Gateway\r\n", ["502", "push.invalid:443", "cannot reach"]),
        ("HTTP/1.0 302 Found\r\n", ["302", "is it a proxy?"]),
        ("SSH-2.0-OpenSSH_9.2\r\n", ["no HTTP proxy", "'SSH-2.0-Open'"]),
        ("\u{15}\u{03}\u{01}", ["wants TLS"]),
        ("", ["end of file", "before an answer"]),
        ("HTTP/1.1 200 OK\r\n", ["before an answer"]),
    ])
    func `what it answers instead is told`(answer: String, words: [String]) throws {
        let proxy = try ScriptedProxy(.saysAndCloses(answer))
        let result = try send(through: proxy)
        result.expect(3, says: "no connection to the provider", "127.0.0.1:\(proxy.port)")
        for word in words { result.expect(3, says: word) }
        try expectNoRowTouched()
    }

    @Test(arguments: [
        (
            "HTTP/1.1 407 Authenticate\r\nProxy-Authenticate: Basic realm=\"a\"\r\n\r\n",
            ["407", "--proxy-credentials-file"]
        ),
        ("HTTP/1.1 403 Forbidden\r\n", ["403", "push.invalid:443", "rules do not allow"]),
        ("HTTP/1.1 502 Bad Gateway\r\n", ["502", "push.invalid:443", "cannot reach"]),
        ("HTTP/1.0 302 Found\r\n", ["302", "is it a proxy?"]),
        ("SSH-2.0-OpenSSH_9.2\r\n", ["no HTTP proxy", "'SSH-2.0-Open'"]),
        ("\u{15}\u{03}\u{01}", ["wants TLS"]),
        ("", ["before an answer"]),
        ("HTTP/1.1 200 OK\r\n", ["before an answer"]),
    ])
    func `what it answers before it resets the connection is told`(
        answer: String, words: [String]
    ) throws {
        let proxy = try ScriptedProxy(.saysAndResets(answer))
        let result = try send(through: proxy)
        result.expect(3, says: "no connection to the provider", "127.0.0.1:\(proxy.port)")
        for word in words { result.expect(3, says: word) }
        try expectNoRowTouched()
    }

    @Test func `one that closes at once is told`() throws {
        let proxy = try ScriptedProxy(.closes)
        try send(through: proxy).expect(3, says: "the proxy 127.0.0.1:\(proxy.port)")
        try expectNoRowTouched()
    }

    @Test func `one that hangs has the time for a connection`() throws {
        let proxy = try ScriptedProxy(.hangs)
        try send(through: proxy, "--connect-timeout", "200ms")
            .expect(3, says: "the proxy 127.0.0.1:\(proxy.port): no tunnel", "in time")
        try expectNoRowTouched()
    }

    @Test func `an answer without an end is given up`() throws {
        let proxy = try ScriptedProxy(.repeats("HTTP/1.1 100 Continue\r\nA: b\r\n\r\n"))
        try send(through: proxy).expect(3, says: "without an end")
        try expectNoRowTouched()
    }

    @Test func `a proxy that is not there is named`() throws {
        let port = try LoopbackPort.free()
        let result = try tool.run(
            "push", String(repeating: "ab", count: 32), "--alert", "hi", "--endpoint",
            "https://push.invalid", "--topic", "a.b", "--proxy", "http://127.0.0.1:\(port)")
        result.expect(3, says: "the proxy 127.0.0.1:\(port)", "connection refused")
        try tool.run(
            "push", String(repeating: "ab", count: 32), "--alert", "hi", "--endpoint",
            "https://push.invalid", "--topic", "a.b", "--proxy", "http://proxy.invalid:3128"
        ).expect(3, says: "the proxy proxy.invalid:3128", "look up proxy.invalid")
    }

    @Test func `what cannot go through it is refused before anything is sent`() throws {
        try send(through: ScriptedProxy(.hangs), to: "http://127.0.0.1:8080")
            .expect(2, says: "not encrypted", "--no-proxy")
        try tool.folder.write("opensesame\n", to: "bad.txt")
        let result = try send(
            through: ScriptedProxy(.hangs), "--proxy-credentials-file", "bad.txt")
        result.expect(2, says: "bad.txt", "user:password")
        #expect(!result.errors.contains("sesame"))
        try send(through: ScriptedProxy(.hangs), "--proxy-credentials-file", "none.txt")
            .expect(2, says: "none.txt")
        // The loopback address would be the other machine's.
        try tool.run(
            "push", "ab", "--alert", "hi", "--endpoint", "https://127.0.0.1:8443", "--insecure",
            "--proxy", "http://proxy.invalid:3128"
        ).expect(2, says: "--insecure", "proxy.invalid:3128")
    }

    @Test func `printed options have the proxy, and no password`() throws {
        let result = try tool.run(
            "push", "ab", "--alert", "hi", "--endpoint", "https://push.invalid", "--proxy",
            "http://127.0.0.1:3128", "--proxy-credentials-file", "password.txt", "--print-config")
        result.expect(0)
        #expect(result.output.contains(#""proxy": "http://127.0.0.1:3128""#))
        #expect(result.output.contains("password.txt"))
        #expect(!result.output.contains("sesame"))
    }
}
