import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The look for invalid rows before a job begins.
@Suite struct InvalidRowsTests {
    private static func rows(good: Int, bad: Int) -> String {
        let token = String(repeating: "ab", count: 32)
        return "token,name\n" + String(repeating: ",Bob\n", count: bad)
            + String(repeating: "\(token),Ann\n", count: good)
    }

    private func configuration(good: Int, bad: Int) -> Configuration {
        var configuration = Preparation.configuration(
            Self.rows(good: good, bad: bad), payload: #"{"aps":{"alert":"x"}}"#)
        configuration.report.path = ReportOptions.noFile
        return configuration
    }

    private func plan(_ configuration: Configuration) throws -> PreparedJob {
        try JobOpening.newPlan(configuration)
    }

    /// A tenth of 1,000 rows are 100, and of fewer than 100 rows ten are allowed.
    @Test(arguments: [(900, 100, true), (899, 101, false), (0, 10, true), (0, 11, false)])
    func `a list with more than a tenth of invalid rows is not begun`(
        good: Int, bad: Int, begins: Bool
    ) throws {
        let error = fanfareError { _ = try plan(configuration(good: good, bad: bad)) }
        #expect((error == nil) == begins)
        #expect(error == nil || error?.code == .stopped)
        #expect(error?.message.hasSuffix(". Nothing was sent") != false)
    }

    @Test func `the bound is the one that was set, and a person may go on`() throws {
        var configuration = configuration(good: 500, bad: 500)
        configuration.guards.stopIf = [.wrongEnvironment]
        #expect(try !plan(configuration).toleratesInvalid)
        configuration.guards.stopIf = [try OutcomeThreshold("invalid>499")]
        #expect(fanfareError { _ = try plan(configuration) } != nil)
        configuration.mayGoOn = { found in
            #expect(
                found.description.contains("invalid>499: 500 of the first 1,000 rows are invalid: ")
            )
            return true
        }
        #expect(try plan(configuration).toleratesInvalid)
        configuration.mayGoOn = { _ in false }
        #expect(fanfareError { _ = try plan(configuration) } != nil)
    }

    @Test func `rows that are not chosen do not count`() throws {
        var configuration = configuration(good: 500, bad: 500)
        configuration.rows.choice.conditions = [try RowCondition("name=Ann")]
        #expect(fanfareError { _ = try plan(configuration) } == nil)
    }

    /// A seed list of two rows, and rows behind it of which a half is not chosen.
    @Test func `rows of later inputs are no seeds`() throws {
        var configuration = configuration(good: 1, bad: 0)
        let token = String(repeating: "ab", count: 32)
        configuration.inputs = [
            .memory(Array("token,name\n\(token),Ann\n\(token),Ann\n".utf8), name: "seeds"),
            .memory(Array(Self.rows(good: 20, bad: 2).utf8), name: "rows"),
        ]
        configuration.seeds = SeedOptions()
        configuration.guards.stopIf = [try OutcomeThreshold("invalid>1")]
        configuration.rows.choice.conditions = [try RowCondition("name=Ann")]
        #expect(fanfareError { _ = try plan(configuration) } == nil)
        configuration.rows.choice.conditions = []
        #expect(
            fanfareError { _ = try plan(configuration) }?.message.hasPrefix(
                "GuardOptions.stopIf invalid>1: 2 of the first ") == true)
    }

    @Test func `the way on keeps the other bounds, and check warns of it`() throws {
        let configuration = configuration(good: 100, bad: 100)
        let error = fanfareError { _ = try plan(configuration) }
        #expect(
            error?.statement.text(Naming.options { _ in "--stop-if" }).contains(
                " --stop-if 'suspect>50%,unknown>50%' sends to the others all the same") == true)
        let result = try Rehearsal(configuration).run()
        #expect(
            result.rowWarnings.contains {
                $0.hasPrefix(
                    "a job with these rows does not begin: GuardOptions.stopIf invalid>10%")
            })
    }
}
