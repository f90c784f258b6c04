import FanfareTestSupport
import Foundation
import Testing

/// Jobs whose rows get one of several payloads.
@Suite struct PayloadChoiceRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        let rows = (1...900).map { "\(Rows.token($0)),\(["de", "fr", "en"][$0 % 3])\n" }
        try tool.folder.write("token,locale\n" + rows.joined(), to: "rows.csv")
        for name in ["a", "b"] {
            try tool.folder.write(#"{"aps":{"alert":"\#(name)"}}"#, to: "\(name).json")
        }
    }

    private func send(_ arguments: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["send", "rows.csv"] + arguments
                + [
                    "--provider", "simulator", "--topic", "com.example.app", "--progress", "plain",
                    "--summary", "summary.json", "--html", "job.html",
                ])
    }

    @Test func `the report names the payload of each row`() throws {
        try send("--payload-by", "locale:de=a.json,*=b.json").expect(
            0, says: "by variant", "900 of 900 accepted")
        let report = try tool.report()
        report.expectEveryRowOnce(900)
        #expect(report.columns.last == "variant")
        #expect(report.lines.count { $0["variant"] == "de" } == 300)
        #expect(report.lines.count { $0["variant"] == "*" } == 600)
        #expect(tool.folder.text(of: "job.html").contains("Rows by variant"))
    }

    @Test func `a value that no row had is told at the end`() throws {
        try send("--payload-by", "locale:de=a.json,es=a.json,*=b.json").expect(
            0, says: "--payload-by: no row has got the payload for 'es' of locale")
        try tool.run(
            "check", "rows.csv", "--payload-by", "locale:de=a.json,es=a.json,it=b.json,*=b.json"
        ).expect(0, says: "no row has got the payload for 'es', 'it' of locale")
        try send("--overwrite", "--payload-by", "locale:*=b.json,de=a.json").expect(
            2, says: "no row gets the payload for 'de', because '*' before it")
    }

    @Test func `shares that cannot be meant are told`() throws {
        try send("--variant", "A=a.json:50", "--variant", "B=b.json").expect(
            2, says: "has a share without its %", "A=a.json:50%")
        try send("--variant", "A=a.json:100%", "--variant", "B=b.json").expect(
            2, says: "B: nothing is left for it, because the shares of the others are 100% together"
        )
    }

    @Test func `a job of variants is carried on with the same ones, and counts all rows`() throws {
        let variants = ["--variant", "A=a.json:50%", "--variant", "B=b.json"]
        try tool.run(
            ["send", "rows.csv"] + variants
                + ["--limit", "300"]
                + CommandLineTool.simulator.filter { $0 != "--alert" && $0 != "hi" }
        ).expect(0, says: "by variant")
        let first = try tool.report().lines.reduce(into: [:]) {
            $0[$1["row"] ?? ""] = $1["variant"]
        }
        try send("--resume", "--variant", "A=b.json:50%", "--variant", "B=a.json")
            .expect(2, says: "the payload is not the one of then")
        try send("--resume", "--variant", "A=a.json:50%", "--variant", "B=b.json:50%").expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(900)
        for line in report.lines where first[line["row"] ?? ""] != nil {
            #expect(line["variant"] == first[line["row"] ?? ""])
        }
        struct Summary: Decodable {
            struct Group: Decodable {
                var value: String
                var rows: Int
            }
            struct Variants: Decodable { var groups: [Group] }
            var variants: Variants
        }
        let summary = try JSONDecoder().decode(
            Summary.self, from: Data(tool.folder.text(of: "summary.json").utf8))
        #expect(summary.variants.groups.map(\.value) == ["A", "B"])
        for group in summary.variants.groups {
            #expect(report.lines.count { $0["variant"] == group.value } == group.rows)
            // Five standard deviations of 900 rows.
            #expect(abs(group.rows - 450) < 75)
        }
        let by = try tool.run("report", "fanfare-report.csv", "--by", "variant", "--json")
        #expect(by.exitCode == 0 && by.output.contains("\"column\": \"variant\""))
    }

    @Test func `a report is counted by any column`() throws {
        try send("--payload", "a.json", "--carry", "locale").expect(0)
        let result = try tool.run("report", "fanfare-report.csv", "--by", "locale")
        #expect(result.exitCode == 0)
        for locale in ["de", "en", "fr"] {
            let line = try #require(
                result.output.split(separator: "\n").first { $0.hasPrefix("  \(locale) ") })
            #expect(line.contains("300") && line.contains("100.0 %"))
        }
        try tool.run("report", "fanfare-report.csv", "--by", "local").expect(
            4, says: "has no column 'local'; did you mean 'locale'?")
    }

    @Test func `files of options name payloads beside them`() throws {
        try FileManager.default.createDirectory(
            atPath: tool.folder.path("texts"), withIntermediateDirectories: true)
        for name in ["a", "b"] {
            try FileManager.default.moveItem(
                atPath: tool.folder.path("\(name).json"),
                toPath: tool.folder.path("texts/\(name).json"))
        }
        try tool.folder.write(
            #"{"payload-by": "locale:de=a.json,*=b.json"}"#, to: "texts/options.json")
        try send("--config", "texts/options.json").expect(0, says: "by variant")
    }

    @Test(
        arguments: [
            (["--payload-by", "de=a.json"], "does not begin with a column"),
            (["--payload-by", "locale:de"], "a part that is not VALUE=FILE"),
            (["--payload-by", "locale:de=a.json,de=b.json"], "names the value 'de' twice"),
            (["--variant", "A=a.json:0%"], "is the share of no row"),
            (["--variant", "A=a.json:50%"], "the shares are 50% together"),
            (["--variant", "a.json"], "is not NAME=FILE:SHARE%"),
            (["--variant-seed", "7", "--alert", "hi"], "--variant"),
            (["--variant", "A=a.json", "--payload", "b.json"], "--payload"),
        ] as [([String], String)])
    func `a choice that makes no sense is told before anything is sent`(
        words: [String], message: String
    ) throws {
        try tool.run(
            ["send", "rows.csv", "--provider", "simulator", "--topic", "com.example.app"] + words
        ).expect(2, says: message)
    }
}
