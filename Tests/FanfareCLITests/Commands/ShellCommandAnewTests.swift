import Fanfare
import FanfareCore
import FanfareTestSupport
import Testing

@testable import FanfareCLI

/// The commands that begin a job without those whom another one has reached.
@Suite struct ShellCommandAnewTests {
    private func commands(
        _ words: [String], _ variables: [String: String] = [:], report: String
    ) throws -> [String] {
        ShellCommand.beginningAnew(
            "fanfare", try ShellCommandTests.arguments(["send"] + words, variables), besides: report
        )
    }

    @Test func `they list those who were reached, and leave them out`() throws {
        let words = [
            "rows.csv", "--alert", "it's on", "--report", "out/my day.csv.gz", "--resume",
            "--suppress", "a.csv",
            "--topic", "com.example.app",
        ]
        let found = try commands(words, report: "out/my day.csv.gz")
        #expect(
            found.first
                == "fanfare report 'out/my day.csv.gz' --select outcome=accepted,unregistered,unknown "
                + "--fields token --output 'out/my day-reached.csv'")
        let second = try #require(found.last)
        #expect(second.hasPrefix("fanfare send rows.csv "))
        for part in [
            #"--alert 'it'\''s on'"#, "--report 'out/my day-2.csv.gz'", "--topic com.example.app",
            "--suppress a.csv", "--suppress 'out/my day-reached.csv'",
        ] { #expect((second + " ").contains(" \(part) "), "\(part) in \(second)") }
        #expect(!second.contains("--resume") && found.count == 2)
    }

    @Test func `the list has those who have a message, or may have it, or can have none`() throws {
        let folder = try TemporaryFolder()
        let report = folder.path("it's.csv")
        let head =
            "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
            + "unregistered_at,sent_at\n"
        let lines = Outcome.allCases.enumerated().map { index, outcome in
            "\(index + 1),,\(outcome.name),apns,\(outcome.name),,,,0,,,\n"
        }
        try folder.write(head + lines.joined(), to: "it's.csv")
        let command = try #require(
            try commands(["rows.csv", "--alert", "x"], report: report).first)
        // As a shell reads it.
        let words = command.replacing(report.singleQuoted, with: "REPORT")
            .replacing(folder.path("it's-reached.csv").singleQuoted, with: "LIST")
            .split(separator: " ").dropFirst().map(String.init)
        let parsed = try ShellCommandTests.arguments(words)
        #expect(parsed.positionals == ["REPORT"])
        #expect(parsed.text(Options.Report.output) == "LIST")
        var settings = ReportExtract.Settings()
        settings.path = folder.path("list.csv")
        settings.filters = parsed[Options.Report.select]
        settings.columns = ["token"]
        _ = try ReportExtract.write([.file(report)], settings)
        #expect(
            try folder.read("list.csv").split(separator: "\n").sorted()
                == ["accepted", "token", "unknown", "unregistered"])
    }

    @Test func `what the environment says is said where it decides, and a shared job has none`()
        throws
    {
        let found = try commands(
            ["--alert", "x", "--", "-rows.csv"],
            ["FANFARE_SUPPRESS": "a.csv", "FANFARE_REPORT": "-r.csv"],
            report: "-r.csv")
        #expect(found.first?.contains("fanfare report ./-r.csv ") == true)
        for list in ["a.csv", "./-r-reached.csv"] {
            #expect(found.last?.contains("--suppress \(list)") == true, "\(found)")
        }
        #expect(found.last?.contains(" ./-rows.csv ") == true)
        let shared = [
            "rows.csv", "--alert", "x", "--cluster", "postgresql://db.example/push", "--job",
            "july",
        ]
        #expect(try commands(shared, report: "r.csv").isEmpty)
    }
}
