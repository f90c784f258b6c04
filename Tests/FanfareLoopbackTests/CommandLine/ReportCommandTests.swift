import Foundation
import Testing

/// `report`, and the page of `send`, on what a job has left.
@Suite struct ReportCommandTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        let rows = (1...300).map { "\(Rows.token($0)),u\($0)\n" }.joined()
        try tool.folder.write("token,id\n" + rows, to: "rows.csv")
        try tool.folder.write(
            #"{"rules":[{"when":{"everyNth":3},"then":{"status":410,"reason":"Unregistered"}}]}"#,
            to: "scenario.json")
    }

    private func send(_ arguments: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["send", "rows.csv", "--simulator-scenario", "scenario.json"] + arguments
                + CommandLineTool.simulator)
    }

    @Test func `the totals are those of the job`() throws {
        try send("--report", "r.csv.gz", "--summary", "s.json").expect(0)
        let result = try tool.run("report", "r.csv.gz", "--json")
        result.expect(0)
        func counts(_ text: String) throws -> [String: Int] {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let members = try #require(object as? [String: Any])
            return try #require(members["outcomes"] as? [String: Int])
        }
        let told = try counts(result.output)
        #expect(told["unregistered"] == 100 && told["accepted"] == 200)
        #expect(try counts(tool.folder.read("s.json")) == told)
    }

    @Test func `dead tokens come out as a list`() throws {
        try send("--report", "r.ndjson", "--unregistered", "dead.csv").expect(0)
        let result = try tool.run(
            "report", "r.ndjson", "--select", "outcome=unregistered", "--fields",
            "token,unregistered_at")
        result.expect(0)
        #expect(result.output == (try tool.folder.read("dead.csv")))
    }

    @Test func `a job compared with itself has not changed`() throws {
        try send("--report", "r.csv").expect(0)
        for key in ["row", "id", "token"] {
            let result = try tool.run("report", "--compare", "r.csv", "r.csv", "--match", key)
            result.expect(0)
            let fields = result.output.split { " \n".contains($0) }
            #expect(fields.suffix(2) == ["changed", "0"])
        }
        try tool.run("report", "--compare", "r.csv").expect(2, says: "two reports")
    }

    @Test func `a page has the job's numbers and no token`() throws {
        try send("--report", "r.csv", "--html", "job.html").expect(0)
        try tool.run("report", "r.csv", "--html", "report.html").expect(0)
        for name in ["job.html", "report.html"] {
            let page = try tool.folder.read(name)
            #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
            #expect(page.contains("410 Unregistered") && page.contains("66.7 %"))
            #expect(page.utf8.count < 300_000)
            for row in 1...300 { #expect(!page.contains(Rows.token(row))) }
        }
        let page = try tool.folder.read("job.html")
        // Drawings over time depend on how long the job took.
        #expect(page.contains("com.example.app"))
    }

    @Test func `a page replaces no input and no other output`() throws {
        try send("--html", "rows.csv").expect(2, says: "would replace rows.csv", "--html")
        try send("--summary", "x", "--html", "x").expect(
            2, says: "--summary and --html name the same file")
        try send("--report", "r.csv").expect(0)
        try tool.run("report", "r.csv", "--html", "-", "--json").expect(2, says: "takes one thing")
        try tool.run("report", "r.csv", "--html", "r.csv").expect(2, says: "would replace r.csv")
        try tool.report("r.csv").expectEveryRowOnce(300)
    }

    @Test func `what is no report ends with code 4`() throws {
        try tool.run("report", "rows.csv").expect(4, says: "rows.csv is no report")
        try tool.run("report", "nothing.csv").expect(4, says: "nothing.csv")
        try tool.run("report").expect(2, says: "a report is missing")
    }

    @Test func `a mistyped column names the one that was meant`() throws {
        try send("--report", "r.csv").expect(0)
        try tool.run("report", "r.csv", "--select", "outcom=accepted")
            .expect(2, says: "did you mean 'outcome'")
    }

    @Test func `a torn last line is told, and the rest counted`() throws {
        try send("--report", "r.csv").expect(0)
        let text = try tool.folder.read("r.csv")
        try tool.folder.write(String(text.dropLast(30)), to: "torn.csv")
        let result = try tool.run("report", "torn.csv", "--json")
        result.expect(0, says: "torn.csv: line 301 is not whole")
        #expect(result.output.contains(#""lines": 299"#))
    }
}
