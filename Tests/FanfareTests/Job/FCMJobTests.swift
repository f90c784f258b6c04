import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Foundation
import Synchronization
import Testing

@testable import Fanfare

/// Whole jobs to FCM, as the simulator has it, with access tokens from its token service.
@Suite struct FCMJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A token of the form that FCM gives out.
    private static func token(_ number: Int, _ prefix: String = "") -> String {
        let digits = String(String(number + 0x10_0000, radix: 16).dropFirst())
        return prefix + "fan" + digits + ":APA91b" + String(repeating: "x", count: 130)
    }

    private func configuration(
        _ simulator: Simulator, tokens: [String], project: String? = nil
    ) throws -> Configuration {
        let account = folder.path("account.json")
        try folder.write(try simulator.serviceAccount(), to: "account.json")
        var configuration = Configuration()
        configuration.inputs = [.text("token\n" + tokens.map { $0 + "\n" }.joined())]
        configuration.payload = .template(
            json: Array(#"{"message":{"notification":{"title":"Hi"}}}"#.utf8), name: "message")
        configuration.provider.provider = .fcm
        configuration.provider.endpoint = simulator.endpoint
        configuration.provider.caPEM = simulator.caPEM
        configuration.provider.credentials = .serviceAccount(file: account)
        configuration.provider.project = project
        configuration.engine.lanes = 2
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    @Test func `a dead token is told from one in doubt`() throws {
        let simulator = try Simulator(
            scenario: #"""
                {"rules": [
                  {"when": {"provider": "fcm", "tokenPrefix": "dead"}, "then": {"status": 404}},
                  {"when": {"provider": "fcm", "tokenPrefix": "gone"}, "then": {"status": 503}}
                ]}
                """#)
        let tokens = (0..<300).map { Self.token($0, $0 == 7 ? "dead" : $0 == 8 ? "gone" : "") }
        let result = try Job(try configuration(simulator, tokens: tokens)).run()
        #expect(result.failure == nil && result.rowsRead == 300)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 300 && lines.values.allSatisfy { $0[3] == "fcm" })
        #expect(lines[1]?[7].hasPrefix("projects/") == true && lines[8]?[7] == "")
        #expect(lines[8]?[4...6] == ["unregistered", "404", "UNREGISTERED"])
        #expect(lines[8]?[10].isEmpty == false && lines[8]?[10] == lines[8]?[11])
        // A row with such an answer has been delivered before: it is sent once.
        #expect(lines[9]?[4...6] == ["unknown", "503", "UNAVAILABLE"])
        #expect(lines[9]?[8] == "1")
        #expect(result.outcomes["accepted"] == 298)
        let requests = simulator.stop()
        #expect(requests.total == 300 && requests.accessTokens == 1)
    }

    @Test func `a token that expires in the midst of a job costs no attempt`() throws {
        // The first connection is for the token, and the second one is told after a hundred messages.
        let simulator = try Simulator(
            scenario: #"""
                {"rules": [
                  {"when": {"provider": "fcm", "connection": 2, "after": 100},
                   "then": {"status": 401, "reason": "ACCESS_TOKEN_EXPIRED"}}
                ]}
                """#)
        var configuration = try configuration(simulator, tokens: (0..<3000).map { Self.token($0) })
        configuration.engine.lanes = 1
        configuration.engine.connections = 1
        configuration.log = LogOptions(path: folder.path("log"))
        let result = try Job(configuration).run()
        #expect(result.failure == nil)
        #expect(result.outcomes["accepted"] == 3000)
        // Dozens of requests were in flight with it.
        let log = try String(contentsOfFile: folder.path("log"), encoding: .utf8)
        #expect(log.ranges(of: "provider_token_expired").count == 1)
        #expect(log.ranges(of: #""cause": "credential""#).count == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 3000 && lines.values.allSatisfy { $0[8] == "1" })
        let requests = simulator.stop()
        #expect(requests.accepted == 3000 && requests.total > 3000)
        #expect(requests.accessTokens == 2)
    }

    @Test(arguments: [(1, 1), (1, 8), (4, nil), (4, 8)])
    func `a wrong project stops the job at its first row, and no token is dead`(
        lanes: Int, connections: Int?
    ) throws {
        let simulator = try Simulator()
        let tokens = (0..<1000).map { Self.token($0) }
        var configuration = try configuration(simulator, tokens: tokens, project: "other")
        configuration.engine.lanes = lanes
        configuration.engine.connections = connections ?? configuration.engine.connections
        let result = try Job(configuration).run()
        #expect(result.exitCode == 3)
        #expect(result.rowsRead == 0 && result.outcomes["unregistered"] ?? 0 == 0)
        let requests = simulator.stop()
        #expect(requests.total == 1 && requests.accepted == 0)
    }

    /// Each lane has rows to send, and each does.
    @Test func `a right project is asked once, and then by all lanes`() throws {
        let simulator = try Simulator()
        let tokens = (0..<4000).map { Self.token($0) }
        var configuration = try configuration(simulator, tokens: tokens)
        configuration.engine.lanes = 4
        let result = try Job(configuration).run()
        #expect(result.failure == nil && result.outcomes["accepted"] == 4000)
        #expect(simulator.stop().total == 4000)
    }

    @Test func `who watches an exchange sees no whole token`() throws {
        let simulator = try Simulator()
        let seen = Mutex<[Exchange]>([])
        let token = Self.token(1)
        let job = try Job(
            try configuration(simulator, tokens: [token]),
            onExchange: { exchange in seen.withLock { $0.append(exchange) } })
        _ = try job.run()
        let exchanges = seen.withLock { $0 }
        let exchange = try #require(exchanges.first)
        let payload = String(decoding: exchange.payload, as: UTF8.self)
        #expect(
            payload
                == #"{"message":{"token":"\#(token.prefix(8))…","notification":{"title":"Hi"}}}"#)
        let authorization = exchange.headers.first { $0.name == "authorization" }
        #expect(authorization?.value == "Bearer (not shown)")
        #expect(exchange.status == 200)
        _ = simulator.stop()
    }
}
