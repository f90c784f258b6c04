import Fanfare
import FanfareTestSupport
import Testing

/// caddy: the servers of Go's standard library, one for HTTP/1.1 and one for HTTP/2.
@Suite(.enabled(if: ServerProcess.Program.caddy.isAvailable, ServerProcess.Program.caddy.absence))
struct CaddyTests {
    private func server(
        in folder: TemporaryFolder, usesTLS: Bool = true
    ) throws -> ServerProcess {
        let tls = """
            , "tls": {"certificates": {"load_files": [
              {"certificate": "server.pem", "key": "server.pem"}]}}
            """
        return try ServerProcess(.caddy, folder: folder) { port in
            try folder.write(
                """
                {"admin": {"disabled": true, "config": {"persist": false}},
                 "storage": {"module": "file_system", "root": "storage"},
                 "apps": {
                  "http": {"servers": {"provider": {
                   "listen": ["127.0.0.1:\(port)"], "automatic_https": {"disable": true},
                   \(usesTLS ? "\"tls_connection_policies\": [{}]," : "")
                   "routes": [{"handle": [
                    {"handler": "static_response", "status_code": 200, "body": "{\\"id\\": \\"m1\\"}"}
                   ]}]}}}\(usesTLS ? tls : "")}}
                """, to: "caddy.json")
            return ["run", "--config", "caddy.json"]
        }
    }

    @Test func `an answer of 200 is accepted`() throws {
        let folder = try TemporaryFolder()
        let server = try server(in: folder)
        let job = try TestJob(rows: Rows.csv(3_000), provider: server.provider, folder: folder)
        job.expectAccounted(3_000)
        #expect(job.report.outcomes == ["accepted": 3_000])
    }

    @Test(arguments: ["http/1.1", "h2"], [true, false])
    func `rows of a described provider are accepted`(version: String, usesTLS: Bool) throws {
        let folder = try TemporaryFolder()
        // In the clear caddy speaks HTTP/1.1 alone, unless it is told.
        guard usesTLS || version == "http/1.1" else { return }
        let server = try server(in: folder, usesTLS: usesTLS)
        try folder.write(
            """
            {"fanfare_provider": 1, "name": "acme", "origin": "https://push.acme.example",
             "protocol": "\(version)", "auth": {"kind": "none"},
             "request": {"path": "/send", "body": {"to": "${row:token}"}},
             "answer": {"id": "/id", "rules": [{"status": 200, "outcome": "accepted"}],
              "otherwise": {"outcome": "rejected"}}}
            """, to: "acme.json")
        var provider = try ProviderOptions.declared(folder.path("acme.json"))
        provider.endpoint = Endpoint(host: "127.0.0.1", port: server.port, usesTLS: usesTLS)
        provider.caPEM = server.provider.caPEM
        let job = try TestJob(
            rows: "token\n" + (1...1_000).map { "t\($0)\n" }.joined(), provider: provider,
            folder: folder, adjust: { $0.payload = .column })
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000], "\(job.result.stopMessage ?? "")")
    }
}
