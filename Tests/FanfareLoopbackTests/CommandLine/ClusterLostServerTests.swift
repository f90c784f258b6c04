import FanfareTestSupport
import Testing

@testable import Fanfare

/// Real workers whose server is made anew while they work.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterLostServerTests {
    private let tool: CommandLineTool
    private let engine: PostgresServer
    private let provider: NotingProvider

    init() throws {
        tool = try CommandLineTool()
        engine = try PostgresServer()
        provider = try NotingProvider(in: tool.folder)
        try tool.run("cluster", "init", engine.address).expect(0)
        try tool.folder.write(Rows.csv(20_000), to: "rows.csv")
    }

    private func start(_ worker: String) throws -> CommandLineTool.Run {
        try tool.start([
            "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker", worker,
            "--endpoint", provider.endpoint, "--topic", "com.example.app", "--alert", "hi",
            "--connections", "2", "--rate", "500/s", "--report", "\(worker).csv", "--progress",
            "none",
        ])
    }

    @Test func `workers stop when the server has lost their job, and join no other one`() throws {
        let workers = try ["a", "b"].map { try start($0) }
        let isUnderWay = Poll.until(seconds: 30) {
            (try? engine.query("SELECT count(*) = 2 AND min(lines) > 20 FROM fanfare.workers"))
                == "t"
        }
        #expect(isUnderWay)
        // The next job has the number that theirs had. A transaction of theirs locks the job first.
        _ = try engine.query(
            "LOCK TABLE fanfare.jobs; DROP SCHEMA fanfare CASCADE; \(ClusterSchema.text) "
                + "INSERT INTO fanfare.jobs (name, identity) VALUES ('august', 7)")
        #expect(try engine.query("SELECT job FROM fanfare.jobs") == "1")
        for worker in workers {
            worker.end(seconds: 20).expect(3, says: "does not know the job july")
        }
        // Nor does a worker of it begin it anew.
        let again = try start("a").end(seconds: 20)
        again.expect(3, says: "does not know the job july")
        #expect(!again.errors.contains("--overwrite"), "\(again.errors)")
        #expect(try engine.query("SELECT name, state FROM fanfare.jobs") == "august|")
        #expect(try engine.query("SELECT count(*) FROM fanfare.workers") == "0")
        let requests = try provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 })
        // Each row that was sent has its line, so the reports say whom a new job leaves out.
        let lines = ["a", "b"].reduce(0) { sum, worker in
            sum + tool.folder.text(of: "\(worker).csv").split(separator: "\n").count - 1
        }
        #expect(lines == requests.count)
    }
}
