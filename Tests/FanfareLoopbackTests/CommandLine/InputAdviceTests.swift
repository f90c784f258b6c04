import FanfareTestSupport
import Testing

/// Small things about inputs and options: what is harmless is taken, and what is not says why.
@Suite struct InputAdviceTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Editors of Windows write it.
    @Test func `a byte order mark before a payload and before options is passed over`() throws {
        try tool.folder.write(Self.mark + Array(#"{"aps":{"alert":"hi"}}"#.utf8), to: "p.json")
        try tool.folder.write(Self.mark + Array(#"{"topic":"com.example.app"}"#.utf8), to: "c.json")
        try tool.run(
            "send", "rows.csv", "--provider", "simulator", "--payload", "p.json", "--config",
            "c.json"
        ).expect(0)
        try tool.report().expectEveryRowOnce(10)
    }

    @Test func `a column cannot be read from two`() throws {
        try tool.send("rows.csv", "--map", "token=a", "--map", "token=b")
            .expect(2, says: "--map: reads 'token' from 'a' and from 'b'")
        try tool.folder.write("a,b\n\(Rows.token(1)),1\n", to: "other.csv")
        try tool.send("other.csv", "--map", "token=a", "--map", "token=a", "--map", "id=b")
            .expect(0)
    }

    @Test(arguments: [("list", ""), ("list", "\n\r\n"), ("list.csv", ""), ("list.csv", "\u{FEFF}")])
    func `an empty list keeps no device from being sent to`(name: String, text: String) throws {
        try tool.folder.write(text, to: name)
        try tool.send("rows.csv", "--suppress", name)
            .expect(0, says: "\(name) is empty: it keeps no device from being sent to")
        #expect(try tool.report().outcomes == ["accepted": 10])
    }

    @Test func `a list with a header and no tokens says so, too`() throws {
        try tool.folder.write("token\n", to: "list.csv")
        try tool.send("rows.csv", "--suppress", "list.csv").expect(0)
        #expect(try tool.report().outcomes == ["accepted": 10])
    }

    @Test func `parts that are too small name the least`() throws {
        try tool.send("rows.csv", "--report-split", "1KB")
            .expect(2, says: "--report-split: 1KB is less than", "100KB is the least")
    }

    /// All outcomes are there before the database is made.
    @Test func `more columns than a database has are told before anything is sent`() throws {
        let names = (0..<989).map { "c\($0)" }
        try tool.folder.write(
            "token,\(names.joined(separator: ","))\n\(Rows.token(1))\(String(repeating: ",x", count: 989))\n",
            to: "wide.csv")
        try tool.send("wide.csv", "--report", "o.sqlite", "--carry", names.joined(separator: ","))
            .expect(2, says: "1000 columns at most", "1001", "--carry")
        #expect(!tool.folder.exists("o.sqlite.csv"))
        let fewer = names.dropLast().joined(separator: ",")
        try tool.send("wide.csv", "--report", "o.sqlite", "--carry", fewer).expect(0)
        // As wide as it is it is read again.
        let digest = try tool.run("report", "o.sqlite")
        digest.expect(0)
        #expect(digest.output.contains("accepted"))
        try tool.run("report", "--compare", "o.sqlite", "o.sqlite").expect(0)
        try tool.run("report", "o.sqlite", "--select", "c7=x", "--output", "x.csv").expect(0)
        #expect(tool.folder.text(of: "x.csv").split(separator: "\n").count == 2)
    }

    /// The text in place of the byte is another file's name, or a text for people.
    @Test(arguments: [
        #"cp rows.csv "$n"; exec "$0" send "$n" "$@""#,
        #"exec "$0" send rows.csv "$@" --alert "$n""#,
        #"exec "$0" report "$n""#,
    ])
    func `an argument that is no text is told as such`(line: String) throws {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", #"n=$(printf 'r\377.csv'); "# + line]
                + [CommandLineTool.path] + CommandLineTool.simulator,
            output: tool.folder.path("out"), errors: tool.folder.path("err"),
            directory: tool.folder.url.path)
        #expect(process.waitUntilExit() == 2)
        let text = tool.folder.text(of: "err").replacing("\n", with: " ")
        #expect(text.contains("is not UTF-8; write it in UTF-8"))
    }
}
