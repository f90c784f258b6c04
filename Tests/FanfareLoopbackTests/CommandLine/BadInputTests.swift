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
            result.expect(4, says: name, "is empty")
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

    @Test(arguments: [
        (name: "more.csv", text: "device\n1\n", says: "more.csv has no column 'token'"),
        ("more.csv", "", "more.csv has no usable header: it is empty"),
        ("more", "", "more is empty: neither a CSV header nor a row is in it"),
        ("more.csv", "token,\"name\n", "column 2 of the header has a quote that is never closed"),
        ("more.csv", "\u{1F}\u{8B}", "more.csv has no column 'token'"),
        ("more.csv", "[{\"token\":\"aa\"}]", "more.csv has no column 'token'"),
    ])
    func `what is wrong with a second file is told before anything is sent`(
        name: String, text: String, says: String
    ) throws {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.folder.write(text, to: name)
        try tool.send("rows.csv", name).expect(4, says: says)
        #expect(!tool.folder.exists("fanfare-report.csv"))
        // Mended, with the same command or with --resume.
        try tool.folder.write("token\n\(Rows.token(101))\n", to: name)
        try tool.send("rows.csv", name, "--resume").expect(0)
        try tool.report().expectEveryRowOnce(101)
    }

    @Test func `a second file whose compressed text is damaged is told before anything is sent`()
        throws
    {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.folder.write(
            Array(CompressedVectors.gzip[..<12]) + [UInt8](repeating: 0xFF, count: 50),
            to: "more.csv.gz")
        try tool.send("rows.csv", "more.csv.gz").expect(
            4, says: "more.csv.gz cannot be read: its gzip data is ")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test func `a JSON array is told from rows`() throws {
        for text in [
            "[{\"token\":\"\(Rows.token(1))\"}]", "[\n  {\"token\": \"\(Rows.token(1))\"}\n]\n",
        ] {
            try tool.folder.write(text, to: "rows.json")
            try tool.send("rows.json").expect(
                4, says: "rows.json has no column 'token'", "looks like a JSON array",
                "one object on each line")
        }
    }
}
