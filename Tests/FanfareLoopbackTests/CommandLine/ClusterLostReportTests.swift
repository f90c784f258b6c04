import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A machine that is gone for good, with its report: what the page tells an operator to do.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterLostReportTests {
    private static let count = 30_000

    private let tool: CommandLineTool
    private let engine: PostgresServer
    private let provider: NotingProvider

    init() throws {
        tool = try CommandLineTool()
        engine = try PostgresServer()
        provider = try NotingProvider(in: tool.folder)
        try tool.run("cluster", "init", engine.address).expect(0)
        try tool.folder.write(Rows.csv(Self.count), to: "rows.csv")
    }

    private func start(_ worker: String) throws -> CommandLineTool.Run {
        try tool.start([
            "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker", worker,
            "--endpoint", provider.endpoint, "--topic", "com.example.app", "--alert", "hi",
            "--connections", "2", "--rate", "1500/s", "--report", "\(worker).csv", "--progress",
            "none",
        ])
    }

    private func cluster(_ word: String, _ more: String...) throws -> CommandLineTool.Result {
        try tool.run(["cluster", word, engine.address] + more + ["--job", "july"])
    }

    /// The numbers of `status`: finished, waiting, granted, in doubt, and all that were counted.
    private func numbers() throws -> [Int] {
        let status = try cluster("status", "--json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
        return ["finished", "waiting", "granted", "in_doubt", "counted"].map {
            object["rows_\($0)"] as? Int ?? -1
        }
    }

    private func wait(until condition: String, seconds: Double = 40) {
        let isSo = Poll.until(seconds: seconds) {
            (try? engine.query("SELECT \(condition)")) == "t"
        }
        #expect(isSo, "never \(condition)")
    }

    @Test func `a machine that is gone with its report leaves no row without a line`() throws {
        let workers = try ["a", "b", "c"].map { try start($0) }
        wait(until: "count(*) = 3 FROM fanfare.workers WHERE lines > 500")
        try cluster("write-off", "b").expect(2, says: "stop it first")
        try cluster("write-off", "x").expect(2, says: "no worker x")
        workers[1].process.send(SIGKILL)
        _ = workers[1].end()
        try FileManager.default.removeItem(atPath: tool.folder.path("b.csv"))
        // The others call it lost after 15 seconds.
        wait(until: "state = 'lost' FROM fanfare.workers WHERE name = 'b'")
        let running = try numbers()
        #expect(running[..<4].reduce(0, +) == running[4] && running[3] > 0, "\(running)")
        let status = try cluster("status").output
        #expect(status.contains("b: lost, "), "\(status)")
        try cluster("remove").expect(2, says: "heard of")
        // Without this order the others would wait for a minute more.
        try cluster("write-off", "b").expect(0)
        try cluster("rate", "1000000/s").expect(0)
        for worker in [workers[0], workers[2]] {
            let end = worker.end(seconds: 50)
            #expect([0, 1].contains(end.exitCode), "\(end.errors)")
        }
        #expect(try numbers() == [Self.count, 0, 0, 0, Self.count])

        let job = engine.address + "/july"
        let audit = try tool.run("report", "a.csv", "c.csv", "--of", job)
        audit.expect(4, says: "b has told that its report has lines of")
        let words = audit.errors.replacing("\n", with: " ")
        #expect(words.contains("b.csv on ") && words.contains("--lost b"), "\(words)")
        #expect(!words.contains("granted to no worker"), "\(words)")
        let lost = ["--of", job, "--lost", "b", "--rows", "rows.csv", "--output", "lost.csv"]
        try tool.run(["report", "a.csv", "c.csv"] + lost).expect(0, says: "whose report")
        try tool.run(["report", "a.csv", "c.csv"] + lost).expect(2, says: "exists already")
        let reports = ["a.csv", "c.csv", "lost.csv"]
        try tool.run(["report"] + reports + ["--of", job])
            .expect(0, says: "each of the \(Self.count) rows of july has a line")

        // A line for each row, in their order; those of the lost report have their tokens.
        try tool.run(["report"] + reports + ["--ordered", "--output", "july.csv"]).expect(0)
        let lines = tool.folder.text(of: "july.csv").split(separator: "\n").dropFirst()
        #expect(lines.map { Int($0.prefix { $0 != "," }) } == Array(1...Self.count))
        let tokens = tool.folder.text(of: "rows.csv").split(separator: "\n").dropFirst()
        let isRight = zip(lines, tokens).allSatisfy { line, row in
            !line.contains("report lost") || line.contains(row.prefix { $0 != "," })
        }
        #expect(isRight)
        let requests = try provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 })
        // Each one that was sent the message has a line that says that it was sent, or may have been.
        let sent = lines.count { $0.contains(",accepted,") || $0.contains(",unknown,") }
        #expect(sent == Self.count && requests.count <= Self.count)

        _ = try engine.query("UPDATE fanfare.workers SET seen = seen - interval '1 minute'")
        let removal = try cluster("remove")
        #expect(removal.exitCode == 0 && removal.output.contains("the name is free"), "\(removal)")
        #expect(try tool.run("cluster", "list", engine.address).output == "There are no jobs\n")
    }
}
