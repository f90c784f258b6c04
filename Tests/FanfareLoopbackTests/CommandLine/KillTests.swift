import FanfareBase
import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Glibc
import Testing

/// A real process on a real file, killed again and again until its job is done, against a server
/// that notes every request.
///
/// `dev/chaos` runs it with more kills; see there for the variables.
@Suite(.serialized) struct KillTests {
    private let tool: CommandLineTool
    private let server: SimulatorServer
    private let endpoint: String
    private let kills: Int
    private let rowCount: Int
    private var dice: SplitMix64
    /// The end of the names of all files that the job writes.
    private var ending = ""
    /// Options that a test is about.
    private var options: [String] = []
    private var reportName = "fanfare-report.csv"

    init() throws {
        func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
        kills = number("FANFARE_KILLS") ?? 20
        // Some 100 rows go between two kills; what is left goes in the last run.
        rowCount = 1000 + 100 * kills
        dice = SplitMix64(seed: UInt64(number("FANFARE_SEED") ?? 1))
        tool = try CommandLineTool()
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.provider.acceptsAnonymous = true
        configuration.provider.latency = try LatencyModel("2ms..30ms")
        var scenario = """
            {"rules":[{"when":{"tokenPrefix":"d","attempt":1},
                       "then":{"status":503,"reason":"ServiceUnavailable"}}]}
            """
        configuration.provider.scenario = try scenario.withUTF8 { try Scenario(json: $0) }
        configuration.logFile = tool.folder.path("server.ndjson")
        server = try SimulatorServer(configuration)
        endpoint = "http://127.0.0.1:\(try server.start())"
        // Every eighth row is told "later" the first time.
        try tool.folder.write(
            Rows.csv(rowCount) { $0 % 8 == 0 ? "d" : "a" }, to: "rows.csv")
    }

    private func start(_ delivery: String) throws -> CommandLineTool.Run {
        try tool.start(
            [
                "send", "rows.csv", "--resume", "--delivery", delivery, "--endpoint", endpoint,
                "--topic", "com.example.app", "--alert", "hi", "--streams", "20",
                "--connections", "2", "--report", reportName + ending, "--unregistered",
                "dead.csv" + ending,
                "--retry-rows", "again.csv" + ending, "--progress", "none",
            ] + options)
    }

    /// Kills the job until that was done often enough, or the job is through.
    /// - Returns: The number of kills, and the end of its last run.
    private mutating func killUntilDone(
        _ delivery: String
    ) throws -> (count: Int, last: CommandLineTool.Result) {
        for count in 0..<kills {
            let run = try start(delivery)
            // From before the first byte of its checkpoint to the midst of the work.
            let seconds = Double(dice.next() % 250) / 1000
            if Poll.until(seconds: seconds, { run.process.exitStatus != nil }) {
                return (count, run.end())
            }
            run.process.send(SIGKILL)
            _ = run.end()
        }
        return (kills, try start(delivery).end(seconds: 120))
    }

    /// The statuses that the server gave each row, in order.
    private func answers() throws -> [[Int]] {
        server.stop()
        var answers: [[Int]] = Array(repeating: [], count: rowCount + 1)
        for line in tool.folder.text(of: "server.ndjson").split(separator: "\n") {
            let token = try #require(line.firstMatch(of: /"token":"[ad]([0-9a-f]+)"/))
            let status = try #require(line.firstMatch(of: /"status":(\d+)/))
            answers[try #require(Int(token.1, radix: 16))].append(try #require(Int(status.1)))
        }
        return answers
    }

    /// Has other people's command make plain files of the compressed ones.
    private func decompress() throws {
        guard !ending.isEmpty else { return }
        let command = try #require(Executable.path("gzip"), "gzip is not installed")
        for name in ["fanfare-report.csv", "dead.csv", "again.csv"] {
            let process = try ChildProcess(
                command, ["-d", name + ending], directory: tool.folder.url.path)
            #expect(process.waitUntilExit() == 0, "\(name)")
        }
    }

    @Test(arguments: ["", ".gz"], [[], ["--ordered"]])
    mutating func `killed at any moment, at most once`(
        ending: String, options: [String]
    ) throws {
        self.ending = ending
        self.options = options
        let (count, last) = try killUntilDone("at-most-once")
        #expect(last.exitCode == 0 || last.exitCode == 1, "\(last.errors)")
        try decompress()
        let report = try tool.report()
        report.expectEveryRowOnce(rowCount)
        if !options.isEmpty {
            let rows = report.lines.compactMap { Int($0["row"] ?? "") }
            #expect(rows == Array(1...rowCount))
            #expect(!tool.folder.exists("fanfare-report.csv\(ending).ordered"))
        }
        let answers = try answers()
        for line in report.lines {
            let row = try #require(Int(line["row"] ?? ""))
            let seen = answers[row]
            #expect(
                seen.dropLast().allSatisfy { $0 == 503 },
                "row \(row) was sent again after \(seen): \(line)")
            switch line["outcome"] {
            case "accepted": #expect(seen.last == 200, "row \(row): \(seen)")
            case "unknown": #expect(line["reason"] == "interrupted", "row \(row): \(line)")
            default: Issue.record("row \(row): \(line), seen \(seen)")
            }
        }
        try expectRetryRows(report)
        // Rows can be on the wire, and rows can wait for their line, at each kill.
        let unknown = report.outcomes["unknown", default: 0]
        #expect(unknown <= count * 400, "\(unknown) rows after \(count) kills")
        Self.tell("at most once", count, report, answers)
    }

    /// Each row has its line, and none was sent again after an answer.
    private func expectNobodyTwice() throws {
        let report = try tool.report()
        report.expectEveryRowOnce(rowCount)
        let answers = try answers()
        for line in report.lines {
            let row = try #require(Int(line["row"] ?? ""))
            #expect(answers[row].dropLast().allSatisfy { $0 == 503 }, "\(line)")
        }
        try expectRetryRows(report)
    }

    /// Makes one report of its parts.
    private func join() throws -> Int {
        var text = tool.folder.text(of: "fanfare-report.csv")
        let header = text.prefix { $0 != "\n" } + "\n"
        var parts = 1
        while true {
            let next = tool.folder.text(of: "fanfare-report-\(parts + 1).csv")
            if next.isEmpty { break }
            #expect(next.hasPrefix(header))
            text += next.dropFirst(header.count)
            parts += 1
        }
        try tool.folder.write(text, to: "fanfare-report.csv")
        return parts
    }

    @Test mutating func `killed at any moment, with a report in parts`() throws {
        options = ["--report-split", "100KB"]
        let (_, last) = try killUntilDone("at-most-once")
        #expect(last.exitCode == 0 || last.exitCode == 1, "\(last.errors)")
        #expect(try join() >= 3)
        try expectNobodyTwice()
    }

    @Test mutating func `killed at any moment, with a database for a report`() throws {
        reportName = "out.sqlite"
        let (_, last) = try killUntilDone("at-most-once")
        #expect(last.exitCode == 0 || last.exitCode == 1, "\(last.errors)")
        #expect(!tool.folder.exists("out.sqlite.csv"))
        #expect(!tool.folder.exists("out.sqlite.csv.checkpoint"))
        let reading = try tool.run(
            ["report", "out.sqlite", "--output", "fanfare-report.csv"])
        #expect(reading.exitCode == 0, "\(reading.errors)")
        try expectNobodyTwice()
    }

    @Test mutating func `killed at any moment, at least once`() throws {
        let (count, last) = try killUntilDone("at-least-once")
        #expect(last.exitCode == 0, "\(last.errors)")
        let report = try tool.report()
        report.expectEveryRowOnce(rowCount)
        #expect(report.outcomes == ["accepted": rowCount])
        let answers = try answers()
        for line in report.lines {
            let row = try #require(Int(line["row"] ?? ""))
            let accepted = answers[row].count { $0 == 200 }
            #expect(accepted >= 1, "row \(row) is accepted, and the server has not seen it")
            if accepted > 1 {
                #expect(line["attempts"] != "1", "row \(row) went out \(accepted) times: \(line)")
            }
        }
        Self.tell("at least once", count, report, answers)
    }

    /// The rows to try again are those that the report has no definite outcome for.
    private func expectRetryRows(_ report: Report) throws {
        let unknown = report.lines.filter { $0["outcome"] == "unknown" }.map { $0["token"] ?? "" }
        let again = tool.folder.text(of: "again.csv").split(separator: "\n").map(String.init)
        #expect(again.first == "token")
        #expect(again.dropFirst().sorted() == unknown.sorted())
    }

    /// A line for `dev/chaos`.
    private static func tell(
        _ name: String, _ kills: Int, _ report: Report, _ answers: [[Int]]
    ) {
        guard getenv("FANFARE_KILLS") != nil else { return }
        let twice = answers.count { $0.count { $0 == 200 } > 1 }
        print(
            "chaos: \(name): \(kills) kills, \(report.lines.count) rows, \(report.outcomes), "
                + "\(answers.reduce(0) { $0 + $1.count }) requests, \(twice) rows accepted twice")
    }
}
