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
                0, says: "the payloads of own.csv: a row has no 'aps'", "'alert' belongs inside",
                "(row 1)")
    }

    @Test func `a check looks at the payloads of all rows, and names those with a mistake`() throws
    {
        let rows = (1...500).map { row in
            let payload =
                row.isMultiple(of: 100)
                ? #""{""aps"":{""alert"":""Hi {name}""}}""# : #""{""aps"":{""alert"":""x""}}""#
            return "\(Rows.token(row)),\(payload)\n"
        }
        try tool.folder.write("token,payload\n" + rows.joined(), to: "own.csv")
        let mistake = "the payloads of own.csv: a row has '{name}' in a text"
        try tool.run("check", "own.csv").expect(0, says: mistake, "(rows 100, 200, 300 and 2 more)")
        try tool.run("check", "own.csv", "--strict").expect(1, says: mistake)
    }

    @Test func `the first rows that lack a value are named`() throws {
        try tool.folder.write(
            "token,name\n\(Rows.token(1)),Ada\n\(Rows.token(2)),\n\(Rows.token(3)),\n",
            to: "names.csv")
        try tool.run("check", "names.csv", "--payload-json", #"{"aps":{"alert":"{{name|x}}"}}"#)
            .expect(0, says: "2 rows lack name (66.7 %): line 3, line 4")
    }

    @Test func `a choice that no row fits is no success if every row has to be accepted`() throws {
        try tool.folder.write("token,kind\n\(Rows.token(1)),premium\n", to: "kinds.csv")
        let said = "but no row was chosen: 1 excluded by kind=premum"
        try tool.send("kinds.csv", "--where", "kind=premum").expect(0, says: said)
        try tool.send("kinds.csv", "--where", "kind=premum", "--overwrite", "--strict")
            .expect(1, says: said)
        try tool.send(
            "kinds.csv", "--where", "kind=premum", "--overwrite", "--fail-if", "accepted<9%"
        )
        .expect(5, says: said, "Crossed: --fail-if accepted<9%, by 0 of 0 rows")
        try tool.send("kinds.csv", "--resume", "--strict").expect(0, says: "1 of 1 accepted")
    }

    @Test func `a start that fails leaves no empty summary`() throws {
        try tool.send("missing.csv", "--summary", "new.json").expect(4)
        #expect(!tool.folder.exists("new.json"))
        try tool.folder.write("", to: "old.json")
        try tool.send("missing.csv", "--summary", "old.json").expect(4)
        #expect(tool.folder.exists("old.json"))
    }

    @Test func `addresses that cannot be used are told before anything is sent`() throws {
        try tool.send("rows.csv", "--page", "0.0.0.0:9", "--metrics", "127.0.0.1:9").expect(
            2, says: "--metrics 127.0.0.1:9: --page 0.0.0.0:9 wants the same port")
        try tool.send("rows.csv", "--notify", "http://example.com").expect(
            2, says: "is not https, and in the clear only this machine is told")
        try tool.send("rows.csv", "--notify", "@nofile").expect(
            4, says: "--notify: nofile cannot be read")
        try tool.folder.write("whsec_abc=\n", to: "key")
        try tool.send(
            "rows.csv", "--notify", "http://127.0.0.1:9", "--notify-secret-file", "key"
        ).expect(2, says: "Base64 of 16 to 64 bytes; openssl rand -base64 32 makes one")
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
        try tool.send("rows.csv", "--fail-if", "accepted<75%").expect(0)
        try tool.send("rows.csv", "--overwrite", "--fail-if", "accepted<75.1%")
            .expect(5, says: "Crossed: --fail-if accepted<75.1%, by 3 of")
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
