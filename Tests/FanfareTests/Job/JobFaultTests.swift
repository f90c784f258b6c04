import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Faults of credentials and configuration: each stops the job and costs no row.
@Suite struct JobFaultTests {
    /// A status and a reason, for the test's name.
    struct Answer: Sendable, CustomTestStringConvertible {
        var status: UInt16
        var reason: String
        var testDescription: String { "\(status) \(reason)" }
    }

    /// Every answer of the table that stops the job, and those that only the status tells.
    static let stopping =
        ResponseClass.rules.filter { $0.class.job == .stop }
        .map { Answer(status: $0.status, reason: $0.reason.description) }
        + [
            Answer(status: 403, reason: "SomethingNew"),
            Answer(status: 401, reason: "SomethingNew"),
        ]

    /// A job whose third row meets a rule of the scenario.
    private func job(then action: String, in folder: TemporaryFolder) throws -> JobResult {
        let provider = try SimulatedProvider(#"{"when":{"tokenPrefix":"dd"},"then":\#(action)}"#)
        let token = { (prefix: String) in prefix + String(repeating: "0", count: 62) + "\n" }
        let rows = ["aa", "aa", "dd"] + Array(repeating: "aa", count: 500)
        var configuration = Preparation.configuration("token\n" + rows.map(token).joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.streams = 1
        configuration.report.path = folder.path("r.csv")
        configuration.report.retryRowsPath = folder.path("again.csv")
        let result = try Job(configuration).run()
        #expect(provider.stop().requests == 3)
        return result
    }

    @Test func `the table has the faults that the provider's documentation has`() {
        #expect(
            Set(Self.stopping.map(\.reason)).isSuperset(of: [
                "BadCertificate", "BadCertificateEnvironment", "InvalidProviderToken",
                "MissingProviderToken", "Forbidden", "BadEnvironmentKeyIdInToken",
                "BadEnvironmentKeyInToken", "BadTopic", "MissingTopic", "TopicDisallowed",
                "InvalidPushType", "BadPriority", "BadExpirationDate", "BadCollapseId",
                "DuplicateHeaders", "MethodNotAllowed",
            ]))
    }

    @Test(arguments: stopping)
    func `a fault of the whole job stops it, and its row is left`(answer: Answer) throws {
        let folder = try TemporaryFolder()
        let result = try job(
            then: #"{"status":\#(answer.status),"reason":"\#(answer.reason)"}"#, in: folder)
        #expect(result.exitCode == 3)
        #expect(
            result.stopMessage?.contains("\(answer.status) \(answer.reason) to row 3") == true,
            "\(result.stopMessage ?? "none")")
        #expect(
            result.summary.stop?.answer
                == JobStop.Answer(status: answer.status, reason: answer.reason, provider: .apns))
        #expect(result.rowsRead == 2 && result.outcomes["accepted"] == 2)
        #expect(try folder.reportLines("r.csv").keys.sorted() == [1, 2])
        #expect(try folder.read("again.csv") == "token\n")
    }

    @Test(arguments: ["BadCertificate", "BadCertificateEnvironment", "InvalidProviderToken"])
    func `the same said with GOAWAY stops the job, too`(reason: String) throws {
        let folder = try TemporaryFolder()
        let goaway = #"{"error":"NO_ERROR","lastStreamID":"before","reason":"\#(reason)"}"#
        let result = try job(then: #"{"goaway":\#(goaway)}"#, in: folder)
        #expect(result.exitCode == 3)
        #expect(result.stopMessage?.contains(reason) == true)
        #expect(
            result.summary.stop?.answer
                == JobStop.Answer(status: 0, reason: reason, provider: .apns))
        #expect(result.rowsRead == 2 && result.outcomes["accepted"] == 2)
    }
}
