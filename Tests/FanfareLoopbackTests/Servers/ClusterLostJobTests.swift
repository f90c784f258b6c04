import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// A server that has lost a job, was made anew, or was restored from an earlier backup.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterLostJobTests {
    private let server: PostgresServer
    private let start = Instant(nanoseconds: 0)

    init() throws {
        server = try PostgresServer()
        try ClusterControl(server.address).makeTables()
    }

    private func engine(_ job: String, as identity: UInt64) throws -> ClusterEngine {
        let engine = ClusterEngine(server.address)
        let found = try engine.enter(job, as: identity, deadline: .distantFuture)
        #expect(found?.identity == identity)
        return engine
    }

    private func member(_ number: UInt128) -> ClusterMember {
        var patience = ClusterPatience()
        patience.blockRows = 4...4
        patience.splitRows = 2
        patience.provingRows = 1
        return ClusterMember(
            folder: ClusterFolder(worker: WorkerID(bits: number)),
            place: ClusterPlace(host: UInt64(number), boot: 1, file: 1),
            terms: ClusterTerms(fingerprint: 5, protocolVersion: 2, rate: nil),
            protocols: 2...2, patience: patience, seed: UInt64(number))
    }

    /// Has a worker ask all that it wants to know now.
    private func talk(
        _ member: inout ClusterMember, _ engine: ClusterEngine, at now: Instant
    ) throws {
        member.beatDue = now
        for _ in 0..<30 {
            while let row = member.cutWanted {
                member.cutRead(ClusterCut(firstRow: row, endRow: 100, sum: 1, isLast: true))
            }
            guard case .ask(let request, let number) = member.next(now: now) else { return }
            let answer = try engine.transact(request, deadline: .distantFuture)
            member.answered(number: number, answer, now: now)
        }
    }

    /// Has lanes write the lines of all rows that a worker has.
    private func line(_ member: inout ClusterMember, at now: Instant) -> RowIntervals {
        var rows = RowIntervals()
        while let out = member.handOut(max: 100, now: now) {
            rows.insert(out.rows)
            member.lined(out.key, below: out.rows.upperBound)
        }
        member.counted(ClusterCounts(lines: member.folder.rows.count))
        return rows
    }

    @Test func `a job that has got the number is another one`() throws {
        let july = try engine("july", as: 7)
        var member = member(1)
        try talk(&member, july, at: start)
        #expect(line(&member, at: start).spans == [0..<4])
        _ = try server.query("DROP SCHEMA fanfare CASCADE")
        try ClusterControl(server.address).makeTables()
        let august = try engine("august", as: 8)
        #expect(try server.query("SELECT job, name FROM fanfare.jobs") == "1|august")
        var other = self.member(2)
        try talk(&other, august, at: start)
        let tables = ["jobs", "workers", "ranges", "grants", "cuts"]
        let content = { try tables.map { try server.query("TABLE fanfare.\($0)") } }
        let before = try content()

        let operations: [ClusterOperation] = [
            .join(
                .init(
                    place: ClusterPlace(host: 1, boot: 1, file: 1), nonce: 1, fingerprint: 5,
                    protocols: 2...2,
                    terms: ClusterTerms(fingerprint: 5, protocolVersion: 2, rate: nil))),
            .reassert(
                .init(
                    place: ClusterPlace(host: 1, boot: 1, file: 1), joinNonce: 1, fingerprint: 5,
                    beat: 9, using: 0, held: [], rows: RowIntervals(0..<4), nonce: 3)),
            .survey, .grant(GrantKey(range: .cut(at: 0), epoch: 0), upTo: 9),
            .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 4)),
            .decide(.stop(.ordered), after: 0),
        ]
        for operation in operations {
            let request = ClusterRequest(
                worker: WorkerID(bits: 1), session: 1, generation: nil, operation: operation)
            let answer = try july.transact(request, deadline: .distantFuture)
            #expect(
                answer == ClusterAnswer(generation: nil, body: .refused(.jobIsUnknown)),
                "\(operation)")
        }
        #expect(try july.lastCut(deadline: .distantFuture) == nil)
        #expect(try july.cuts(from: 0, deadline: .distantFuture) == [])
        #expect(try august.cuts(from: 0, deadline: .distantFuture).count == 1)
        try talk(&member, july, at: start)
        #expect(member.ending == .refused(.jobIsUnknown))
        #expect(try content() == before)
        // A worker that was part of it makes no other one of its name.
        let again = ClusterEngine(server.address)
        #expect(try again.enter("july", as: nil, deadline: .distantFuture) == nil)
        #expect(try content() == before)
    }

    @Test func `a server without the tables has lost the job`() throws {
        let july = try engine("july", as: 7)
        for statement in [
            "ALTER TABLE fanfare.grants DROP COLUMN rows", "DROP SCHEMA fanfare CASCADE",
        ] {
            var member = member(1)
            _ = try server.query(statement)
            try talk(&member, july, at: start)
            #expect(member.ending == .refused(.jobIsUnknown), "\(statement)")
        }
    }

    /// The server counts no takeover then: only what workers say shows that it was restored.
    @Test func `a server that was restored learns what was granted since`() throws {
        let july = try engine("july", as: 7)
        var (first, second) = (member(1), member(2))
        try talk(&first, july, at: start)
        #expect(line(&first, at: start).spans == [0..<4])
        let tables = ["jobs", "workers", "ranges", "grants", "cuts"]
        for table in tables {
            _ = try server.query("CREATE TABLE \(table) AS TABLE fanfare.\(table)")
        }
        var sent = RowIntervals(0..<4)
        for _ in 0..<3 {
            try talk(&first, july, at: start)
            sent.formUnion(line(&first, at: start))
        }
        #expect(sent.spans == [0..<16])
        for table in tables.reversed() { _ = try server.query("DELETE FROM fanfare.\(table)") }
        for table in tables {
            _ = try server.query(
                "INSERT INTO fanfare.\(table) OVERRIDING SYSTEM VALUE TABLE \(table)")
        }
        #expect(try server.query("SELECT granted, ordinal FROM fanfare.ranges") == "4|0")
        try talk(&first, july, at: start)
        #expect(try server.query("SELECT ordinal, is_open FROM fanfare.jobs") == "1|f")
        try talk(&second, july, at: start)
        #expect(second.handOut(max: 100, now: start) == nil)
        // The others' patience has passed.
        for second in [16, 17, 18, 19] {
            let now = start.advanced(by: .seconds(second))
            try talk(&first, july, at: now)
        }
        let now = start.advanced(by: .seconds(20))
        for _ in 0..<3 {
            try talk(&second, july, at: now)
            let rows = line(&second, at: now)
            #expect(rows.intersection(sent).isEmpty)
            sent.formUnion(rows)
        }
        #expect(sent.count > 16)
    }
}
