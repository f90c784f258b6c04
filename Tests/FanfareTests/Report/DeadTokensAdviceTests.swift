import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The page's advice about dead tokens.
@Suite struct DeadTokensAdviceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a job all of whose tokens are dead, and returns its page.
    private func page(_ change: (inout ReportOptions) -> Void = { _ in }) throws -> String {
        let provider = try SimulatedProvider(
            #"{"then":{"status":410,"reason":"Unregistered","timestamp":1760000000000}}"#)
        var configuration = Preparation.configuration("")
        configuration.inputs = [.text("token\n" + String(repeating: "ab", count: 32) + "\n")]
        configuration.provider.endpoint = provider.endpoint
        configuration.report.path = folder.path("r.csv")
        configuration.report.keepsSeries = true
        configuration.report.overwrites = true
        configuration.guards.stopIf = []
        change(&configuration.report)
        let result = try Job(configuration, deadTokensCommand: { "list \($0)" }).run()
        #expect(result.outcomes["unregistered"] == 1)
        return String(decoding: result.html, as: UTF8.self)
    }

    @Test func `dead tokens are listed from the report where no file has them`() throws {
        let page = try page()
        #expect(page.contains("Dead tokens are to be deleted. As a list:"))
        #expect(page.contains("list \(folder.path("r.csv"))"))
    }

    @Test func `a file that has them is named`() throws {
        let dead = folder.path("dead.csv")
        let page = try page { $0.unregisteredPath = dead }
        #expect(page.contains("The tokens to delete are in \(dead)."))
        #expect(!page.contains("list \(folder.path("r.csv"))"))
    }

    @Test func `a report without whole tokens lists none`() throws {
        #expect(!(try page { $0.token = .prefix }.contains("As a list:")))
    }
}
