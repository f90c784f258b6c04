import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Whole jobs over real sockets against a provider whose connections break.
@Suite struct WireFaultJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The outcomes of a job over tokens that begin as given, by row.
    private func outcomes(
        _ rules: String, _ prefixes: [String], usesTLS: Bool,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> [String] {
        let provider = try SimulatedProvider(rules, usesTLS: usesTLS)
        let tokens = prefixes.enumerated().map { index, prefix in
            prefix + String(String(index + 0x1_0000_0000, radix: 16).dropFirst())
                + String(repeating: "0", count: 56 - prefix.utf8.count) + "\n"
        }
        var configuration = Preparation.configuration("token\n" + tokens.joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.provider.caPEM = provider.caPEM
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.engine.streams = 1
        configuration.report.path = folder.path("r.csv")
        change(&configuration)
        let result = try Job(configuration).run()
        #expect(result.stopMessage == nil)
        #expect(result.rowsRead == UInt64(prefixes.count))
        let lines = try folder.reportLines("r.csv")
        return prefixes.indices.map { lines[$0 + 1]?[4] ?? "none" }
    }

    @Test(arguments: ["true", "\"reset\""], [false, true])
    func `a connection that ends before the answer leaves its row in doubt`(
        end: String, usesTLS: Bool
    ) throws {
        #expect(
            try outcomes(
                #"{"when":{"tokenPrefix":"dd"},"then":{"closeConnection":\#(end)}}"#,
                ["aa", "dd", "aa"], usesTLS: usesTLS)
                == ["accepted", "unknown", "accepted"])
    }

    @Test(arguments: [false, true])
    func `an answer counts, also if its connection ends`(usesTLS: Bool) throws {
        #expect(
            try outcomes(
                #"{"when":{"tokenPrefix":"dd"},"then":{"status":200,"closeConnection":true}}"#,
                // A row behind it could be on its way when the end comes, and would be in doubt.
                ["aa", "dd"], usesTLS: usesTLS)
                == ["accepted", "accepted"])
    }

    /// The server answers a hundred requests, says GOAWAY, and closes while others are in its socket.
    @Test(arguments: [false, true], [Delivery.atMostOnce, .atLeastOnce])
    func `what a server answered before it reset the connection is accepted, and answered once`(
        usesTLS: Bool, delivery: Delivery
    ) throws {
        let provider = try SimulatedProvider(
            #"""
            {"when":{"after":99},"then":{"status":200,"closeConnection":"unread",
            "goaway":{"error":"NO_ERROR","lastStreamID":"this"}}}
            """#, usesTLS: usesTLS, logFile: folder.path("log.ndjson"))
        let tokens = (1...2_000).map { row in
            let digits = String(row, radix: 16)
            return String(repeating: "0", count: 64 - digits.utf8.count) + digits
        }
        var configuration = Preparation.configuration(
            "token\n" + tokens.joined(separator: "\n") + "\n")
        configuration.provider.endpoint = provider.endpoint
        configuration.provider.caPEM = provider.caPEM
        configuration.engine.connections = 2
        configuration.engine.lanes = 1
        configuration.engine.delivery = delivery
        configuration.report.path = folder.path("r.csv")
        let result = try Job(configuration).run()
        #expect(result.stopMessage == nil)
        _ = provider.stop()

        var answers: [String: Int] = [:]
        for line in try folder.read("log.ndjson").split(separator: "\n") {
            let words = line.split(separator: "\"").map(String.init)
            let name = try #require(words.firstIndex(of: "token"))
            answers[words[name + 2], default: 0] += 1
        }
        let lines = try folder.reportLines("r.csv")
        let outcomes = tokens.indices.map { lines[$0 + 1]?[4] ?? "none" }
        #expect(Set(outcomes) == ["accepted"])
        #expect(tokens.allSatisfy { answers[$0] == 1 })
    }

    @Test(arguments: [false, true])
    func `a peer that stops reading does not hold the job`(usesTLS: Bool) throws {
        #expect(
            try outcomes(
                #"{"when":{"connection":1,"tokenPrefix":"dd"},"then":{"stopReading":true}}"#,
                ["aa", "dd", "bb", "aa"], usesTLS: usesTLS
            ) { $0.engine.timeout = .milliseconds(300) }
                == ["accepted", "accepted", "unknown", "accepted"])
    }

    @Test func `a token above its rate is sent again, and others go on`() throws {
        let outcomes = try outcomes(
            #"{"then":{"rateLimit":{"rate":"20/s","per":"token"}}}"#,
            ["aa", "bb", "cc"], usesTLS: false)
        #expect(outcomes == ["accepted", "accepted", "accepted"])
    }
}
