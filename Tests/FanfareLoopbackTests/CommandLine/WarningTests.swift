import FanfareTestSupport
import Testing

/// Warnings before the wrong text goes to all people, and places where a message should help.
@Suite struct WarningTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
    }

    @Test(arguments: [["check"], ["send", "--provider", "simulator"]])
    func `a payload that says nothing is warned of before it is sent`(command: [String]) throws {
        try tool.folder.write(
            #"{"aps":{"content_available":1,"alert":"Hi {name}"}}"#, to: "payload.json")
        let result = try tool.run(
            command + ["rows.csv", "--topic", "com.example.app", "--payload", "payload.json"])
        result.expect(
            0, says: "fanfare: warning: payload.json has 'content_available' in 'aps'",
            "did you mean 'content-available'?", "has '{name}' in a text")
        let strict = try tool.run("check", "rows.csv", "--payload", "payload.json", "--strict")
        strict.expect(1)
    }

    @Test func `the payloads of rows are looked at, too`() throws {
        try tool.folder.write(
            "token,payload\n\(Rows.token(1)),\"{\"\"alert\"\":\"\"x\"\"}\"\n", to: "own.csv")
        try tool.run("check", "own.csv")
            .expect(
                0, says: "the payloads of own.csv: a row has no 'aps'", "'alert' belongs inside")
    }

    @Test func `a text that a phone cuts off is told with the row that has the longest`() throws {
        try tool.folder.write(
            "token,name\n\(Rows.token(1)),Ada\n\(Rows.token(2)),"
                + String(repeating: "x", count: 60) + "\n", to: "long.csv")
        try tool.run(
            "check", "long.csv", "--payload-json", #"{"aps":{"alert":{"title":"Hi {{name}}"}}}"#,
            "--html", "check.html"
        ).expect(
            0,
            says: "the payloads of long.csv: the title of row 2 has 63 characters, and an iPhone "
                + "shows about 50")
        let page = tool.folder.text(of: "check.html")
        #expect(page.contains("Hi Ada"))
        #expect(page.contains("Nothing was sent."))
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test func `programs that read JSON get nothing else`() throws {
        let result = try tool.run(
            "send", "rows.csv", "--provider", "simulator", "--topic", "com.example.app",
            "--payload-json", #"{"alert":"x"}"#, "--progress", "json")
        #expect(!result.errors.contains("warning"))
    }

    @Test func `messages say what to do`() throws {
        try tool.folder.write("{\n  \"aps\": {,}\n}", to: "bad.json")
        try tool.run("check", "rows.csv", "--payload", "bad.json")
            .expect(2, says: "bad.json is not a JSON object: not valid JSON at line 2")
        try tool.run("check", "rows.csv", "--payload", "nopay.json")
            .expect(4, says: "nopay.json cannot be read: no such file or directory")
        // A bare URL is the endpoint.
        try tool.run("bench", "https://127.0.0.1:1").expect(
            3, says: "no connection to the provider")
        try tool.send("rows.csv", "--metrics", "80").expect(2, says: "--metrics 127.0.0.1:80")
        try tool.send("rows.csv", "--out", "x.csv").expect(2, says: "did you mean --report?")
        try tool.send("rows.csv", "--dry-run").expect(2, says: "'fanfare check'")
        try tool.send("rows.csv", "--stop-if", "suspect")
            .expect(2, says: "in quotes, because a shell takes > for itself")
    }

    @Test func `too few accepted rows are a failure if that is asked for`() throws {
        try tool.folder.write(Rows.csv(3) + "not-a-token\n", to: "rows.csv")
        try tool.send("rows.csv", "--fail-if", "accepted<100%").expect(0)
        try tool.send("rows.csv", "--overwrite", "--fail-if", "accepted<4")
            .expect(5, says: "Crossed: --fail-if accepted<4, by 3 of")
        try tool.send("rows.csv", "--overwrite", "--stop-if", "invalid:0").expect(3)
    }

    @Test func `a report for a spreadsheet has no formulas`() throws {
        let names = ["=1+1", "+1", "-1", "@SUM(A1)", "\"\"\"=x,\"\"\"", "a=b"]
        var rows = "token,name\n"
        for (row, name) in names.enumerated() { rows += "\(Rows.token(row + 1)),\(name)\n" }
        try tool.folder.write(rows, to: "rows.csv")
        try tool.send("rows.csv", "--carry", "name", "--ordered").expect(0)
        let result = try tool.run(
            "report", "fanfare-report.csv", "--fields", "row,name", "--spreadsheet")
        #expect(
            result.output
                == "row,name\n1,'=1+1\n2,'+1\n3,'-1\n4,'@SUM(A1)\n5,\"\"\"=x,\"\"\"\n6,a=b\n")
        try tool.run("report", "fanfare-report.csv", "--spreadsheet", "--output-format", "ndjson")
            .expect(2, says: "--spreadsheet is for CSV")
    }

    @Test func `a plan counts the hours at which rows may be sent`() throws {
        try tool.run(
            "check", "rows.csv", "--alert", "hi", "--window", "00:00-24:00", "--timezone", "UTC",
            "--rate", "1/s"
        ).expect(0, says: "UTC: 3 rows, from", "the last about", "done about", "here, at that rate")
    }
}
