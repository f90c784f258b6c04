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
                found.description.contains("invalid>499: 500 of the first 1000 rows")
                    || found.description.contains("invalid>499: 500 of the first 1,000 rows"))
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
}
