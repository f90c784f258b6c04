import FanfareCore
import FanfareJSON
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Whole jobs against the simulator on a loopback port.
@Suite struct JobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ provider: SimulatedProvider, tokens: [String]) -> Configuration {
        var configuration = Preparation.configuration(
            "token\n" + tokens.map { $0 + "\n" }.joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.provider.caPEM = provider.caPEM
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    /// Tokens with a prefix that a scenario can tell apart.
    private func tokens(_ prefixes: [String]) -> [String] {
        prefixes.enumerated().map { index, prefix in
            prefix + String(String(index + 0x1_0000_0000, radix: 16).dropFirst())
                + String(repeating: "0", count: 56 - prefix.utf8.count)
        }
    }

    /// A result adds up, and the report has one line for each outcome.
    @discardableResult
    private func check(_ result: JobResult) throws -> [Int: [String]] {
        #expect(result.outcomes.values.reduce(0, +) == result.rowsRead)
        // A job that has not reached its provider takes its report away.
        let lines = result.rowsRead == 0 ? [:] : try folder.reportLines("r.csv")
        #expect(lines.count == Int(result.rowsRead))
        for (name, count) in result.outcomes {
            #expect(lines.values.count { $0[4] == name } == Int(count), "\(name)")
        }
        return lines
    }

    @Test(arguments: [(false, 1, 1), (true, 3, 2)])
    func `all rows are accepted`(usesTLS: Bool, connections: Int, lanes: Int) throws {
        let provider = try SimulatedProvider(usesTLS: usesTLS)
        let tokens = tokens(Array(repeating: "aa", count: 2000))
        var configuration = configuration(provider, tokens: tokens)
        configuration.engine.connections = connections
        configuration.engine.lanes = lanes
        let job = try Job(configuration, strict: true)
        let result = try job.run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 2000)
        #expect(result.outcomes["accepted"] == 2000)
        let lines = try check(result)
        let areTheirOwn = tokens.indices.allSatisfy { index in
            guard let line = lines[index + 1] else { return false }
            return line[2] == tokens[index] && line[3] == "apns" && line[5] == "200"
                && line[8] == "1"
                && line[7].hasSuffix(String(index + 1 + 0x1_0000_0000_0000, radix: 16).dropFirst())
        }
        #expect(areTheirOwn)
        let progress = job.progress
        #expect(progress.finished == 2000 && progress.accepted == 2000)
        #expect(progress.inFlight == 0)
        // Of several connections some may come too late to be needed.
        if connections == 1 {
            #expect(result.summaryJSON.contains("\"connections_opened\": 1,"))
        }
        #expect(provider.stop().accepted == 2000)
    }

    @Test func `each answer becomes its outcome`() throws {
        let provider = try SimulatedProvider(
            """
            {"when":{"tokenPrefix":"d0"},"then":{"status":410,"timestamp":1700000000123}},
            {"when":{"tokenPrefix":"d1"},"then":{"status":400,"reason":"BadDeviceToken"}},
            {"when":{"tokenPrefix":"d2"},"then":{"status":503,"reason":"ServiceUnavailable"}},
            {"when":{"tokenPrefix":"d3"},"then":{"status":413,"reason":"PayloadTooLarge"}},
            {"when":{"tokenPrefix":"d4"},"then":{"status":429,"reason":"TooManyRequests"}},
            {"when":{"tokenPrefix":"d5"},"then":{"resetStream":"INTERNAL_ERROR"}}
            """)
        let tokens = tokens(["aa", "d0", "d1", "d2", "d3", "d4", "d5"]) + ["not a token"]
        var configuration = configuration(provider, tokens: tokens)
        configuration.engine.attemptsMax = 1
        let result = try Job(configuration).run()
        #expect(result.exitCode == 1)
        let lines = try check(result)
        let ends = (1...8).map { lines[$0].map { Array($0[4...6]) } }
        #expect(
            ends == [
                ["accepted", "200", ""], ["unregistered", "410", "Unregistered"],
                ["suspect", "400", "BadDeviceToken"], ["failed", "503", "ServiceUnavailable"],
                ["rejected", "413", "PayloadTooLarge"], ["throttled", "429", "TooManyRequests"],
                ["unknown", "", "INTERNAL_ERROR"],
                ["invalid", "", "line 9: token is not hexadecimal"],
            ])
        #expect(lines[2]?[10] == "2023-11-14T22:13:20.123Z")
        #expect(lines[8]?[7...11] == ["", "0", "", "", ""])
    }

    @Test func `a refused stream is sent again without counting as an attempt`() throws {
        let provider = try SimulatedProvider(
            #"{"when":{"attempt":1},"then":{"resetStream":"REFUSED_STREAM"}}"#)
        var configuration = configuration(provider, tokens: tokens(["aa", "bb", "cc"]))
        configuration.engine.attemptsMax = 1
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        let lines = try check(result)
        #expect((1...3).map { lines[$0]?[8] } == ["1", "1", "1"])
        #expect(provider.stop().requests == 6)
    }

    @Test func `no answer in time is in doubt`() throws {
        let provider = try SimulatedProvider(
            #"{"when":{"tokenPrefix":"dd"},"then":{"stall":"stream"}}"#)
        var configuration = configuration(provider, tokens: tokens(["aa", "dd", "bb"]))
        configuration.engine.timeout = .milliseconds(300)
        let result = try Job(configuration).run()
        #expect(result.exitCode == 1)
        let lines = try check(result)
        #expect((1...3).map { lines[$0]?[4] } == ["accepted", "unknown", "accepted"])
        #expect(lines[2]?[6] == "no answer in time")
    }

    @Test func `a refused topic stops the job and leaves its rows`() throws {
        let provider = try SimulatedProvider(
            #"{"when":{"tokenPrefix":"dd"},"then":{"status":400,"reason":"TopicDisallowed"}}"#)
        var configuration = configuration(
            provider, tokens: tokens(["aa", "aa", "dd"] + Array(repeating: "aa", count: 500)))
        configuration.engine.streams = 1
        let result = try Job(configuration).run()
        #expect(result.exitCode == 3)
        #expect(result.stopMessage == "the provider answered 400 TopicDisallowed to row 3")
        #expect(result.rowsRead == 2)
        #expect(try check(result).keys.sorted() == [1, 2])
        #expect(result.unreportedRows.isEmpty)
        #expect(provider.stop().requests == 3)
    }

    @Test func `a refused topic of a row's own is that row's fault`() throws {
        let provider = try SimulatedProvider(
            #"{"when":{"tokenPrefix":"dd"},"then":{"status":400,"reason":"TopicDisallowed"}}"#)
        var configuration = configuration(provider, tokens: [])
        let tokens = tokens(["aa", "dd", "aa"])
        configuration.inputs = [
            .text("token,topic\n\(tokens[0]),\n\(tokens[1]),com.example.own\n\(tokens[2]),\n")
        ]
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        #expect(try check(result)[2]?[4...6] == ["rejected", "400", "TopicDisallowed"])
    }

    @Test func `a server that no authority vouches for stops the job before any row`() throws {
        let provider = try SimulatedProvider(usesTLS: true)
        var configuration = configuration(provider, tokens: tokens(["aa", "bb"]))
        configuration.provider.caPEM = nil
        let result = try Job(configuration).run()
        #expect(result.exitCode == 3)
        #expect(result.rowsRead == 0)
        #expect(result.stopMessage?.hasPrefix("no connection to the provider: ") == true)
        #expect(try check(result).isEmpty)
        var unchecked = configuration
        unchecked.provider.verifiesServer = false
        unchecked.report.overwrites = true
        #expect(try Job(unchecked).run().exitCode == 0)
    }

    // MARK: Interruptions

    @Test(arguments: [1, 2])
    func `an interruption before the start leaves all rows`(times: Int) throws {
        let provider = try SimulatedProvider()
        let job = try Job(configuration(provider, tokens: tokens(["aa", "bb"])))
        for _ in 0..<times { job.interrupt() }
        let result = try job.run()
        #expect(result.exitCode == 130)
        #expect(result.stopMessage == "interrupted")
        #expect(result.rowsRead == 0)
        try check(result)
        #expect(provider.stop().requests == 0)
    }

    @Test func `termination is told apart by its exit code`() throws {
        let provider = try SimulatedProvider()
        let job = try Job(configuration(provider, tokens: tokens(["aa"])))
        job.terminate()
        job.interrupt()
        #expect(try job.run().exitCode == 143)
    }

    @Test func `a job whose time is over skips its rows without a connection`() throws {
        let provider = try SimulatedProvider()
        var configuration = configuration(provider, tokens: tokens(["aa", "bb", "zz"]))
        configuration.engine.untilMilliseconds = 1_000
        let result = try Job(configuration).run()
        #expect(result.exitCode == 1)
        #expect(result.outcomes.filter { $0.value > 0 } == ["skipped": 2, "invalid": 1])
        #expect(try check(result)[1]?[6] == "deadline has passed")
        #expect(provider.stop().requests == 0)
    }

    @Test func `a row's own expiration counts, and 0 never passes`() throws {
        let provider = try SimulatedProvider()
        var configuration = configuration(provider, tokens: [])
        let ends = ["0", "1000000000", "4000000000", ""]
        let rows = zip(tokens(["aa", "bb", "cc", "dd"]), ends).map { "\($0),\($1)\n" }
        configuration.inputs = [.text("token,expiration\n" + rows.joined())]
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        let lines = try check(result)
        #expect(
            (1...4).map { lines[$0]?[4] } == ["accepted", "skipped", "accepted", "accepted"])
        #expect(lines[2]?[6] == "expiration has passed" && lines[2]?[8] == "0")
        #expect(provider.stop().requests == 3)
        // The job's own holds for the rows that bring none.
        let other = try SimulatedProvider()
        configuration.provider.endpoint = other.endpoint
        configuration.provider.expiration = "1000000001"
        configuration.report.overwrites = true
        #expect(try Job(configuration).run().outcomes["skipped"] == 2)
        #expect(other.stop().requests == 2)
    }

    @Test(arguments: [Delivery.atMostOnce, .atLeastOnce])
    func `a row in doubt is unknown, or sent again under the same id`(delivery: Delivery) throws {
        let provider = try SimulatedProvider(
            #"{"when":{"attempt":1},"then":{"resetStream":"CANCEL"}}"#)
        var configuration = configuration(provider, tokens: tokens(["aa"]))
        configuration.engine.delivery = delivery
        let result = try Job(configuration).run()
        let isSentAgain = delivery == .atLeastOnce
        let outcome = isSentAgain ? "accepted" : "unknown"
        #expect(result.outcomes.filter { $0.value > 0 } == [outcome: 1])
        let line = try #require(try check(result)[1])
        #expect(line[7].hasSuffix("-000000000001"))
        #expect(line[8] == (isSentAgain ? "2" : "1"))
        #expect(provider.stop().requests == (isSentAgain ? 2 : 1))
    }

    @Test func `a second interruption does not wait for answers`() async throws {
        let provider = try SimulatedProvider(
            #"{"when":{"tokenPrefix":"dd"},"then":{"stall":"stream"}}"#)
        let tokens = tokens(["dd"] + Array(repeating: "aa", count: 50))
        var configuration = configuration(provider, tokens: tokens)
        // However long this thread has to wait for its turn.
        configuration.engine.timeout = .seconds(3600)
        let job = try Job(configuration)
        async let running = onOwnThread { try job.run() }
        // The first row is on its way when another one is through, and it stays there.
        do {
            try await Poll.wait { job.progress.finished > 0 }
        } catch {
            // The test would wait for the time-out.
            for _ in 0..<2 { job.interrupt() }
            throw error
        }
        for _ in 0..<2 { job.interrupt() }
        let result = try await running
        #expect(result.exitCode == 130)
        let lines = try check(result)
        #expect(lines[1]?[4] == "unknown")
        #expect(lines[1]?[8] == "1")
        #expect(lines.values.allSatisfy { ["accepted", "unknown"].contains($0[4]) })
    }

    @Test(arguments: [1, 2])
    func `an interruption at any moment leaves a result that adds up`(times: Int) async throws {
        let provider = try SimulatedProvider()
        let job = try Job(
            configuration(provider, tokens: tokens(Array(repeating: "aa", count: 5000))))
        async let running = onOwnThread { try job.run() }
        for _ in 0..<times { job.interrupt() }
        let result = try await running
        let lines = try check(result)
        #expect(result.rowsRead <= 5000)
        #expect(lines.values.allSatisfy { ["accepted", "unknown"].contains($0[4]) })
        #expect([0, 130].contains(result.exitCode))
        let requests = provider.stop().requests
        #expect(requests <= result.rowsRead)
        #expect(requests >= result.outcomes["accepted"] ?? 0)
    }

    // MARK: Inputs

    @Test func `an input that is missing is told before anything is created`() throws {
        let provider = try SimulatedProvider()
        var configuration = configuration(provider, tokens: tokens(["aa"]))
        configuration.inputs.append(.file(folder.path("none.csv")))
        #expect(fanfareError { _ = try Job(configuration) }?.code == .input)
        #expect(throws: (any Error).self) { try folder.read("r.csv") }
    }

    @Test func `an input that breaks off stops the job with exit code 4`() throws {
        let provider = try SimulatedProvider()
        var configuration = configuration(provider, tokens: tokens(["aa"]))
        let bytes = Array(CompressedVectors.gzip[..<53])
        configuration.inputs.append(.file(try folder.write(bytes, to: "cut.csv.gz")))
        let job = try Job(configuration)
        // It was whole when it was looked through.
        try folder.write(Array(bytes.dropLast(4)), to: "cut.csv.gz")
        let result = try job.run()
        #expect(result.exitCode == 4)
        #expect(result.outcomes["accepted"] == 1)
        try check(result)
    }

    @Test func `a mistake in the configuration leaves no report behind`() throws {
        let provider = try SimulatedProvider()
        var configuration = configuration(provider, tokens: ["aa"])
        configuration.provider.priority = "7"
        #expect(fanfareError { _ = try Job(configuration) }?.code == .configuration)
        #expect(throws: (any Error).self) { try folder.read("r.csv") }
    }
}
