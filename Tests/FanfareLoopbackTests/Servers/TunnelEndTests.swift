import Fanfare
import FanfareSimulator
import FanfareTestSupport
import Testing

/// The report about a row whose connection ends behind a proxy, over real sockets.
@Suite struct TunnelEndTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Answers a hundred requests, says GOAWAY, and closes while others are in its socket.
    private func server() throws -> SimulatorServer {
        var json = #"""
            {"rules":[{"when":{"after":99},"then":{"status":200,"closeConnection":"unread",
            "goaway":{"error":"NO_ERROR","lastStreamID":"this"}}}]}
            """#
        var configuration = SimulatorServerConfiguration()
        configuration.provider.acceptsAnonymous = true
        configuration.provider.scenario = try json.withUTF8 { try Scenario(json: $0) }
        configuration.logFile = folder.path("log.ndjson")
        return try SimulatorServer(configuration)
    }

    @Test(arguments: [Delivery.atMostOnce, .atLeastOnce])
    func `what a server answered before it reset its end is accepted, and answered once`(
        delivery: Delivery
    ) throws {
        let server = try server()
        defer { server.stop() }
        let port = try server.start()
        let proxy = try ScriptedProxy(.tunnels(port))
        defer { proxy.stop() }
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
        provider.caPEM = server.caPEM
        provider.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
        let job = try TestJob(rows: Rows.csv(2_000), provider: provider, folder: folder) {
            $0.engine.connections = 2
            $0.engine.lanes = 1
            $0.engine.delivery = delivery
        }
        server.stop()
        job.expectAccounted(2_000)
        #expect(job.result.stopMessage == nil)
        #expect(job.report.outcomes == ["accepted": 2_000])
        // No connection has more than a hundred answers.
        #expect(proxy.requests.count >= 2_000 / 100)

        var answers: [String: Int] = [:]
        for line in try folder.read("log.ndjson").split(separator: "\n") {
            let words = line.split(separator: "\"").map(String.init)
            let name = try #require(words.firstIndex(of: "token"))
            answers[words[name + 2], default: 0] += 1
        }
        #expect((1...2_000).allSatisfy { answers[Rows.token($0)] == 1 })
    }

    /// A proxy whose rules are loaded anew, or that asks for a password while what knows it is away.
    @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required"])
    func `a proxy that refuses tunnels for a moment does not end a job that had some`(
        refusal: String
    ) throws {
        let server = try server()
        defer { server.stop() }
        let port = try server.start()
        let proxy = try ScriptedProxy(.tunnelsBut(port, 3..<6, "HTTP/1.1 \(refusal)\r\n\r\n"))
        defer { proxy.stop() }
        var provider = ProviderOptions()
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
        provider.caPEM = server.caPEM
        provider.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
        let job = try TestJob(oneConnectionTo: provider, rows: 1_000, folder: folder)
        #expect(job.result.stopMessage == nil)
        #expect(job.report.outcomes == ["accepted": 1_000])
        #expect(proxy.requests.count > 6)
    }
}
