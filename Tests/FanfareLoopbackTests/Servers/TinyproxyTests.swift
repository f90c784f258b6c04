import Fanfare
import FanfareTestSupport
import Glibc
import Testing

/// A proxy that people use, in front of a server that people use.
@Suite(
    .enabled(
        if: ServerProcess.Program.tinyproxy.isAvailable
            && ServerProcess.Program.nghttpd.isAvailable,
        ServerProcess.Program.tinyproxy.absence))
struct TinyproxyTests {
    private let folder: TemporaryFolder
    private let server: ServerProcess

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        server = try ServerProcess(.nghttpd, folder: folder) { port in
            [
                "-a", "127.0.0.1", "-d", folder.url.path, "--echo-upload", "\(port)",
                folder.path("server.pem"), folder.path("server.pem"),
            ]
        }
    }

    private func proxy(_ settings: String = "") throws -> ServerProcess {
        try ServerProcess(.tinyproxy, folder: folder) { port in
            try folder.write(
                """
                Port \(port)
                Listen 127.0.0.1
                Timeout 60
                MaxClients 100
                LogLevel Info
                Allow 127.0.0.1
                \(settings)

                """, to: "tinyproxy.conf")
            return ["-d", "-c", folder.path("tinyproxy.conf")]
        }
    }

    private func send(
        through proxy: ServerProcess, credentials: ProxyCredentials = .none, rows: Int
    ) throws -> TestJob {
        var provider = server.provider
        provider.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
        provider.proxy?.credentials = credentials
        return try TestJob(rows: Rows.csv(rows), provider: provider, folder: folder) {
            $0.engine.connections = 4
        }
    }

    @Test func `rows go through`() throws {
        let proxy = try proxy()
        let job = try send(through: proxy, rows: 2_000)
        job.expectAccounted(2_000)
        #expect(job.report.outcomes == ["accepted": 2_000])
        proxy.shutDown()
        #expect(folder.text(of: "server.log").contains("CONNECT 127.0.0.1:\(server.port)"))
    }

    @Test func `a password is taken, from a file and from the environment`() throws {
        let proxy = try proxy("BasicAuth ada sesame2")
        let path = try folder.write("ada:sesame2\n", to: "password.txt")
        let job = try send(through: proxy, credentials: .file(path), rows: 500)
        job.expectAccounted(500)
        #expect(job.report.outcomes == ["accepted": 500])
        setenv("FANFARE_TEST_PROXY", "http://ada:sesame%32@127.0.0.1:\(proxy.port)", 1)
        let other = try send(
            through: proxy, credentials: .environment("FANFARE_TEST_PROXY"), rows: 500)
        #expect(other.report.outcomes == ["accepted": 500])
    }

    @Test func `a missing or a wrong password stops the job`() throws {
        let proxy = try proxy("BasicAuth ada sesame")
        let missing = try send(through: proxy, rows: 10)
        #expect(missing.result.exitCode == 3)
        #expect(missing.result.stopMessage?.contains("wants a user's name") == true)
        let path = try folder.write("ada:wrong\n", to: "password.txt")
        let wrong = try send(through: proxy, credentials: .file(path), rows: 10)
        #expect(wrong.result.exitCode == 3)
        #expect(
            wrong.result.stopMessage?.contains("refuses the user's name or the password") == true)
        #expect(wrong.report.outcomes.isEmpty)
    }

    @Test func `a port that its rules do not allow stops the job`() throws {
        let job = try send(through: proxy("ConnectPort 443"), rows: 10)
        #expect(job.result.exitCode == 3)
        #expect(job.result.stopMessage?.contains("403") == true)
        #expect(job.result.stopMessage?.contains("rules do not allow") == true)
    }

    @Test func `a provider that it cannot reach is told`() throws {
        server.stop()
        let job = try send(through: proxy(), rows: 10)
        #expect(job.result.exitCode == 3)
        #expect(job.result.stopMessage?.contains("cannot reach") == true)
    }
}
