import Fanfare
import FanfareTLS
import FanfareTestSupport
import Testing

/// The answers of `openssl s_server` to clients that nginx would let in and answer with a page.
@Suite(
    .enabled(if: ServerProcess.Program.openssl.isAvailable, ServerProcess.Program.openssl.absence))
struct OpenSSLServerTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(1_000), to: "rows.csv")
        try TestAuthority.shared.writeCA(to: tool.folder.path("ca.pem"))
    }

    private func send(
        to options: [String], with credentials: [String] = []
    ) throws -> CommandLineTool.Result {
        let server = try ServerProcess(.openssl, folder: tool.folder) { port in
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", "server.pem", "-key",
                "server.pem", "-CAfile", "ca.pem", "-www",
            ] + options
        }
        defer { server.stop() }
        return try tool.run(
            [
                "send", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--endpoint",
                "https://127.0.0.1:\(server.port)", "--ca-file", "ca.pem",
                // A run that waits for one of these instead of being told fails by it.
                "--connect-timeout", "60s", "--timeout", "60s",
            ] + credentials)
    }

    private static let demandsCertificate = ["-alpn", "h2", "-Verify", "1", "-verify_return_error"]

    @Test func `HTTP1 behind TLS that says nothing of HTTP2`() throws {
        try send(to: []).expect(3, says: "is needed", "ALPN")
        try tool.report().expectEveryRowOnce(0)
    }

    @Test func `HTTP1 behind TLS that has another protocol`() throws {
        try send(to: ["-alpn", "http/1.1"]).expect(3, says: "does not speak HTTP/2")
        try tool.report().expectEveryRowOnce(0)
    }

    /// RFC 8446 §4.4.2.4: certificate_required comes when the client's handshake is over.
    @Test func `a server that demands a certificate, and a client that has none`() throws {
        try send(to: Self.demandsCertificate)
            .expect(3, says: "certificate required", "--certificate")
        try tool.report().expectEveryRowOnce(0)
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `a server that does not know the certificate's authority`(version: String) throws {
        let stranger = try SelfSignedAuthority().clientIdentity(
            commonName: "Apple Push Services: com.example.app", userID: "com.example.app")
        try stranger.writePEM(to: tool.folder.path("client.pem"))
        try send(
            to: Self.demandsCertificate + [version],
            with: ["--certificate", tool.folder.path("client.pem")]
        ).expect(3, says: "unknown CA", "--certificate")
        try tool.report().expectEveryRowOnce(0)
    }
}
