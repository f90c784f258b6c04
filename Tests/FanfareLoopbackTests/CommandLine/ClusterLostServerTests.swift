import FanfareTestSupport
import Testing

@testable import Fanfare

/// Real workers whose server is made anew while they work.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterLostServerTests {
    private let job: SharedJob

    init() throws { job = try SharedJob(rowCount: 20_000) }

    @Test func `workers stop when the server has lost their job, and join no other one`() throws {
        let workers = try ["a", "b"].map { try job.start($0, rate: "500/s") }
        job.wait(until: "count(*) = 2 AND min(lines) > 20 FROM fanfare.workers")
        // The next job has the number that theirs had. A transaction of theirs locks the job first.
        _ = try job.engine.query(
            "LOCK TABLE fanfare.jobs; DROP SCHEMA fanfare CASCADE; \(ClusterSchema.text) "
                + "INSERT INTO fanfare.jobs (name, identity) VALUES ('august', 7)")
        #expect(try job.engine.query("SELECT job FROM fanfare.jobs") == "1")
        for worker in workers {
            worker.end(seconds: 20).expect(3, says: "does not know the job july")
        }
        // Nor does a worker of it begin it anew.
        let again = try job.start("a", rate: "500/s").end(seconds: 20)
        again.expect(3, says: "does not know the job july")
        #expect(!again.errors.contains("--overwrite"), "\(again.errors)")
        #expect(try job.engine.query("SELECT name, state FROM fanfare.jobs") == "august|")
        #expect(try job.engine.query("SELECT count(*) FROM fanfare.workers") == "0")
        let requests = try job.provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 })
        // Each row that was sent has its line, so the reports say whom a new job leaves out.
        let lines = ["a", "b"].reduce(0) { sum, worker in
            sum + job.tool.folder.text(of: "\(worker).csv").split(separator: "\n").count - 1
        }
        #expect(lines == requests.count)
    }
}
