import Fanfare
import FanfareBase
import Foundation
import Testing

@testable import FanfareCLI

/// The messages to others when a job is over.
@Suite struct JobEndTests {
    private static let failure = JobEnd(
        FanfareError(.input, "rows.csv cannot be read: no such file or directory"), of: "send",
        words: ("Tom & <Jerry>", "ticket 1234"))

    @Test func `a job that cannot begin has a document of its own`() throws {
        let end = Self.failure
        #expect(end.event == .failed)
        #expect(end.exitCode == 4)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(end.body(.summary))) as? [String: Any])
        #expect(object["schema"] as? String == "fanfare.failure/1")
        #expect(object["command"] as? String == "send")
        #expect(object["name"] as? String == "Tom & <Jerry>")
        #expect(object["note"] as? String == "ticket 1234")
        #expect(object["exit_code"] as? Int == 4)
        #expect(
            object["error"] as? String == "rows.csv cannot be read: no such file or directory")
    }

    // https://api.slack.com/reference/surfaces/formatting#escaping
    @Test func `Slack gets one text with its three characters escaped`() throws {
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(Self.failure.body(.slack))) as? [String: Any])
        #expect(object.keys.sorted() == ["text"])
        #expect(
            object["text"] as? String == """
                *Tom &amp; &lt;Jerry&gt; has failed, exit code 4*
                rows.csv cannot be read: no such file or directory
                ticket 1234
                """)
    }

    @Test func `a table keeps its columns, and has a bound`() throws {
        let end = JobEnd(
            .ended, exitCode: 5, json: "{}", lines: [],
            table: String(repeating: "x", count: 10_000))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(end.body(.slack))) as? [String: Any])
        #expect(
            object["text"] as? String == "*fanfare has ended, exit code 5*\n```\n"
                + String(repeating: "x", count: 3000) + "```")
    }

    @Test func `the environment of a command has what is known, and nothing stale`() {
        let variables = JobEnd(
            .stopped, exitCode: 130, id: "b7e23ec2", report: "report.csv", json: "{}", lines: []
        ).variables
        #expect(variables["FANFARE_EXIT_CODE"] == "130")
        #expect(variables["FANFARE_JOB_EVENT"] == "stopped")
        #expect(variables["FANFARE_JOB_ID"] == "b7e23ec2")
        #expect(variables["FANFARE_JOB_REPORT"] == "report.csv")
        #expect(variables["FANFARE_JOB_NAME"] == .some(nil))
        #expect(variables["FANFARE_ON_END"] == .some(nil))
        #expect(Set(variables.keys) == Set(JobEnd.variableNames + ["FANFARE_ON_END"]))
    }

    /// A command that calls fanfare itself would have them as options.
    @Test func `no variable is the name of an option, but the one that is taken away`() {
        let options = Set(
            Commands.all.flatMap(\.options).map { OptionOrigin.variable($0.name) })
        let names = Self.failure.variables.filter { $0.value != nil }.keys
        #expect(names.allSatisfy { !options.contains($0) })
        #expect(options.contains("FANFARE_ON_END"))
    }
}
