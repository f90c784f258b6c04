import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// The command's deeds when a job is over, as its users and their receivers see it.
@Suite struct JobEndingTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(20), to: "rows.csv")
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    // MARK: The command

    @Test func `the command has the summary, and knows which job it was`() throws {
        let hook =
            #"cat > said.json; echo "$FANFARE_EXIT_CODE|$FANFARE_JOB_EVENT|"#
            + #"$FANFARE_JOB_NAME|$FANFARE_JOB_REPORT" > said; echo to people"#
        try tool.send(
            "rows.csv", "--name", "Black Friday", "--note", "for the shop team", "--on-end", hook,
            "--summary", "-"
        ).expect(0, says: "to people", "Black Friday")
        #expect(
            tool.folder.text(of: "said") == "0|ended|Black Friday|fanfare-report.csv\n")
        let summary = try object(tool.folder.text(of: "said.json"))
        #expect(summary["schema"] as? String == "fanfare.summary/1")
        #expect(summary["name"] as? String == "Black Friday")
        #expect(summary["note"] as? String == "for the shop team")
        #expect(summary["rows_read"] as? Int == 20)
        #expect(summary["recovered"] == nil)
    }

    @Test func `standard output is not the command's`() throws {
        let result = try tool.send("rows.csv", "--summary", "-", "--on-end", "echo to people")
        result.expect(0, says: "to people")
        #expect(try object(result.output)["rows_read"] as? Int == 20)
    }

    @Test func `a failing command is told of, and the exit code stays the job's`() throws {
        try tool.send("rows.csv", "--on-end", "exit 3").expect(
            0, says: "--on-end: the command has ended with exit code 3")
        try tool.send(
            "rows.csv", "--report", "2.csv", "--fail-if", "accepted>0", "--on-end", "true"
        ).expect(5)
    }

    @Test func `a command that does not end is ended with all that it has started`() throws {
        let hook = "sleep 600 & echo $! > sleeper; wait"
        try tool.send("rows.csv", "--on-end", hook, "--on-end-timeout", "500ms").expect(
            0, says: "--on-end: the command had not ended after 500 ms, so it was ended")
        let sleeper = tool.folder.text(of: "sleeper").filter(\.isNumber)
        try #require(!sleeper.isEmpty)
        let isGone = Poll.until(seconds: 30) {
            let state =
                (try? String(contentsOfFile: "/proc/\(sleeper)/stat", encoding: .utf8)) ?? ""
            return state.isEmpty || state.contains(") Z ")
        }
        #expect(isGone)
    }

    @Test func `a job that cannot begin is told of, wrong usage is not`() throws {
        let hook = #"cat > said.json; echo "$FANFARE_EXIT_CODE|$FANFARE_JOB_EVENT" > said"#
        try tool.send("missing.csv", "--name", "Nightly", "--on-end", hook).expect(4)
        #expect(tool.folder.text(of: "said") == "4|failed\n")
        let failure = try object(tool.folder.text(of: "said.json"))
        #expect(failure["schema"] as? String == "fanfare.failure/1")
        #expect(failure["name"] as? String == "Nightly")
        #expect((failure["error"] as? String)?.contains("missing.csv") == true)
        try tool.send("rows.csv", "--rate", "fast", "--on-end", "touch ran").expect(2)
        #expect(!tool.folder.exists("ran"))
    }

    @Test func `a job that is stopped is told of, with the code of its signal`() throws {
        let hook = #"echo "$FANFARE_EXIT_CODE|$FANFARE_JOB_EVENT" > said"#
        let run = try tool.start(
            ["send", "rows.csv", "--rate", "1/s", "--on-end", hook] + CommandLineTool.simulator)
        let isUnderWay = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").contains("accepted")
        }
        try #require(isUnderWay, "\(run.errors)")
        run.process.send(SIGTERM)
        run.end().expect(143)
        #expect(tool.folder.text(of: "said") == "143|stopped\n")
    }

    @Test func `a run that goes on after a kill says so`() throws {
        let words =
            ["send", "rows.csv", "--resume", "--summary", "summary.json", "--rate"]
        let run = try tool.start(words + ["1/s"] + CommandLineTool.simulator)
        let isUnderWay = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").contains("accepted")
        }
        try #require(isUnderWay, "\(run.errors)")
        run.process.send(SIGKILL)
        _ = run.end()
        let last = try tool.run(words + ["1000/s"] + CommandLineTool.simulator)
        #expect([0, 1].contains(last.exitCode))
        #expect(try object(tool.folder.text(of: "summary.json"))["recovered"] as? Bool == true)
    }

    // MARK: The notice

    /// Another implementation of the signature: Python's own hmac.
    private static let verification = """
        import base64, hashlib, hmac, sys
        key, id, seconds, signature = sys.argv[1:5]
        body = open(sys.argv[5], 'rb').read()
        secret = base64.b64decode(key.removeprefix('whsec_'))
        code = hmac.new(secret, f'{id}.{seconds}.'.encode() + body, hashlib.sha256).digest()
        sys.exit(signature != 'v1,' + base64.b64encode(code).decode())
        """

    @Test(.enabled(if: Executable.path("python3") != nil, "python3 is not installed"))
    func `a receiver gets the summary once, signed`() throws {
        let server = try TextServer { _, _ in .answer(204, "") }
        try tool.folder.write("whsec_plJ3nmyCDGBKInavdOK15jsl\n", to: "key")
        try tool.folder.write("\(server.endpoint)/hooks/SECRET\n", to: "url")
        let result = try tool.send(
            "rows.csv", "--notify", "@url", "--notify-secret-file", "key", "--summary",
            "summary.json")
        result.expect(0)
        #expect(!result.errors.contains("SECRET"))
        try #require(server.requests.count == 1)
        let request = server.requests[0]
        #expect(request.line == "POST /hooks/SECRET HTTP/1.1")
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.body == tool.folder.text(of: "summary.json"))
        try tool.folder.write(request.body, to: "body")
        let id = try #require(request.fields["webhook-id"])
        let seconds = try #require(request.fields["webhook-timestamp"])
        let signature = try #require(request.fields["webhook-signature"])
        let python = try #require(Executable.path("python3"))
        let process = try ChildProcess(
            python,
            [
                "-c", Self.verification, "whsec_plJ3nmyCDGBKInavdOK15jsl", id, seconds, signature,
                tool.folder.path("body"),
            ], output: tool.folder.path("log"), errors: tool.folder.path("log"),
            directory: tool.folder.path)
        #expect(process.waitUntilExit() == 0, "\(tool.folder.text(of: "log"))")
        #expect(abs((Int(seconds) ?? 0) - Int(time(nil))) < 300)
    }

    @Test func `a receiver that is busy is asked again, with the same id`() throws {
        let server = try TextServer { _, count in .answer(count == 1 ? 503 : 200, "ok") }
        try tool.send("rows.csv", "--notify", "\(server.endpoint)/").expect(0)
        try #require(server.requests.count == 2)
        let ids = server.requests.map { $0.fields["webhook-id"] }
        #expect(ids[0] != nil && ids[0] == ids[1])
    }

    @Test func `a refusal is told without the address, and changes nothing`() throws {
        let server = try TextServer { _, _ in .answer(404, "no_service") }
        let result = try tool.send(
            "rows.csv", "--notify", "\(server.endpoint)/services/SECRET", "--notify-format",
            "slack", "--name", "Sale & more")
        result.expect(
            0, says: "--notify: \(server.endpoint) was not told: it answers 404 (no_service)")
        #expect(!result.errors.contains("SECRET"))
        try #require(server.requests.count == 1)
        let text = try #require(try object(server.requests[0].body)["text"] as? String)
        #expect(text.hasPrefix("*Sale &amp; more has ended, exit code 0*\nFinished in "))
        #expect(text.contains("20 of 20 accepted"))
    }

    @Test func `the commands in a summary do not have the address`() throws {
        let server = try TextServer { _, _ in .answer(200, "ok") }
        let run = try tool.start(
            [
                "send", "rows.csv", "--rate", "1/s", "--html", "job.html", "--summary",
                "summary.json", "--log", "job.log", "--notify",
                "\(server.endpoint)/services/SECRET",
            ] + CommandLineTool.simulator)
        let isUnderWay = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").contains("accepted")
        }
        try #require(isUnderWay, "\(run.errors)")
        run.process.send(SIGINT)
        let result = run.end()
        result.expect(130)
        let command = try object(tool.folder.text(of: "summary.json"))["resume_command"] as? String
        #expect(command?.contains("--notify @FILE") == true)
        for text in [
            result.errors, tool.folder.text(of: "summary.json"), tool.folder.text(of: "job.html"),
            tool.folder.text(of: "job.log"), server.requests.first?.body ?? "SECRET",
        ] {
            #expect(!text.contains("SECRET"))
        }
    }

    @Test(arguments: [
        "http://hooks.example.com/SECRET", "https://me:SECRET@example.com/", "SECRET",
    ])
    func `an address that cannot be used is refused and not repeated`(text: String) throws {
        let result = try tool.send("rows.csv", "--notify", text)
        result.expect(2, says: "--notify")
        #expect(!result.errors.contains("SECRET"))
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    // MARK: The file of metrics

    @Test func `the file of metrics has the end of the job`() throws {
        try tool.send(
            "rows.csv", "--metrics-file", "job.prom", "--name", #"say "hi""#, "--fail-if",
            "accepted>0"
        ).expect(5)
        let lines = tool.folder.text(of: "job.prom").split(separator: "\n")
        #expect(lines.contains(#"fanfare_rows_total{outcome="accepted"} 20"#))
        #expect(lines.contains("fanfare_exit_code 5"))
        #expect(lines.contains { $0.hasPrefix("fanfare_end_time_seconds ") })
        #expect(
            lines.contains {
                $0.hasPrefix("fanfare_job_info{job_id=") && $0.contains(#"name="say \"hi\"""#)
            })
        let files = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
        #expect(!files.contains { $0.hasPrefix(".job.prom") })
    }

    @Test func `the file of metrics is there while the job runs, and has the end of a stop`() throws
    {
        let run = try tool.start(
            ["send", "rows.csv", "--rate", "1/s", "--metrics-file", "job.prom"]
                + CommandLineTool.simulator)
        let isUnderWay = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").contains("accepted")
        }
        try #require(isUnderWay, "\(run.errors)")
        let before = tool.folder.text(of: "job.prom")
        #expect(before.contains("fanfare_job_info{") && !before.contains("fanfare_exit_code"))
        run.process.send(SIGTERM)
        run.end().expect(143)
        let lines = tool.folder.text(of: "job.prom").split(separator: "\n")
        #expect(lines.contains("fanfare_exit_code 143"))
        let accepted = lines.first { $0.hasPrefix(#"fanfare_rows_total{outcome="accepted"} "#) }
        let count = try #require(accepted.flatMap { Int($0.split(separator: " ")[1]) })
        #expect(count >= 1 && count < 20)
        let files = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
        #expect(!files.contains { $0.hasPrefix(".job.prom") })
    }

    @Test func `a job that cannot begin leaves its exit code in the file`() throws {
        try tool.send("missing.csv", "--metrics-file", "job.prom").expect(4)
        #expect(tool.folder.text(of: "job.prom").contains("\nfanfare_exit_code 4\n"))
    }

    @Test func `a file of metrics that cannot be written is refused before the first row`() throws {
        try tool.send("rows.csv", "--metrics-file", "missing/job.prom").expect(
            4, says: "--metrics-file: missing/job.prom cannot be written: no such file or directory"
        )
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    // MARK: Names

    @Test func `a name may be another one when the job is carried on`() throws {
        try tool.send("rows.csv", "--limit", "5", "--name", "canary", "--summary", "one.json")
            .expect(0)
        #expect(try object(tool.folder.text(of: "one.json"))["name"] as? String == "canary")
        try tool.send("rows.csv", "--resume", "--name", "all", "--summary", "two.json").expect(0)
        let summary = try object(tool.folder.text(of: "two.json"))
        #expect(summary["name"] as? String == "all")
        #expect(summary["rows_read"] as? Int == 20)
        // It was left at rest.
        #expect(summary["recovered"] == nil)
    }

    @Test func `a load test has a name, and tells of its end`() throws {
        let result = try tool.run([
            "bench", "--provider", "simulator", "-n", "50", "--name", "gateway", "--summary",
            "bench.json", "--html", "bench.html", "--on-end",
            #"cat > said.json; echo "$FANFARE_EXIT_CODE $FANFARE_JOB_NAME" > said"#,
        ])
        result.expect(0)
        #expect(tool.folder.text(of: "said") == "0 gateway\n")
        let said = try object(tool.folder.text(of: "said.json"))
        #expect(said["schema"] as? String == "fanfare-bench/1")
        #expect(said["name"] as? String == "gateway")
        #expect(tool.folder.text(of: "bench.html").contains("<h1>gateway</h1>"))
    }
}
