import FanfareSimulator
import FanfareTestSupport
import Foundation
import Testing

/// A canary, the rest of the job behind it, and the commands that are printed for it.
@Suite final class ChosenRowsRunTests {
    private let tool: CommandLineTool
    private let server: SimulatorServer
    private let endpoint: String

    init() throws {
        tool = try CommandLineTool()
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.provider.acceptsAnonymous = true
        var scenario =
            #"{"rules":[{"when":{"tokenPrefix":"d","attempt":1},"then":{"status":503}}]}"#
        configuration.provider.scenario = try scenario.withUTF8 { try Scenario(json: $0) }
        configuration.logFile = tool.folder.path("server.ndjson")
        server = try SimulatorServer(configuration)
        endpoint = "http://127.0.0.1:\(try server.start())"
        let rows = (1...3000).map { "\(Rows.token($0)),\($0 % 3 == 0 ? "android" : "ios")\n" }
        try tool.folder.write("token,platform\n" + rows.joined(), to: "rows.csv")
    }

    deinit { server.stop() }

    private func send(_ arguments: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["send", "rows.csv"] + arguments
                + [
                    "--endpoint", endpoint, "--topic", "com.example.app", "--alert", "hi",
                    "--progress", "plain", "--summary", "summary.json",
                ])
    }

    /// The rows that the server was asked for, in order.
    private func requests() throws -> [Int] {
        server.stop()
        return try tool.folder.text(of: "server.ndjson").split(separator: "\n").map { line in
            let token = try #require(line.firstMatch(of: /"token":"[0-9a-f]{56}([0-9a-f]{8})"/))
            return try #require(Int(token.1, radix: 16))
        }.sorted()
    }

    @Test func `canaries and the rest send to every row once`() throws {
        try send("--sample", "10%").expect(
            0, says: "a sample of 10%", "left out", "To send the rows left out:")
        let first = try tool.report().rows.count
        #expect((150..<450).contains(first))
        #expect(tool.folder.text(of: "summary.json").contains("\"sample\": \"10%\""))
        try send("--where", "platform=ios", "--limit=1000", "--resume").expect(
            2, says: "--where was not given then, and a job for other rows has another --report")
        try send("--limit=1000", "--resume").expect(0, says: "the first 1,000")
        #expect(try Set(tool.report().rows).isSuperset(of: 1...1000))
        let isWhole = tool.folder.exists("fanfare-report.csv.checkpoint")
        #expect(isWhole)
        try send("--resume").expect(0, says: "3,000 of 3,000 accepted")
        try tool.report().expectEveryRowOnce(3000)
        #expect(!tool.folder.exists("fanfare-report.csv.checkpoint"))
        #expect(try requests() == Array(1...3000))
    }

    /// Of 30 rows 20 are not for Android, two of those are suppressed, and the first one fails the first time.
    @Test func `printed commands send to those that the first one was for, and to nobody twice`()
        throws
    {
        try tool.folder.write("\(Rows.token(2))\n\(Rows.token(29))\n", to: "stop.txt")
        // JSON, of which no line has to have all columns, in a file whose name needs quotes.
        let rows = (1...30).map { row in
            let platform = row % 3 == 0 ? #","platform":"android""# : ""
            return #"{"token":"\#(Rows.token(row, prefix: row == 1 ? "d" : ""))"\#(platform)}"#
        }
        try tool.folder.write(rows.joined(separator: "\n"), to: "it's.ndjson")
        // The environment of this command is gone when the next ones are typed in.
        let first = try shell(
            "FANFARE_SUPPRESS=stop.txt FANFARE_REPORT=canary.csv '\(CommandLineTool.path)' send "
                + "\"it's.ndjson\" --where 'platform!=android' --limit 5 --max-attempts 1 "
                + "--retry-rows again.ndjson --endpoint \(endpoint) --topic com.example.app "
                + "--alert hi --progress plain --summary summary.json")
        first.expect(1, says: "3 of 5 accepted; 1 to send again", "10 excluded", "15 left out")
        let rest = try #require(try command("resume_command"))
        let again = try #require(try command("retry_command"))
        for line in [rest, again] { #expect(first.errors.contains("\n  \(line)\n")) }
        let carryingOn = try #require(try jobs().first { $0.hasPrefix("    cd ") })
        #expect(carryingOn.hasSuffix(" && \(rest)"))
        try shell(again).expect(0, says: "1 of 1 accepted")
        try shell(carryingOn).expect(1, says: "17 of 20 accepted")
        #expect(try command("resume_command") == nil)
        #expect(try jobs().isEmpty)
        try tool.run("report", "canary.csv").expect(0, says: "--where has excluded them")
        let wanted = (1...30).filter { $0 % 3 != 0 && $0 != 2 && $0 != 29 }
        #expect(try requests() == [1] + wanted)
    }

    /// The lines about the jobs of this test: a developer may have others.
    private func jobs() throws -> [String] {
        try tool.run("jobs").output.split(separator: "\n").map(String.init).filter {
            $0.contains(tool.folder.url.lastPathComponent)
        }
    }

    /// Runs a line as a person who types it.
    private func shell(_ line: String) throws -> CommandLineTool.Result {
        let (output, errors) = (UUID().uuidString, UUID().uuidString)
        let process = try ChildProcess(
            "/bin/sh", ["-c", line], output: tool.folder.path(output),
            errors: tool.folder.path(errors), directory: tool.folder.url.path, runtime: tool.runtime
        )
        return CommandLineTool.Result(
            exitCode: process.waitUntilExit(), output: tool.folder.text(of: output),
            errors: tool.folder.text(of: errors))
    }

    /// A command in the summary.
    private func command(_ name: String) throws -> String? {
        let data = Data(tool.folder.text(of: "summary.json").utf8)
        let summary = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return summary?[name] as? String
    }

    @Test func `a check says how many rows would be left out`() throws {
        try tool.run(
            "check", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--where",
            "platform=android", "--limit", "10"
        ).expect(0, says: "10 of 10 valid", "left out")
        try tool.run(
            "check", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--where", "os=ios"
        ).expect(4, says: "has no column 'os', which --where names")
        #expect(try requests().isEmpty)
    }
}
