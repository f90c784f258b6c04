import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// `check`, `push`, `generate` and `simulate`.
@Suite struct OtherCommandTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    // MARK: check

    @Test(arguments: ["csv", "ndjson"])
    func `check finds the rows that cannot be sent`(format: String) throws {
        let good = (1...1_000).map { Rows.token($0) }
        let tokens = good[..<500] + ["nothing"] + good[500...]
        let text =
            format == "csv"
            ? "token\n" + tokens.joined(separator: "\n") + "\n"
            : tokens.map { #"{"token":"\#($0)"}"# }.joined(separator: "\n") + "\n"
        try tool.folder.write(text, to: "rows.\(format)")
        try tool.run("check", "rows.\(format)", "--alert", "hi", "--report", "check.csv")
            .expect(0, says: "token is", "1,000", "1,001")
        let report = try tool.report("check.csv")
        report.expectEveryRowOnce(1_001)
        #expect(report.outcomes == ["skipped": 1_000, "invalid": 1])
        #expect(try report.line(501)["outcome"] == "invalid")
        try tool.run("check", "rows.\(format)", "--alert", "hi", "--strict").expect(1)
        #expect(!tool.folder.exists("fanfare-report.csv"), "check writes one when asked")
    }

    @Test func `check says what is wrong with a file`() throws {
        try tool.run("check", "nowhere.csv", "--alert", "hi").expect(4, says: "nowhere.csv")
    }

    /// A token of the form that FCM gives out.
    private static func fcm(_ beginning: String) -> String {
        beginning + ":APA91b" + String(repeating: "x", count: 130)
    }

    @Test func `check asks FCM, and cleans a list without sending anything`() throws {
        let tokens = ["good1", "dead1", "good2"].map(Self.fcm)
        try tool.folder.write(
            "token,os\n" + tokens.map { "\($0),android\n" }.joined() + "\(Rows.token(1)),ios\n",
            to: "rows.csv")
        try tool.folder.write(
            #"{"rules":[{"when":{"provider":"fcm","tokenPrefix":"dead"},"then":{"status":404}}]}"#,
            to: "scenario.json")
        let result = try tool.run(
            "check", "rows.csv", "--online", "--provider", "apns,fcm,simulator",
            "--simulator-scenario", "scenario.json", "--unregistered", "dead.csv", "--report",
            "check.csv")
        result.expect(
            0, says: "3 of 4 valid", "404 UNREGISTERED", "Tokens to delete: dead.csv",
            "Rows for apns were checked here only: APNs cannot be asked.")
        let report = try tool.report("check.csv")
        report.expectEveryRowOnce(4)
        #expect(report.outcomes == ["skipped": 3, "unregistered": 1])
        let dead = tool.folder.text(of: "dead.csv").split(separator: "\n")
        #expect(dead.count == 2 && dead.last?.hasPrefix(tokens[1]) == true)
        try tool.run(
            "check", "rows.csv", "--online", "--provider", "apns,fcm,simulator",
            "--simulator-scenario", "scenario.json", "--strict"
        ).expect(1)
        try tool.run("check", "rows.csv", "--online").expect(2, says: "no credentials for FCM")
    }

    // MARK: push

    private func push(_ arguments: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["push"] + arguments
                + ["--provider", "simulator", "--alert", "hi", "--topic", "com.example.app"])
    }

    @Test func `push to a good token prints its outcome`() throws {
        let result = try push(Rows.token(1))
        result.expect(0)
        let report = try Report(csv: result.output)
        report.expectEveryRowOnce(1)
        #expect(try report.line(1)["outcome"] == "accepted")
    }

    @Test func `push to a bad token says so and fails`() throws {
        let result = try push(Rows.token(1), "not-a-token")
        result.expect(1)
        let report = try Report(csv: result.output)
        report.expectEveryRowOnce(2)
        #expect(try report.line(2)["outcome"] == "invalid")
        #expect(try report.line(2)["reason"]?.contains("token is") == true)
    }

    @Test func `push shows what is said and answered`() throws {
        let result = try push(Rows.token(1), Rows.token(2), "--verbose")
        result.expect(
            0,
            says: "> :path: /3/device/\(Rows.token(1).prefix(8))…",
            "> apns-topic: com.example.app",
            "> {\"aps\":{\"alert\":\"hi\"}}", "< 200, after ", "Meaning ")
        #expect(!result.errors.contains(Rows.token(1)))
        try Report(csv: result.output).expectEveryRowOnce(2)
    }

    @Test func `push without a word to say`() throws {
        try tool.run("push", Rows.token(1), "--provider", "simulator")
            .expect(2, says: "nothing to say", "--alert")
        try tool.run("push", "--alert", "hi", "--provider", "simulator").expect(2, says: "token")
    }

    @Test func `push has no rows for placeholders`() throws {
        for placeholder in ["{{name}}", "{{name|friend}}", "{{ name }}"] {
            try tool.run(
                "push", Rows.token(1), "--provider", "simulator", "--topic", "com.example.app",
                "--alert", "Hi \(placeholder)"
            ).expect(2, says: "the placeholder {{name}}", "no rows", "fanfare send")
        }
        let result = try tool.run(
            "push", Rows.token(1), "--provider", "simulator", "--topic", "com.example.app",
            "--alert", "Hi {{token}}")
        result.expect(0)
    }

    // MARK: generate

    @Test func `generate writes CSV and NDJSON that check accepts`() throws {
        for format in ["csv", "ndjson"] {
            try tool.run("generate", "--count", "1000", "--output", "rows.\(format)")
                .expect(0)
            let result = try tool.run("check", "rows.\(format)", "--alert", "hi", "--strict")
            result.expect(0, says: "1,000")
        }
    }

    @Test func `generate replaces a file only if that was said`() throws {
        try tool.folder.write("mine", to: "rows.csv")
        try tool.folder.hardLink("twin.csv", to: tool.folder.path("rows.csv"))
        try tool.folder.link("link.csv", to: tool.folder.path("rows.csv"))
        for name in ["rows.csv", "twin.csv", "link.csv"] {
            try tool.run("generate", "--count", "5", "--output", name).expect(
                2, says: "\(name) exists already; --overwrite replaces it, --output FILE names")
            #expect(tool.folder.text(of: "rows.csv") == "mine")
        }
        try tool.run("generate", "--count", "5", "--output", "rows.csv", "--overwrite").expect(0)
        // The header and a line for each row.
        #expect(tool.folder.text(of: "rows.csv").split(separator: "\n").count == 6)
        try tool.run("generate", "--count", "5", "--output", "/dev/null").expect(0)
        // A descriptor is written on as it was handed over, also if a file is behind it.
        let handed = try tool.run("generate", "--count", "5", "--output", "/dev/stderr")
        handed.expect(0)
        #expect(handed.errors.split(separator: "\n").count == 6)
        try tool.run("generate", "--output", tool.folder.path).expect(4, says: "cannot be written")
    }

    @Test func `generate mixes rows for two providers, the same for the same seed`() throws {
        for name in ["one.csv", "two.csv"] {
            try tool.run(
                "generate", "--count", "200", "--mix", "apns=3,fcm=1", "--output", name
            ).expect(0)
        }
        let text = tool.folder.text(of: "one.csv")
        #expect(text.hasPrefix("provider,token,name,segment,badge,id\n"))
        #expect(text == tool.folder.text(of: "two.csv"))
        let lines = text.split(separator: "\n").dropFirst()
        let others = lines.filter { !$0.hasPrefix("apns,") }
        #expect(lines.count == 200 && others.count > 20 && others.count < 80)
        #expect(others.allSatisfy { $0.hasPrefix("fcm,") && $0.contains(":APA91b") })
    }

    // MARK: simulate

    @Test func `the simulator writes a service account that only its owner may read`() throws {
        let server = try tool.start([
            "simulate", "--listen", "127.0.0.1:0", "--cleartext", "--write-service-account",
            "account.json", "--fcm-project", "demo-1",
        ])
        try #require(Poll.until(seconds: 10) { server.errors.contains("\n") }, "\(server.errors)")
        let line = try #require(server.errors.split(separator: "\n").first)
        let origin = try #require(line.split(separator: " ").last)
        let path = tool.folder.path("account.json")
        let json =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(filePath: path))) as? [String: String]
        #expect(json?["type"] == "service_account")
        #expect(json?["project_id"] == "demo-1")
        #expect(json?["token_uri"] == "\(origin)/token")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
        server.process.send(SIGTERM)
        server.end().expect(0, says: "0 requests: 0 accepted, 0 refused, 0 reset, 0 unanswered")
    }

    @Test func `a project that cannot be is told, and nothing is written`() throws {
        let options = ["--write-service-account", "a.json", "--fcm-project", "a/b"]
        try tool.run(["simulate", "--listen", "127.0.0.1:0"] + options).expect(
            2, says: "FCM project: must be letters")
        #expect(!FileManager.default.fileExists(atPath: tool.folder.path("a.json")))
        try tool.run("simulate", "--fcm-token-life", "5s").expect(
            2, says: "--fcm-token-life needs --write-service-account as well")
    }

    /// Starts a simulator that logs to this file, and sends it 2,000 rows.
    private func simulate(log: String) throws -> CommandLineTool.Run {
        let server = try tool.start([
            "simulate", "--listen", "127.0.0.1:0", "--write-ca", "ca.pem", "--log", log,
            "--anonymous",
        ])
        let says = "simulating APNs and FCM on "
        try #require(Poll.until(seconds: 10) { server.errors.contains("\n") }, "\(server.errors)")
        let line = try #require(server.errors.split(separator: "\n").first)
        let endpoint = String(try #require(line.split(separator: says).last))
        try tool.folder.write(Rows.csv(2_000), to: "rows.csv")
        try tool.run(
            "send", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--endpoint",
            endpoint, "--ca-file", "ca.pem"
        ).expect(0)
        try tool.report().expectEveryRowOnce(2_000)
        return server
    }

    @Test func `the simulator as a server of its own`() throws {
        let server = try simulate(log: "log.ndjson")
        // The last requests are in the log without any more coming.
        var lineCount: Int { tool.folder.text(of: "log.ndjson").split(separator: "\n").count }
        #expect(Poll.until(seconds: 10) { lineCount == 2_000 })
        server.process.send(SIGTERM)
        server.end().expect(0, says: "2000 requests: 2000 accepted")
        #expect(lineCount == 2_000)
    }

    @Test func `a client that is killed in the middle does not take the simulator with it`() throws
    {
        let server = try simulate(log: "/dev/null")
        // It would be a matter of microseconds, so the system is asked: see proc(5).
        let threads = "/proc/\(server.process.id)/task"
        var masks: [UInt64] = []
        for thread in try FileManager.default.contentsOfDirectory(atPath: threads) {
            let status = try String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            guard status.hasPrefix("Name:\tsimulator\n") else { continue }
            let mask = try #require(status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/))
            masks.append(try #require(UInt64(mask.1, radix: 16)))
        }
        #expect(!masks.isEmpty)
        #expect(masks.allSatisfy { $0 & 1 << UInt64(SIGPIPE - 1) != 0 })
        server.process.send(SIGTERM)
        server.end().expect(0)
    }

    @Test func `a log that cannot be written is told at the end`() throws {
        let server = try simulate(log: "/dev/full")
        server.process.send(SIGTERM)
        server.end().expect(
            4, says: "2000 requests: 2000 accepted", "/dev/full lacks requests", "No space left")
    }

    @Test func `a scenario decides about each token`() throws {
        try tool.folder.write(
            """
            {"rules": [
              {"when": {"tokenPrefix": "a1"},
               "then": {"status": 410, "reason": "Unregistered", "timestamp": 1700000000000}},
              {"when": {"tokenPrefix": "a2"},
               "then": {"status": 400, "reason": "BadDeviceToken"}}
            ]}
            """, to: "scenario.json")
        try tool.folder.write(Rows.csv(999) { ["a0", "a1", "a2"][$0 % 3] }, to: "rows.csv")
        try tool.send("rows.csv", "--simulator-scenario", "scenario.json")
            .expect(0, says: "410 Unregistered", "400 BadDeviceToken")
        let report = try tool.report()
        report.expectEveryRowOnce(999)
        #expect(report.outcomes == ["accepted": 333, "unregistered": 333, "suspect": 333])
    }
}
