import FanfareTestSupport
import Testing

/// Files that cannot be used as rows: exit 4, and a message with the file, the reason and the way
/// out; nothing is sent.
@Suite struct BadInputTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    @Test func `a missing file`() throws {
        try tool.send("nowhere.csv")
            .expect(4, says: "nowhere.csv cannot be read", "no such file or directory")
        #expect(!tool.folder.exists("fanfare-report.csv"), "no report of what never began")
    }

    @Test func `a directory`() throws {
        try tool.send(".").expect(4, says: ". cannot be read", "directory")
    }

    @Test func `a header without a token column`() throws {
        try tool.folder.write("device,name\n\(Rows.token(1)),Ann\n", to: "rows.csv")
        try tool.send("rows.csv")
            .expect(
                4, says: "rows.csv has no column 'token'", "device, name", "--map token=NAME")
    }

    @Test(arguments: ["rows.csv", "rows.ndjson", "rows"])
    func `an empty file`(name: String) throws {
        try tool.folder.write("", to: name)
        let result = try tool.send(name)
        if name == "rows.ndjson" {
            // No line is no row: there is nothing that could be missing.
            result.expect(0)
            try tool.report().expectEveryRowOnce(0)
        } else {
            result.expect(4, says: name, name == "rows" ? "is empty" : "no header row")
        }
    }

    @Test func `a header and no rows is a finished job`() throws {
        try tool.folder.write("token\n", to: "rows.csv")
        try tool.send("rows.csv").expect(0, says: "Finished")
        try tool.report().expectEveryRowOnce(0)
    }

    /// What gzip(1) made of three rows and a header, without its last bytes.
    @Test(arguments: ["rows.csv.gz", "rows.csv"])
    func `a compressed file that is cut off stops the job behind its rows`(name: String) throws {
        let whole = CompressedVectors.gzip[..<53]
        try tool.folder.write(Array(whole.dropLast(4)), to: name)
        try tool.send(name, "--no-validate").expect(
            4, says: "\(name) cannot be read on after row 3: its gzip data is cut off",
            "Stopped after")
        try tool.report().expectEveryRowOnce(3)
        try tool.folder.write(Array(whole), to: name)
        try tool.send(name, "--no-validate", "--resume").expect(2, says: "has changed since then")
    }

    @Test func `a second file that is missing is told before anything is sent`() throws {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.send("rows.csv", "nowhere.csv")
            .expect(4, says: "nowhere.csv cannot be read", "no such file or directory")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test func `a second file without a token column stops the job behind the first`() throws {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.folder.write("device\n\(Rows.token(101))\n", to: "more.csv")
        try tool.send("rows.csv", "more.csv")
            .expect(4, says: "Stopped after", "more.csv has no column 'token'")
        let report = try tool.report()
        report.expectEveryRowOnce(100)
        #expect(report.outcomes == ["accepted": 100])
    }
}
