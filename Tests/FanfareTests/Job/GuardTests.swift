import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// `--stop-if` and `--fail-if` of whole jobs against the simulator.
@Suite struct GuardTests {
    private let folder: TemporaryFolder
    private let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try SimulatedProvider(
            """
            {"when":{"tokenPrefix":"d0"},"then":{"status":410,"timestamp":1700000000123}},
            {"when":{"tokenPrefix":"d1"},"then":{"status":400,"reason":"BadDeviceToken"}},
            {"when":{"tokenPrefix":"d2"},"then":{"resetStream":"INTERNAL_ERROR"}}
            """)
    }

    /// A job over tokens that begin as given, one request after the other on each lane.
    private func run(
        _ prefixes: [String], lanes: Int = 1,
        _ change: (inout Configuration) throws -> Void = { _ in }
    ) throws -> JobResult {
        let tokens = prefixes.enumerated().map { index, prefix in
            prefix + String(String(index + 0x1_0000_0000, radix: 16).dropFirst())
                + String(repeating: "0", count: 56 - prefix.utf8.count) + "\n"
        }
        var configuration = Preparation.configuration("token\n" + tokens.joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = lanes
        configuration.engine.lanes = lanes
        configuration.engine.streams = 1
        configuration.report.path = folder.path("r.csv")
        try change(&configuration)
        let result = try Job(configuration).run()
        #expect(result.outcomes.values.reduce(0, +) == result.rowsRead)
        #expect(try folder.reportLines("r.csv").count == Int(result.rowsRead))
        return result
    }

    private func repeating(_ prefix: String, _ count: Int) -> [String] {
        Array(repeating: prefix, count: count)
    }

    @Test func `a wrong environment stops a job after half of a thousand rows`() throws {
        let result = try run(repeating("d1", 20_000))
        #expect(result.exitCode == 3)
        #expect(
            result.stopMessage == "GuardOptions.stopIf suspect>50%: 501 of 501 rows so far are "
                + "suspect. Are Endpoint.apns and ProviderOptions.topic those that the tokens are "
                + "for? GuardOptions.stopIf = [\"unknown>50%\"] goes on all the same")
        // One more may have been on its way.
        #expect(result.rowsRead == 501 || result.rowsRead == 502)
        #expect(provider.stop().requests <= 502)
    }

    /// Answers come between, so that the provider is not given up.
    @Test func `a provider that answers less than half of the rows stops a job`() throws {
        let result = try run((0..<20_000).map { $0 % 20 < 9 ? "aa" : "d2" })
        #expect(result.exitCode == 3)
        #expect(
            result.stopMessage?.hasPrefix("GuardOptions.stopIf unknown>50%: 501 of ") == true,
            "\(result.stopMessage ?? "none")")
        // Eleven of twenty: the 501st is the sixth of them in the 46th twenty.
        #expect((915...916).contains(result.rowsRead))
        #expect((501...502).contains(result.outcomes["unknown"] ?? 0))
    }

    @Test func `the first thousand are those of all lanes together`() throws {
        let result = try run(repeating("d1", 20_000), lanes: 2)
        #expect(result.exitCode == 3)
        // Each lane may have sent one and the first of its next turn.
        #expect((501...520).contains(result.rowsRead))
    }

    @Test func `a short list is guarded, too`() throws {
        let result = try run(repeating("aa", 80) + repeating("d1", 120))
        #expect(result.exitCode == 3)
        #expect(result.stopMessage?.contains(" rows so far are suspect") == true)
        // As soon as the reader is at the end, which on a busy machine may take a few rows longer.
        #expect(result.rowsRead >= 181)
    }

    @Test func `a job that was over when the guard spoke still says so`() throws {
        let result = try run(repeating("aa", 99) + repeating("d1", 101))
        #expect(result.exitCode == 3)
        #expect(result.rowsRead == 200)
        #expect(result.stopMessage?.contains("101 of 200 rows so far are suspect") == true)
    }

    @Test(arguments: [50, 1])
    func `a handful of bad tokens goes through`(count: Int) throws {
        let result = try run(repeating("d1", count))
        #expect(result.exitCode == 1)
        #expect(result.outcomes["suspect"] == UInt64(count))
    }

    @Test func `none switches the guard off`() throws {
        let result = try run(repeating("d1", 1200)) { $0.guards.stopIf = [] }
        #expect(result.exitCode == 1)
        #expect(result.outcomes["suspect"] == 1200)
    }

    @Test func `a number of rows stops a job at any time`() throws {
        let rows = repeating("aa", 1500) + repeating("d0", 20) + repeating("aa", 200_000)
        let result = try run(rows) {
            $0.guards.stopIf = [try OutcomeThreshold("unregistered>10")]
        }
        #expect(result.exitCode == 3)
        #expect(
            result.stopMessage?.hasPrefix("GuardOptions.stopIf unregistered>10: ") == true,
            "\(result.stopMessage ?? "none")")
        // Rows 1,501 to 1,520 are dead: the eleventh of them, and one that was on its way.
        #expect(result.rowsRead == 1511 || result.rowsRead == 1512)
    }

    // MARK: Resuming

    @Test func `what a guard has left is sent when the job is carried on without it`() throws {
        let rows = repeating("d1", 3000)
        let first = try run(rows)
        #expect(first.exitCode == 3)
        let second = try run(rows) {
            $0.report.resumes = true
            $0.guards.stopIf = []
        }
        #expect(second.exitCode == 1)
        #expect(second.rowsRead == 3000 && second.outcomes["suspect"] == 3000)
        #expect(provider.stop().requests == 3000)
    }

    @Test func `a job that is carried on is guarded anew`() throws {
        let rows = repeating("d1", 3000)
        let first = try run(rows)
        let second = try run(rows) { $0.report.resumes = true }
        #expect(second.exitCode == 3)
        #expect(second.stopMessage?.contains("501 of 501 rows so far are suspect") == true)
        #expect(second.rowsRead >= first.rowsRead + 501 && second.rowsRead <= 1010)
    }

    @Test func `the length of a job that is carried on is that of its rest`() throws {
        // 900 good rows and 200 bad ones; the bound of the whole would be 500.
        let rows = repeating("aa", 900) + repeating("d1", 200) + repeating("aa", 50)
        let first = try run(rows) { $0.guards.stopIf = [try OutcomeThreshold("accepted>800")] }
        #expect(first.exitCode == 3)
        #expect((801...810).contains(first.rowsRead))
        let second = try run(rows) { $0.report.resumes = true }
        // Of 340 to 349 rows half are 175 at most.
        #expect(second.exitCode == 3)
        #expect(second.stopMessage?.contains(" rows so far are suspect") == true)
        #expect(second.rowsRead < 1150)
    }

    // MARK: Exit code 5

    @Test func `a crossed bound sets the exit code and is named`() throws {
        let result = try run(repeating("aa", 90) + repeating("d0", 10)) {
            $0.guards.failIf = [
                try OutcomeThreshold("suspect>0"), try OutcomeThreshold("unregistered>9.9%"),
                try OutcomeThreshold("unregistered>10%"),
            ]
        }
        #expect(result.exitCode == 5)
        #expect(result.stopMessage == nil)
        #expect(result.rowsRead == 100)
        let json = result.summaryJSON.filter { !$0.isWhitespace }
        #expect(json.contains(#""thresholds_crossed":["unregistered>9.9%"]"#))
        #expect(
            result.table(usesColor: false).contains(
                "Crossed: GuardOptions.failIf unregistered>9.9%, by 10 of 100 rows\n"))
    }

    @Test func `a bound that is met and not crossed changes nothing`() throws {
        let result = try run(repeating("aa", 90) + repeating("d0", 10)) {
            $0.guards.failIf = [try OutcomeThreshold("unregistered>10")]
        }
        #expect(result.exitCode == 0)
        #expect(!result.table(usesColor: false).contains("Crossed"))
    }

    @Test func `a text that is no bound is a mistake in the configuration`() {
        let error = fanfareError { _ = try OutcomeThreshold("dead>5%") }
        #expect(error?.code == .configuration)
        #expect(
            error?.message.hasPrefix("'dead>5%' has no outcome before its >; there are ") == true)
    }
}
