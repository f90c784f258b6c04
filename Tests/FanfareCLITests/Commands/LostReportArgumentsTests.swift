import Fanfare
import Testing

@testable import FanfareCLI

/// The options of `report` for the files of `--rows`.
@Suite struct LostReportArgumentsTests {
    private enum Unexpected: Error { case help }

    private static let lost = [
        "report", "/nowhere/r.csv", "--of", "host=/nowhere dbname=push/july", "--lost", "w",
        "--output", "/nowhere/lost",
    ]

    private func parse(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return arguments
    }

    @Test func `they are read as send reads them`() throws {
        let words = [
            "--no-header", "--columns", "id,tok", "--map", "token=tok", "--delimiter", ";",
            "--quotes", "ignored",
        ]
        var (ours, theirs) = (RowOptions(), RowOptions())
        try ours.readColumns(parse(Self.lost + ["--rows", "/nowhere/rows"] + words))
        theirs = try Configuration(rowsOf: parse(["send", "r.csv", "--alert", "x"] + words)).rows
        #expect(ours == theirs && ours.columns == ["id", "tok"] && !ours.hasHeader)
        #expect(ours.mapping == ["token": "tok"] && ours.delimiter == UInt8(ascii: ";"))
    }

    @Test(arguments: [["--map", "token=tok"], ["--delimiter", ";"], ["--quotes", "ignored"]])
    func `without files of rows they are refused`(words: [String]) {
        let error = #expect(throws: UsageError.self) { try parse(Self.lost + words) }
        #expect(error?.message.contains("needs --rows as well") == true)
    }

    @Test func `someone who wants columns of lines is told of the right option`() throws {
        let arguments = try parse(["report", "/nowhere/r.csv", "--columns", "token"])
        let error = #expect(throws: CommandError.self) { try ReportCommand.run(arguments) }
        guard case .usage(let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.message.hasSuffix("to choose columns of reports write --fields"))
    }

    @Test func `lines without tokens are told of`() {
        #expect(ReportCommand.remark(onTokens: 0).isEmpty)
        #expect(ReportCommand.remark(onTokens: nil).contains("which --rows would give them"))
        #expect(ReportCommand.remark(onTokens: 1).contains("One of the lines has no token"))
        #expect(ReportCommand.remark(onTokens: 4_000).contains("4,000 of the lines have no tokens"))
    }
}
