import FanfareSimulator
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Several jobs in a process, and what they leave of it.
@Suite struct PushJobsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func rows(_ count: Int, _ prefix: String) -> [PushRow] {
        (1...count).map { row in
            let number = String(row + 0x1_0000_0000, radix: 16).dropFirst()
            let token = prefix + number + String(repeating: "0", count: 54)
            return PushRow(token: token, id: "\(prefix)\(row)", values: ["n": .integer(row)])
        }
    }

    private static func configuration(
        _ simulator: Simulator, payload: String, report: String
    ) -> Configuration {
        var configuration = Configuration()
        configuration.payload = .template(json: Array(payload.utf8), name: "template")
        configuration.provider.endpoint = simulator.endpoint
        configuration.provider.caPEM = simulator.caPEM
        configuration.provider.topic = "com.example.app"
        configuration.report.path = report
        return configuration
    }

    /// Two jobs with nothing in common but the process: other providers, payloads, rates, formats.
    @Test func `two jobs at once do not disturb each other`() async throws {
        let plain = try Simulator(usesTLS: false)
        let other = try Simulator(
            scenario: #"{"rules":[{"when":{"everyNth":10},"then":{"status":410}}]}"#)
        let count = 30_000
        var whole = Self.configuration(
            plain, payload: #"{"aps":{"alert":"{{n}}"}}"#, report: folder.path("whole.csv"))
        whole.engine.connections = 2
        whole.engine.lanes = 2
        var cut = Self.configuration(
            other, payload: #"{"aps":{"badge":"{{n:json}}"}}"#,
            report: folder.path("cut.ndjson"))
        cut.engine.connections = 1
        cut.report.token = .prefix
        cut.guards.stopIf = []

        let wholeJob = PushJob(whole, rows: Self.rows(count, "aa"))
        let cutJob = PushJob(cut, rows: Self.rows(count, "bb"))
        // The second one is canceled in the midst of both.
        let cutTask = Task {
            var kinds: [PushOutcome.Kind: Int] = [:]
            var areTheirOwn = true
            for try await outcome in cutJob.outcomes {
                kinds[outcome.kind, default: 0] += 1
                areTheirOwn =
                    areTheirOwn && outcome.id == "bb\(outcome.row)"
                    && outcome.token.hasSuffix("…")
                if kinds.values.reduce(0, +) == 2000 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return (kinds, areTheirOwn)
        }
        var rows: Set<UInt64> = []
        var areTheirOwn = true
        for try await outcome in wholeJob.outcomes {
            rows.insert(outcome.row)
            areTheirOwn =
                areTheirOwn && outcome.kind == .accepted && outcome.id == "aa\(outcome.row)"
                && outcome.token.utf8.count == 64
        }
        let (kinds, areTheCutOnes) = try await cutTask.value
        #expect(rows.count == count && areTheirOwn)
        let wholeResult = try await wholeJob.result
        #expect(wholeResult.isComplete && wholeResult.rowsRead == UInt64(count))
        #expect(plain.stop().accepted == UInt64(count))

        let cutResult = try await cutJob.result
        #expect(!cutResult.isComplete && cutResult.isResumable && cutResult.failure == nil)
        #expect(areTheCutOnes && Set(kinds.keys) == [.accepted, .unregistered])
        let requests = other.stop()
        #expect(kinds[.accepted] == Int(requests.accepted))
        #expect(kinds[.unregistered] == Int(requests.total) / 10)
        #expect(cutResult.rowsRead == requests.total && requests.total < UInt64(count))
    }

    /// In a process of its own: others in this one may have touched its signals.
    @Test func `a job leaves signals and standard streams alone`() async throws {
        await #expect(processExitsWith: .success) {
            let simulator = try Simulator()
            let configuration = PushJobsTests.configuration(
                simulator, payload: "{}", report: ReportOptions.noFile)
            let job = PushJob(configuration, rows: PushJobsTests.rows(100, "aa"))
            for try await _ in job.outcomes {
                for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
                    var action = sigaction()
                    sigaction(signal, nil, &action)
                    // That is SIG_DFL.
                    precondition(action.__sigaction_handler.sa_handler == nil)
                }
            }
            let result = try await job.result
            precondition(result.isComplete)
        }
    }
}
