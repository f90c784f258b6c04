import FanfareSimulator
import FanfareTestSupport
import Foundation
import Testing

/// A canary, and the rest of the job behind it.
@Suite final class ChosenRowsRunTests {
    private let tool: CommandLineTool
    private let server: SimulatorServer
    private let endpoint: String

    init() throws {
        tool = try CommandLineTool()
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.provider.acceptsAnonymous = true
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
            let token = try #require(line.firstMatch(of: /"token":"([0-9a-f]+)"/))
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
            0, says: "platform=ios, the first 1,000")
        let rows = try tool.report().rows
        #expect(rows.count { $0 % 3 != 0 } >= 1000)
        let isWhole = tool.folder.exists("fanfare-report.csv.checkpoint")
        #expect(isWhole)
        try send("--resume").expect(0, says: "3,000 of 3,000 accepted")
        try tool.report().expectEveryRowOnce(3000)
        #expect(!tool.folder.exists("fanfare-report.csv.checkpoint"))
        #expect(try requests() == Array(1...3000))
    }

    @Test func `the command that is shown sends to the rest`() throws {
        let canary = try send("--limit", "5")
        let line = try #require(
            canary.errors.split(separator: "\n").first { $0.contains("--resume") })
        let words = line.split(separator: " ").map(String.init)
        #expect(!words.contains("--limit") && words.contains("--resume"))
        // Nothing in it needs quotes, and its first word is the program.
        try tool.run(Array(words.dropFirst())).expect(0, says: "3,000 of 3,000 accepted")
        #expect(try requests() == Array(1...3000))
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
