import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Workers that are killed, come back to their folder while the job lets them start nothing, and leave again.
///
/// Only the folder knows the rows that the process before has sent, and the rows that go back are sent by others.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterReturnTests {
    /// The reason why a worker that comes back may start nothing.
    enum Hold: CaseIterable {
        case stopped, paused
        /// Another one sends the first rows, to prove the job.
        case proving
    }

    private static let count = 12_000

    private let job: SharedJob

    init() throws { job = try SharedJob(rowCount: Self.count) }

    private static func worker(_ name: String, _ condition: String) -> String {
        "EXISTS (SELECT FROM fanfare.workers WHERE name = '\(name)' AND \(condition))"
    }

    /// The records of a table that are still b's.
    private static func open(_ table: String, _ owner: String, _ condition: String) -> String {
        "SELECT FROM fanfare.\(table) WHERE \(condition) AND \(owner) = "
            + "(SELECT worker FROM fanfare.workers WHERE name = 'b')"
    }

    @Test(arguments: Hold.allCases)
    func `a worker that comes back only to leave gives back no row that was sent`(
        hold: Hold
    ) throws {
        // The time in which another one proves the job has to be enough to come back, and to leave.
        let rate = hold == .proving ? "200/s" : "800/s"
        let b = try job.start("b", rate: rate)
        job.wait(until: Self.worker("b", "lines > \(hold == .proving ? 30 : 0)"))
        var a = try job.start("a", rate: rate)
        job.wait(until: Self.worker("a", hold == .proving ? "beat > 0" : "lines > 100"))
        b.process.send(SIGKILL)
        _ = b.end()
        switch hold {
        case .stopped:
            try job.cluster("stop").expect(0)
            a.end().expect(130)
        case .paused: try job.cluster("pause").expect(0)
        case .proving:
            // As a worker does when the prover has not been heard of for fifteen seconds.
            _ = try job.engine.query(
                """
                UPDATE fanfare.jobs SET prover = (SELECT worker FROM fanfare.workers WHERE name = 'a')
                WHERE state = 'proving'
                """)
        }
        let again = try job.start("b", rate: rate)
        if hold == .stopped {
            again.end().expect(130)
        } else {
            job.wait(until: Self.worker("b", "session = 2"))
            again.process.send(SIGTERM)
            again.end().expect(143)
        }
        // All that it did not send is free for others at once.
        job.wait(until: Self.worker("b", "state = 'left'"))
        job.wait(until: "NOT EXISTS (\(Self.open("ranges", "owner", "NOT is_done")))")
        if hold != .proving { try job.cluster("resume").expect(0) }
        try job.cluster("rate", "1000000/s").expect(0)
        if hold == .stopped { a = try job.start("a", rate: rate) }
        // Others have sent them before it comes back, or it would know which it has sent.
        job.wait(until: "NOT EXISTS (SELECT FROM fanfare.ranges WHERE NOT is_done)")
        let doubtful = Self.open("grants", "worker", "NOT is_settled")
        if try job.engine.query("SELECT EXISTS (\(doubtful))") == "t" {
            // Rows that were in flight when it was killed.
            try job.start("b", rate: rate).end().expect(1)
        }
        a.end().expect(0)

        let twice = try job.provider.requests().values.count { $0 > 1 }
        #expect(twice == 0, "\(twice) rows were sent twice")
        let lines = ["a", "b"].flatMap { worker in
            job.tool.folder.text(of: "\(worker).csv").split(separator: "\n").dropFirst()
                .compactMap { Int($0.prefix { $0 != "," }) }
        }
        #expect(lines.count == Self.count && Set(lines) == Set(1...Self.count))
    }
}
