import FanfareTestSupport
import Foundation
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
        // One that has got no rows, and one that is killed with rows on their way.
        try job.cluster("pause").expect(0)
        let idle = try job.start("c", rate: "500/s")
        job.wait(until: "count(*) = 3 FROM fanfare.workers")
        idle.process.send(SIGTERM)
        idle.end(seconds: 20).expect(143, says: "To carry on")
        try job.start("c", rate: "500/s", job: "juli").end(seconds: 20)
            .expect(2, says: "c.csv is the report of a worker of july, and not of juli")
        try job.cluster("resume").expect(0)
        job.wait(until: "min(lines) > 300 FROM fanfare.workers WHERE name <> 'c'")
        workers[1].process.send(SIGKILL)
        _ = workers[1].end()
        // The next job has the number that theirs had. A transaction of theirs locks the job first.
        _ = try job.engine.query(
            "LOCK TABLE fanfare.jobs; DROP SCHEMA fanfare CASCADE; \(ClusterSchema.text) "
                + "INSERT INTO fanfare.jobs (name, identity) VALUES ('august', 7)")
        #expect(try job.engine.query("SELECT job FROM fanfare.jobs") == "1")
        workers[0].end(seconds: 20).expect(3, says: "does not know the job july")
        // Nor does a worker of it begin it anew, with rows or without, nor one that was done before its job was lost.
        for suffix in ["", ".cluster"] {
            try job.tool.folder.write(
                job.tool.folder.text(of: "c.csv" + suffix), to: "d.csv" + suffix)
        }
        for worker in ["a", "b", "c", "d"] {
            let again = try job.start(worker, rate: "500/s").end(seconds: 20)
            again.expect(3, says: "does not know the job july, of which \(worker).csv is a part")
            #expect(!again.errors.contains("--overwrite"), "\(again.errors)")
        }
        #expect(try job.engine.query("SELECT name, state FROM fanfare.jobs") == "august|")
        #expect(try job.engine.query("SELECT count(*) FROM fanfare.workers") == "0")
        let requests = try job.provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 })
        // Each row that was sent has its line, so the reports say whom a new job leaves out.
        let rows = ["a", "b"].flatMap { worker in
            job.tool.folder.text(of: "\(worker).csv").split(separator: "\n").dropFirst()
                .compactMap { Int($0.prefix { $0 != "," }) }
        }
        #expect(rows.count == Set(rows).count && Set(rows).isSuperset(of: requests.keys))
        #expect(rows.count < requests.count + 100)
    }
}
