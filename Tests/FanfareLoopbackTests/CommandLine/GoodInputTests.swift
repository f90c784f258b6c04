import FanfareTestSupport
import Testing

/// The ways in which rows can be written and found.
@Suite struct GoodInputTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    private func expectAccepted(_ count: Int, _ result: CommandLineTool.Result) throws {
        result.expect(0, says: "Finished", "accepted")
        let report = try tool.report()
        report.expectEveryRowOnce(count)
        #expect(report.outcomes == ["accepted": count])
        for row in [1, count] {
            #expect(try report.line(row)["token"] == Rows.token(row))
        }
    }

    @Test func `several files are numbered through in their order`() throws {
        for file in 0..<3 {
            let rows = (1...100).map { Rows.token(100 * file + $0) + "\n" }.joined()
            try tool.folder.write("token\n" + rows, to: "rows\(file).csv")
        }
        try expectAccepted(300, try tool.send("rows0.csv", "rows1.csv", "rows2.csv"))
        let report = try tool.report()
        #expect(report.lines.allSatisfy { $0["token"] == Rows.token(Int($0["row"]!)!) })
    }

    @Test(arguments: [["-"], []])
    func `standard input is read when it is asked for, and when no file is named`(
        names: [String]
    ) throws {
        try expectAccepted(
            100, try tool.run(["send"] + names + CommandLineTool.simulator, input: Rows.csv(100)))
    }

    @Test(arguments: ["gzip", "zstd"], ["-", "rows"])
    func `compressed rows come from standard input and from files, and go to a report`(
        format: String, name: String
    ) throws {
        let bytes = format == "gzip" ? CompressedVectors.gzip : CompressedVectors.zstd
        let path = try tool.folder.write(bytes, to: "rows")
        let result = try CommandLineTool.Run(
            [
                "check", name, "--no-validate", "--report", "r.csv.gz", "--alert", "hi", "--topic",
                "com.example.app",
            ],
            folder: tool.folder, input: name == "-" ? path : "/dev/null"
        ).end()
        result.expect(0, says: "12")
        let command = try #require(Executable.path("gzip"), "gzip is not installed")
        let process = try ChildProcess(
            command, ["-d", "r.csv.gz"], directory: tool.folder.url.path)
        #expect(process.waitUntilExit() == 0)
        try tool.report("r.csv").expectEveryRowOnce(12)
    }

    @Test func `standard input of NDJSON is recognized`() throws {
        let rows = (1...100).map { #"{"token":"\#(Rows.token($0))"}"# + "\n" }.joined()
        try expectAccepted(100, try tool.send("-", input: rows))
    }

    @Test func `a file without a header takes its columns from the command line`() throws {
        let rows = (1...100).map { "Ann,\(Rows.token($0))\n" }.joined()
        try tool.folder.write(rows, to: "rows.csv")
        try expectAccepted(
            100, try tool.send("rows.csv", "--no-header", "--columns", "name,token"))
    }

    @Test func `a column may have another name`() throws {
        let rows = Rows.csv(100).replacing("token\n", with: "device_token\n")
        try tool.folder.write(rows, to: "rows.csv")
        try expectAccepted(100, try tool.send("rows.csv", "--map", "token=device_token"))
    }

    @Test func `CRLF and a byte order mark are not part of the rows`() throws {
        let rows = "\u{FEFF}" + Rows.csv(100).replacing("\n", with: "\r\n")
        try tool.folder.write(rows, to: "rows.csv")
        try expectAccepted(100, try tool.send("rows.csv"))
    }

    @Test(arguments: ["\t", ";", "|"])
    func `other delimiters are found in the header`(delimiter: String) throws {
        let rows = (1...100).map { "Ann\(delimiter)\(Rows.token($0))\n" }.joined()
        let name = delimiter == "\t" ? "rows.tsv" : "rows.csv"
        try tool.folder.write("name\(delimiter)token\n" + rows, to: name)
        try expectAccepted(100, try tool.send(name))
    }

    @Test func `a last line without its end counts`() throws {
        try tool.folder.write(String(Rows.csv(100).dropLast()), to: "rows.csv")
        try expectAccepted(100, try tool.send("rows.csv"))
    }

    @Test func `generated rows go through a pipe`() throws {
        let generated = try tool.run("generate", "--count", "2k", "--seed", "7")
        generated.expect(0)
        let result = try tool.send("-", input: generated.output)
        result.expect(0)
        try tool.report().expectEveryRowOnce(2_000)
        let again = try tool.run("generate", "--count", "2k", "--seed", "7")
        #expect(again.output == generated.output)
    }

    @Test func `the report goes to standard output, and nothing else does`() throws {
        let result = try tool.send(
            "--report", "-", "--carry", "name", input: "token,name\n\(Rows.token(1)),\"A, B\"\n")
        result.expect(0, says: "accepted")
        let report = try Report(csv: result.output)
        report.expectEveryRowOnce(1)
        #expect(
            report.columns == [
                "row", "id", "token", "provider", "outcome", "status", "reason", "message_id",
                "attempts", "latency_ms", "unregistered_at", "sent_at", "name",
            ])
        #expect(try report.line(1)["name"] == "A, B")
    }
}
