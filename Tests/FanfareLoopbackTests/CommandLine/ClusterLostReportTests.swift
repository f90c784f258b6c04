import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A machine that is gone for good, with its report: what the page tells an operator to do.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterLostReportTests {
    private static let count = 30_000

    private let job: SharedJob

    init() throws { job = try SharedJob(rowCount: Self.count) }

    /// The numbers of `status`: finished, waiting, granted, in doubt, and all that were counted.
    private func numbers() throws -> [Int] {
        let status = try job.cluster("status", "--json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
        return ["finished", "waiting", "granted", "in_doubt", "counted"].map {
            object["rows_\($0)"] as? Int ?? -1
        }
    }

    @Test func `a machine that is gone with its report leaves no row without a line`() throws {
        let workers = try ["a", "b", "c"].map { try job.start($0, rate: "1500/s") }
        job.wait(until: "count(*) = 3 FROM fanfare.workers WHERE lines > 500")
        try job.cluster("write-off", "b").expect(2, says: "stop it first")
        try job.cluster("write-off", "x").expect(2, says: "no worker x")
        workers[1].process.send(SIGKILL)
        _ = workers[1].end()
        try FileManager.default.removeItem(atPath: job.tool.folder.path("b.csv"))
        // The others call it lost after 15 seconds.
        job.wait(until: "state = 'lost' FROM fanfare.workers WHERE name = 'b'")
        let running = try numbers()
        #expect(running[..<4].reduce(0, +) == running[4] && running[3] > 0, "\(running)")
        let status = try job.cluster("status").output
        #expect(status.contains("b: lost, "), "\(status)")
        try job.cluster("remove").expect(2, says: "heard of")
        // Without this order the others would wait for a minute more.
        try job.cluster("write-off", "b").expect(0)
        try job.cluster("rate", "1000000/s").expect(0)
        for worker in [workers[0], workers[2]] {
            let end = worker.end(seconds: 50)
            #expect([0, 1].contains(end.exitCode), "\(end.errors)")
        }
        #expect(try numbers() == [Self.count, 0, 0, 0, Self.count])

        let address = job.engine.address + "/july"
        let audit = try job.tool.run("report", "a.csv", "c.csv", "--of", address)
        audit.expect(4, says: "b has told that its report has lines of")
        let words = audit.errors.replacing("\n", with: " ")
        #expect(words.contains("b.csv on ") && words.contains("--lost b"), "\(words)")
        #expect(!words.contains("granted to no worker"), "\(words)")
        let lost = ["--of", address, "--lost", "b", "--rows", "rows.csv", "--output", "lost.csv"]
        // The same rows in another order are not those of the job, and nothing is written.
        let rows = job.tool.folder.text(of: "rows.csv").split(separator: "\n")
        try job.tool.folder.write(
            ([rows[0]] + rows.dropFirst().reversed()).joined(separator: "\n") + "\n",
            to: "other.csv")
        try job.tool.run(
            ["report", "a.csv", "c.csv"] + lost.map { $0 == "rows.csv" ? "other.csv" : $0 }
        ).expect(4, says: "other.csv: these are not the rows of the job")
        try job.tool.run(["report", "a.csv", "c.csv"] + lost).expect(0, says: "whose report")
        try job.tool.run(["report", "a.csv", "c.csv"] + lost).expect(2, says: "exists already")
        let reports = ["a.csv", "c.csv", "lost.csv"]
        try job.tool.run(["report"] + reports + ["--of", address])
            .expect(0, says: "each of the \(Self.count) rows of july has a line")

        // A line for each row, in their order; those of the lost report have their tokens.
        try job.tool.run(["report"] + reports + ["--ordered", "--output", "july.csv"]).expect(0)
        let lines = job.tool.folder.text(of: "july.csv").split(separator: "\n").dropFirst()
        #expect(lines.map { Int($0.prefix { $0 != "," }) } == Array(1...Self.count))
        let tokens = job.tool.folder.text(of: "rows.csv").split(separator: "\n").dropFirst()
        let isRight = zip(lines, tokens).allSatisfy { line, row in
            !line.contains("report lost") || line.contains(row.prefix { $0 != "," })
        }
        #expect(isRight)
        let requests = try job.provider.requests()
        #expect(requests.values.allSatisfy { $0 == 1 })
        // Each one that was sent the message has a line that says that it was sent, or may have been.
        let sent = lines.count { $0.contains(",accepted,") || $0.contains(",unknown,") }
        #expect(sent == Self.count && requests.count <= Self.count)

        _ = try job.engine.query("UPDATE fanfare.workers SET seen = seen - interval '1 minute'")
        let removal = try job.cluster("remove")
        #expect(removal.exitCode == 0, "\(removal)")
        #expect(removal.output.contains("the name stays taken"), "\(removal)")
        let list = try job.tool.run("cluster", "list", job.engine.address)
        #expect(list.output == "There are no jobs\n")
    }
}
