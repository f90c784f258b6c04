import FanfareSimulator
import FanfareTLS
import Foundation
import Testing

/// Servers that cannot be reached or trusted: exit 3, no row is lost, and the message says why.
@Suite struct ServerTrustTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(1_000), to: "rows.csv")
    }

    private func send(to endpoint: String, _ options: String...) throws -> CommandLineTool.Result {
        try tool.run(
            [
                "send", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--endpoint",
                endpoint,
            ] + options)
    }

    /// Runs a simulator with a certificate of this authority while `body` sends to it.
    private func serve(
        _ authority: SelfSignedAuthority, _ body: (_ port: UInt16) throws -> Void
    ) throws {
        var settings = SimulatorServerConfiguration()
        settings.identity = authority.identity
        settings.provider.acceptsAnonymous = true
        let server = try SimulatorServer(settings)
        defer { server.stop() }
        try authority.writeCA(to: tool.folder.path("ca.pem"))
        try body(try server.start())
    }

    private func expectNoRowTouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(!tool.folder.exists("fanfare-report.csv"), sourceLocation: sourceLocation)
    }

    @Test func `a trusted server`() throws {
        try serve(try SelfSignedAuthority()) { port in
            try send(to: "https://127.0.0.1:\(port)", "--ca-file", "ca.pem").expect(0)
            try tool.report().expectEveryRowOnce(1_000)
        }
    }

    @Test func `a certificate that no authority vouches for`() throws {
        try serve(try SelfSignedAuthority()) { port in
            try send(to: "https://127.0.0.1:\(port)")
                .expect(3, says: "certificate was not accepted", "--ca-file")
            try expectNoRowTouched()
            try send(to: "https://127.0.0.1:\(port)", "--insecure", "--overwrite").expect(0)
            try tool.report().expectEveryRowOnce(1_000)
        }
    }

    @Test func `a certificate that has expired`() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let authority = try SelfSignedAuthority(validity: now - 20 * 86_400...now - 86_400)
        try serve(authority) { port in
            try send(to: "https://127.0.0.1:\(port)", "--ca-file", "ca.pem")
                .expect(3, says: "certificate has expired", "clock")
            try expectNoRowTouched()
        }
    }

    @Test func `a certificate for another name`() throws {
        try serve(try SelfSignedAuthority(names: ["push.example.com"])) { port in
            try send(to: "https://localhost:\(port)", "--ca-file", "ca.pem")
                .expect(3, says: "another name", "--endpoint")
            try expectNoRowTouched()
        }
    }

    @Test func `a port that no process listens on`() throws {
        let port = try LoopbackPort.free()
        try send(to: "https://127.0.0.1:\(port)")
            .expect(3, says: "127.0.0.1:\(port)", "connection refused")
        try expectNoRowTouched()
    }

    @Test func `http:// for a server with TLS`() throws {
        try serve(try SelfSignedAuthority()) { port in
            try send(to: "http://127.0.0.1:\(port)").expect(3, says: "use https://")
            try expectNoRowTouched()
        }
    }

    @Test(
        .enabled(
            if: ServerProcess.Program.nginx.isAvailable, ServerProcess.Program.nginx.absence))
    func `http:// for a server of HTTP/1.1`() throws {
        let port = try LoopbackPort.free()
        // Behind the usual server a second one, without TLS and HTTP/2.
        let nginx = try Nginx(folder: tool.folder, "} server { listen 127.0.0.1:\(port);")
        try send(to: "http://127.0.0.1:\(port)")
            .expect(3, says: "speaks HTTP/1.1, not HTTP/2")
        try expectNoRowTouched()
        try tool.run("bench", "http://127.0.0.1:\(port)/", "-n", "1")
            .expect(3, says: "speaks HTTP/1.1, not HTTP/2; --http chooses the version")
        nginx.server.stop()
    }

    @Test func `a name that does not exist`() throws {
        // RFC 6761 §6.4 keeps .invalid free for this.
        let result = try send(to: "https://push.invalid", "--connect-timeout", "5s")
        result.expect(3, says: "push.invalid")
        try expectNoRowTouched()
    }
}
