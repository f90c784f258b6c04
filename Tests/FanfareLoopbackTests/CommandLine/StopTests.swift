import FanfareSimulator
import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

/// The ends of jobs that do not send what they should, and the files that they leave behind.
@Suite struct StopTests {
    private let tool: CommandLineTool
    private static let simulator = ["--provider", "simulator", "--alert", "hi"]

    init() throws {
        tool = try CommandLineTool()
    }

    // MARK: Nothing was accepted

    @Test func `a job of which no row was accepted is no success`() throws {
        try tool.folder.write("token\nnot-a-token\nnor-is-this\n", to: "rows.csv")
        try tool.send("rows.csv").expect(1, says: "but no row was accepted")
    }

    @Test func `a rehearsal of which no row could be sent is no success`() throws {
        try tool.folder.write("token\nnot-a-token\n", to: "rows.csv")
        try tool.run("check", "rows.csv", "--alert", "hi")
            .expect(1, says: "but no row could be sent")
        try tool.folder.write(Rows.csv(1), to: "rows.csv")
        try tool.run("check", "rows.csv", "--alert", "hi").expect(0)
    }

    @Test func `a job that has only rows to leave out has nothing to do`() throws {
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
        try tool.send("rows.csv", "--suppress", "rows.csv").expect(0, says: "token is suppressed")
    }

    // MARK: No topic

    /// The options of a user who signs with a key.
    private func key() throws -> [String] {
        try SelfSignedAuthority(names: ["localhost"]).identity
            .writePEM(to: tool.folder.path("AuthKey_ABC123DEFG.p8"))
        return Self.simulator + [
            "--key", "AuthKey_ABC123DEFG.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ",
        ]
    }

    @Test func `a job without a topic anywhere does not begin`() throws {
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
        try tool.folder.write(Rows.csv(3), to: "more.csv")
        try tool.run(["send", "rows.csv", "more.csv"] + key())
            .expect(2, says: "no row would have a topic", "--topic BUNDLE-ID", "--map topic=NAME")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test(arguments: ["topic", "bundle_id", "app"])
    func `a topic in a column of one input is enough to begin`(column: String) throws {
        try tool.folder.write(Rows.csv(1), to: "rows.csv")
        try tool.folder.write("token,\(column)\n\(Rows.token(2)),com.example.app\n", to: "more.csv")
        let map = column == "app" ? ["--map", "topic=app"] : []
        let inputs = column == "app" ? ["more.csv"] : ["rows.csv", "more.csv"]
        try tool.run(["send"] + inputs + map + key()).expect(0)
    }

    @Test func `NDJSON may have a topic further on`() throws {
        try tool.folder.write(
            "{\"token\":\"\(Rows.token(1))\"}\n"
                + "{\"token\":\"\(Rows.token(2))\",\"topic\":\"com.example.app\"}\n",
            to: "rows.ndjson")
        try tool.run(["send", "rows.ndjson"] + key()).expect(0)
        #expect(try tool.report().outcomes == ["invalid": 1, "accepted": 1])
    }

    // MARK: Never there

    @Test(arguments: [[], ["--window", "0:00-24:00", "--timezone", "UTC"]] as [[String]])
    func `a job that never reached its provider can be begun again`(window: [String]) throws {
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
        let command = [
            "send", "rows.csv", "--endpoint", "https://no-such-host.invalid:1", "--alert", "hi",
            "--unregistered", "dead.csv", "--retry-rows", "again.csv", "--no-proxy",
        ]
        for _ in 1...2 {
            try tool.run(command + window).expect(
                3, says: "no connection to the provider", "no report is left",
                "the same command begins anew")
            for name in [
                "fanfare-report.csv", "fanfare-report.csv.checkpoint", "dead.csv", "again.csv",
            ] {
                #expect(!tool.folder.exists(name), "\(name) is left")
            }
        }
        // The option --resume does the same.
        try tool.send("rows.csv", "--resume").expect(0)
    }

    // MARK: What to do

    @Test func `a refusal says what to do, and the log keeps a token back`() throws {
        let token = Rows.token(1)
        try tool.folder.write(
            #"{"rules":[{"name":"r","then":{"status":403,"reason":"\#(token) is blocked"}}]}"#,
            to: "echo.json")
        try tool.folder.write(
            #"{"rules":[{"name":"r","then":{"status":403,"reason":"InvalidProviderToken"}}]}"#,
            to: "key.json")
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
        try tool.send("rows.csv", "--simulator-scenario", "key.json").expect(
            3, says: "403 InvalidProviderToken to row", "To do: Check that --key-id is the key's")
        try tool.send("rows.csv", "--simulator-scenario", "echo.json", "--log", "log.ndjson")
            .expect(3, says: "is blocked", "To do: Check --key")
        let log = tool.folder.text(of: "log.ndjson")
        #expect(log.contains("the provider answered 403 other to row"), "\(log)")
        #expect(!log.contains(token), "\(log)")
    }

    /// 800 values of 4 MiB are in a file of 20 KB; the program has 192 MiB for databases.
    @Test func `a small database does not take all memory`() throws {
        let columns = Array(repeating: "zeroblob(4194304)", count: 400).joined(separator: ", ")
        let view =
            "CREATE VIEW v AS SELECT token FROM (SELECT 'a' AS token, \(columns) "
            + "UNION ALL SELECT 'b', \(columns) LIMIT 5)"
        let sqlite = try ChildProcess(
            "/usr/bin/sqlite3", [tool.folder.path("large.db"), view], directory: tool.folder.path)
        try #require(sqlite.waitUntilExit(seconds: 30) == 0)
        try tool.run("check", "--from-sqlite", "large.db", "--table", "v", "--alert", "hi")
            .expect(4, says: "it takes more memory than SQLite is given here")
    }

    // MARK: Words of others

    /// True if a text has what a terminal would obey.
    private func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
        }
    }

    @Test func `names in files and databases do not steer the terminal`() throws {
        let evil = "\u{1B}]0;pwned\u{7}\u{1B}[31mX\u{9B}2J\u{202E}"
        let database = tool.folder.path("evil.db")
        let sqlite = try ChildProcess(
            "/usr/bin/sqlite3", [database, "CREATE VIEW rows AS SELECT token FROM \"\(evil)\""],
            directory: tool.folder.path)
        try #require(sqlite.waitUntilExit(seconds: 30) == 0)
        try tool.folder.write("\(evil),token\n1,2\n", to: "rows.csv")
        try tool.folder.write("\(evil)\n1\n", to: "no-token.csv")
        for arguments in [
            ["check", "--from-sqlite", "evil.db", "--table", "rows", "--alert", "hi"],
            ["check", "rows.csv", "--alert", "{{nme}}"],
            ["check", "no-token.csv", "--alert", "hi"],
            ["check", "no-\(evil).csv", "--alert", "hi"], ["check", "--\(evil)"],
            ["explain", evil], ["report", evil],
        ] {
            let result = try tool.run(arguments)
            #expect(result.exitCode != 0)
            #expect(!steers(result.errors), "\(result.errors.debugDescription)")
        }
    }
}
