import FanfareBase
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Removing a job from a server: when that is refused, and what workers of it hear.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterRemovalTests {
    private let server: PostgresServer
    private let control: ClusterControl

    init() throws {
        server = try PostgresServer()
        control = ClusterControl(server.address)
        try control.makeTables()
    }

    /// A job with a worker that has joined.
    private func begin(_ name: String) throws -> ClusterEngine {
        let engine = ClusterEngine(server.address, workerName: "web3", report: "/r/july.csv")
        _ = try engine.enter(name, as: 7, deadline: .distantFuture)
        let answer = try engine.transact(
            Self.request(
                .join(
                    .init(
                        place: ClusterPlace(host: 1, boot: 2, file: 3), nonce: 4, fingerprint: 5,
                        protocols: 2...2,
                        terms: ClusterTerms(fingerprint: 5, protocolVersion: 2, rate: nil)))),
            deadline: .distantFuture)
        guard case .joined = answer.body else { throw ClusterRow.Fault() }
        return engine
    }

    private static func request(_ operation: ClusterOperation) -> ClusterRequest {
        ClusterRequest(
            worker: WorkerID(bits: 1), session: 0, generation: nil, operation: operation)
    }

    private func age() throws {
        _ = try server.query("UPDATE fanfare.workers SET seen = now() - interval '16 s'")
    }

    /// Makes a user, and the control that it has of the server.
    private func user(_ name: String, _ roles: String = "") throws -> ClusterControl {
        _ = try server.query("CREATE ROLE \(name) LOGIN \(roles)")
        return ClusterControl(server.address.replacing("user=postgres", with: "user=\(name)"))
    }

    private func refusal(unfinished: Bool = false, by control: ClusterControl? = nil) -> String {
        do {
            _ = try (control ?? self.control).remove("july", isUnfinishedToo: unfinished)
            return "removed"
        } catch {
            return error.message
        }
    }

    @Test func `a job goes when its workers are silent, and its name stays taken`() throws {
        let engine = try begin("july")
        // A worker whose folder was copied asks so for the other process.
        #expect(
            try engine.place(of: WorkerID(bits: 1), deadline: .distantFuture)
                == "/r/july.csv on \(Machine.hostName)")
        #expect(refusal(unfinished: true).hasPrefix("web3 of july was heard of 0 s ago: "))
        try age()
        #expect(refusal().hasPrefix("july is not finished, and "))
        _ = try server.query("UPDATE fanfare.jobs SET state = 'finished', cut_rows = 500")
        // The last word of a worker comes with the end: that the job goes on is no reason then.
        _ = try server.query("UPDATE fanfare.workers SET seen = now()")
        #expect(
            refusal().hasSuffix(
                " s ago: july is finished, and can be removed 15 s after the last word of a worker")
        )
        try age()
        let removal = try control.remove("july", isUnfinishedToo: false)
        #expect(removal.rows == 500)
        #expect(removal.reports.count == 1)
        #expect(removal.reports[0].hasPrefix("web3: /r/july.csv on "))
        #expect(!removal.isNameFree)
        for table in ["workers", "cuts", "ranges", "grants"] {
            #expect(try server.query("SELECT count(*) FROM fanfare.\(table)") == "0")
        }
        #expect(try engine.place(of: WorkerID(bits: 1), deadline: .distantFuture) == nil)
        // A worker of it that wakes up hears that, and ends.
        let answer = try engine.transact(Self.request(.survey), deadline: .distantFuture)
        #expect(answer.body == .refused(.jobIsUnknown))
        // Nor does a worker without a memory begin it anew.
        let again = ClusterEngine(server.address)
        let found = try #require(try again.enter("july", as: 8, deadline: .distantFuture))
        #expect(found.isRemoved && found.identity != 8 && found.identity != 7)
        #expect(try control.jobs().lines.isEmpty)
        #expect(refusal().hasPrefix("july was removed, and nothing but its name is there"))
        #expect(try control.remove("july", isUnfinishedToo: false, freesName: true).isNameFree)
        #expect(try again.enter("july", as: 8, deadline: .distantFuture)?.identity == 8)
    }

    @Test func `an unfinished job goes on demand, and one without workers at once`() throws {
        _ = try begin("july")
        try age()
        #expect(refusal(unfinished: true) == "removed")
        #expect(try control.remove("july", isUnfinishedToo: false, freesName: true).rows == 0)
        let engine = ClusterEngine(server.address)
        _ = try engine.enter("july", as: 7, deadline: .distantFuture)
        #expect(refusal() == "removed")
        #expect(refusal().hasPrefix("there is no job july"))
    }

    @Test func `a command that is stopped in the midst of an order holds no job up`() throws {
        let results = try control.run(
            "\(ClusterSQL.beginHolding) SELECT current_setting('idle_in_transaction_session_timeout'); ROLLBACK"
        )
        #expect(results.count == 5 && results[3] == [["5s"]])
    }

    @Test func `a worker's user removes nothing`() throws {
        _ = try begin("july")
        try age()
        _ = try server.query("UPDATE fanfare.jobs SET state = 'finished'")
        let worker = try user("w", "IN ROLE fanfare_worker")
        let viewer = try user("v", "IN ROLE fanfare_viewer")
        for user in [worker, viewer, try user("n")] {
            #expect(
                refusal(by: user).hasSuffix(
                    "; it takes the user who has made the tables, or a superuser"))
        }
        #expect(try server.query("SELECT count(*) FROM fanfare.workers") == "1")
    }

    @Test func `a viewer sees jobs, and changes none`() throws {
        _ = try begin("july")
        let viewer = try user("v", "IN ROLE fanfare_viewer")
        #expect(try viewer.jobs().lines.map(\.name) == ["july"])
        #expect(try viewer.status(of: "july").workers.map(\.label) == ["web3"])
        let error = #expect(throws: FanfareError.self) {
            try viewer.order([.pause(true)], to: "july")
        }
        #expect(
            error?.message.hasSuffix("; GRANT fanfare_worker TO this user lets it work") == true)
        let stranger = try user("n")
        let unseen = #expect(throws: FanfareError.self) { try stranger.status(of: "july") }
        #expect(
            unseen?.message.hasSuffix("; GRANT fanfare_viewer TO this user lets it look") == true)
    }

    @Test func `all jobs are listed, the newest first, and what is left out is counted`() throws {
        _ = try server.query(
            "INSERT INTO fanfare.jobs (name, identity) SELECT 'j' || n, n FROM generate_series(1, 1003) n"
        )
        let (lines, leftOut) = try control.jobs()
        #expect(lines.count == 1_000 && leftOut == 3)
        #expect(lines.first?.name == "j1003" && lines.last?.name == "j4")
        #expect(lines.allSatisfy { $0.state == nil && $0.workers == 0 })
        let error = #expect(throws: FanfareError.self) { try control.status(of: "x") }
        #expect(
            error?.message.contains("there are j1003, j1002, j1001, j1000, j999, and 998 more")
                == true)
    }

    @Test func `a stop says by whom, until the job goes on`() throws {
        let engine = try begin("july")
        engine.stopReason = "--stop-if failed>3: 4 of 9 rows"
        let stop = ClusterRequest(
            worker: WorkerID(bits: 1), session: 1, generation: nil,
            operation: .decide(.stop(.outcomes), after: 0))
        #expect(try engine.transact(stop, deadline: .distantFuture).body == .done)
        let words = ClusterStopWords(worker: "web3", reason: "--stop-if failed>3: 4 of 9 rows")
        #expect(try control.status(of: "july").stop == words)
        #expect(try engine.stopWords(deadline: .distantFuture) == words)
        try control.order([.goOn], to: "july")
        #expect(try control.status(of: "july").stop == nil)
        #expect(try engine.stopWords(deadline: .distantFuture) == nil)
        try control.order([.stop(.ordered)], to: "july")
        #expect(
            try control.status(of: "july").stop == ClusterStopWords(worker: nil, reason: "postgres")
        )
    }
}
