import Fanfare
import FanfareTestSupport
import Testing

/// nghttpd, the server of the library that our own sessions are made of: its own defaults, and the
/// limits that it can be given.
@Suite(
    .enabled(if: ServerProcess.Program.nghttpd.isAvailable, ServerProcess.Program.nghttpd.absence))
struct NghttpdTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server(_ options: String...) throws -> ServerProcess {
        try server(options)
    }

    private func server(_ options: [String]) throws -> ServerProcess {
        try ServerProcess(.nghttpd, folder: folder) { [folder] port in
            ["-a", "127.0.0.1", "-d", folder.url.path] + options
                + ["\(port)", folder.path("server.pem"), folder.path("server.pem")]
        }
    }

    @Test func `an upload that is echoed with 200 is accepted`() throws {
        let server = try server("--echo-upload")
        let job = try TestJob(rows: Rows.csv(2_000), provider: server.provider, folder: folder)
        job.expectAccounted(2_000)
        #expect(job.report.outcomes == ["accepted": 2_000])
        #expect(job.result.exitCode == 0)
    }

    @Test func `an answer of 404 with a page of HTML is no verdict on a row`() throws {
        let server = try server()
        let job = try TestJob(rows: Rows.csv(2_000), provider: server.provider, folder: folder) {
            $0.engine.attemptsMax = 1
        }
        job.expectAccounted(2_000)
        #expect(job.report.outcomes == ["failed": 2_000])
        #expect(try job.report.line(2_000)["status"] == "404")
        #expect(job.result.exitCode == 1)
    }

    @Test(arguments: ["1", "10"])
    func `a limit on concurrent streams is kept`(limit: String) throws {
        // A stream above the limit would be refused, which the report shows as a higher attempt or
        // a failure; a client that waits for room never is.
        let server = try server("--echo-upload", "-m", limit)
        let job = try TestJob(rows: Rows.csv(500), provider: server.provider, folder: folder)
        job.expectAccounted(500)
        #expect(job.report.outcomes == ["accepted": 500])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    @Test(arguments: [
        ["-w", "16"], ["-w", "10"], ["-w", "6"], ["-w", "10", "-W", "17"],
        ["-w", "30", "-W", "30"],
    ])
    func `bodies go through flow-control windows of any size`(options: [String]) throws {
        // 2⁶ − 1 bytes are a fiftieth of the body.
        let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 3_000))"}}"#
        let server = try server(["--echo-upload"] + options)
        let job = try TestJob(
            rows: Rows.csv(500), provider: server.provider, payload: payload, folder: folder)
        job.expectAccounted(500)
        #expect(job.report.outcomes == ["accepted": 500])
    }

    @Test func `requests in the clear begin with prior knowledge`() throws {
        let server = try ServerProcess(.nghttpd, folder: folder) { port in
            ["-a", "127.0.0.1", "--no-tls", "--echo-upload", "\(port)"]
        }
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: server.port, usesTLS: false)
        let job = try TestJob(rows: Rows.csv(500), provider: provider, folder: folder)
        job.expectAccounted(500)
        #expect(job.report.outcomes == ["accepted": 500])
        // A short job may be over before all its connections are up.
        #expect(!job.result.summaryJSON.contains(#""connections_opened": 0"#))
    }

    @Test(arguments: [true, false])
    func `any request can be sent in a load test`(usesTLS: Bool) throws {
        let text = String(repeating: "x", count: 3000)
        try folder.write(text, to: "page.html")
        let server =
            usesTLS
            ? try server()
            : try ServerProcess(.nghttpd, folder: folder) { [folder] port in
                ["-a", "127.0.0.1", "--no-tls", "-d", folder.url.path, "\(port)"]
            }
        var configuration = Configuration()
        configuration.provider = server.provider
        configuration.provider.endpoint.usesTLS = usesTLS
        var options = LoadOptions()
        options.count = 2_000
        options.request = LoadRequest()
        options.request?.path = "/page.html"
        options.request?.fields = [.init("Accept-Encoding", "identity")]
        let result = try LoadTest(configuration, options).run()
        #expect(result.exitCode == 0)
        #expect(result.json.contains(#""statuses": {\#n        "200": 2000\#n      }"#))
        options.request?.path = "/missing.html"
        let missing = try LoadTest(configuration, options).run()
        #expect(missing.json.contains(#""404": 2000"#) && missing.exitCode == 0)
    }

    @Test(arguments: [["--trailer", "x-more: 1"], ["-b", "255"], ["--early-response"], ["-e"]])
    func `trailers, padding, early and compressed answers are understood`(
        options: [String]
    ) throws {
        // Without --echo-upload each answer is a 404 with a body.
        let server = try server(options)
        let job = try TestJob(rows: Rows.csv(1_000), provider: server.provider, folder: folder) {
            $0.engine.attemptsMax = 1
        }
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["failed": 1_000])
        #expect(job.report.lines.allSatisfy { $0["status"] == "404" })
    }
}
