import Fanfare
import FanfareTestSupport
import Glibc
import Testing

/// h2o: a third implementation of HTTP/2.
@Suite(.enabled(if: ServerProcess.Program.h2o.isAvailable, ServerProcess.Program.h2o.absence))
struct H2oTests {
    private func server(
        in folder: TemporaryFolder, usesTLS: Bool = true
    ) throws -> ServerProcess {
        let ssl = """

              ssl:
                certificate-file: server.pem
                key-file: server.pem
            """
        return try ServerProcess(.h2o, folder: folder) { port in
            try folder.write(
                """
                listen:
                  host: 127.0.0.1
                  port: \(port)\(usesTLS ? ssl : "")
                num-threads: 1
                \(getuid() == 0 ? "user: root" : "")
                hosts:
                  default:
                    paths:
                      /:
                        mruby.handler: "Proc.new { |request| [200, {}, []] }"
                """, to: "h2o.conf")
            return ["-c", "h2o.conf"]
        }
    }

    @Test func `an answer of 200 is accepted`() throws {
        let folder = try TemporaryFolder()
        let server = try server(in: folder)
        let job = try TestJob(rows: Rows.csv(3_000), provider: server.provider, folder: folder)
        job.expectAccounted(3_000)
        #expect(job.report.outcomes == ["accepted": 3_000])
    }

    /// Its answers come in chunks, because the handler says no length.
    @Test(arguments: [true, false])
    func `rows of a described provider are accepted over HTTP 1.1`(usesTLS: Bool) throws {
        let folder = try TemporaryFolder()
        let server = try server(in: folder, usesTLS: usesTLS)
        try folder.write(
            """
            {"fanfare_provider": 1, "name": "acme", "origin": "https://push.acme.example",
             "protocol": "http/1.1", "auth": {"kind": "none"},
             "request": {"path": "/send", "body": {"to": "${row:token}"}},
             "answer": {"rules": [{"status": 200, "outcome": "accepted"}],
              "otherwise": {"outcome": "rejected"}}}
            """, to: "acme.json")
        var provider = try ProviderOptions.declared(folder.path("acme.json"))
        provider.endpoint = Endpoint(
            host: "127.0.0.1", port: server.port, usesTLS: usesTLS)
        provider.caPEM = server.provider.caPEM
        let job = try TestJob(
            rows: "token\n" + (1...1_000).map { "t\($0)\n" }.joined(), provider: provider,
            folder: folder, adjust: { $0.payload = .column })
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000], "\(job.result.stopMessage ?? "")")
    }
}
