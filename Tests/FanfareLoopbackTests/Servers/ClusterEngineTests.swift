import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The engine on a real server against the one in memory: the same requests, the same answers, over several
/// connections in turn.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterEngineTests {
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer()
        try ClusterControl(server.address).makeTables()
        // Making them once more changes nothing.
        try ClusterControl(server.address).makeTables()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the server answers as the model does`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var model = ClusterModel()
        let deadline = Instant.distantFuture
        let engines = try (0..<3).map { number in
            let engine = ClusterEngine(server.address, workerName: "w\(number)")
            let found = try engine.enter("july", as: 7, deadline: deadline)
            #expect(found?.identity == 7)
            return engine
        }
        var sessions = [0, 0, 0]
        var nonces: [UInt64] = [1, 2, 3]
        var beats: [UInt64] = [0, 0, 0]
        var generation: ClusterGeneration?
        var cutRow: UInt64 = 0
        var ranges: [ClusterRange] = []
        var grants: [ClusterGrant] = []
        func number(_ count: Int) -> Int { Int(dice.next() % UInt64(count)) }
        for step in 0..<300 {
            let who = number(3)
            let id = WorkerID(bits: UInt128(who + 1) << 100 | 5)
            let key =
                ranges.isEmpty
                ? GrantKey(range: .cut(at: 0), epoch: 0) : ranges[number(ranges.count)].grantKey
            let range = ranges.first { $0.grantKey == key }
            let closed = grants.isEmpty ? key : grants[number(grants.count)].key
            let middle = ((range?.granted ?? 0) + (range?.end ?? 0) + 1) / 2
            let operation: ClusterOperation
            switch sessions[who] == 0 ? 0 : number(14) {
            case 0:
                if number(8) == 0 { nonces[who] = dice.next() }
                operation = .join(
                    .init(
                        place: ClusterPlace(host: UInt64(who), boot: .max, file: 2),
                        nonce: nonces[who], fingerprint: .max - 1,
                        policy: number(6) == 0 ? 7 : .max, protocols: 1...1,
                        terms: ClusterTerms(
                            fingerprint: .max - 1, protocolVersion: 1, rate: 5_000_000_000,
                            policy: .max)))
            case 1, 2:
                beats[who] += 1
                operation = .beat(
                    .init(
                        number: beats[who], using: Int64(number(2_000_000)),
                        wants: Int64(number(9)) * 1_000_000_000,
                        lined: [.init(key: key, lined: middle)],
                        lost: number(6) == 0
                            ? [.init(worker: WorkerID(bits: UInt128(2) << 100 | 5), beat: beats[1])]
                            : [],
                        counts: ClusterCounts(lines: UInt64(step), outcomes: [1, UInt64(step), 0]),
                        outcomeEpoch: number(3) == 0 ? 1 : 0,
                        counter: number(5) == 0 ? .max : UInt64(who + 1),
                        holds: number(4) == 0 ? [.none, .longest] : [], isLeaving: number(20) == 0,
                        isRefused: number(2) == 0, opens: nil))
            case 3, 4:
                // One that was made already, too, and several at once.
                let first = number(4) == 0 && cutRow > 0 ? cutRow - 100 : cutRow
                operation = .cut(
                    (0...UInt64(number(3))).map {
                        ClusterCut(
                            firstRow: first + 100 * $0, endRow: first + 100 * ($0 + 1), sum: .max,
                            isLast: false)
                    })
            case 5, 6: operation = .take(.rest(key, seen: beats[number(3)], epoch: dice.next()))
            case 7:
                operation = .take(.upperPart(key, from: middle, newKey: .drawn(dice.next())))
            case 8:
                operation = .take(
                    .orphan(
                        closed,
                        of: .init(
                            worker: WorkerID(bits: UInt128(2) << 100 | 5), beat: beats[1])))
            case 9, 10: operation = .grant(key, upTo: (range?.granted ?? 0) + 20)
            case 11: operation = .settle(number(2) == 0 ? key : closed)
            case 12:
                operation = .giveBack(
                    .init(
                        key: key, tail: middle, scattered: RowIntervals(3..<5),
                        newKey: .drawn(dice.next()),
                        kept: number(2) == 0 ? RowIntervals(5..<9) : RowIntervals()))
            default:
                let decisions: [ClusterDecision] = [
                    .prove(insteadOf: nil), .cut(insteadOf: nil), .proved, .pause(number(4) == 0),
                    .pause(false), .setRate(7_000_000_000), .stop(.outcomes), .goOn, .goOn,
                    .renewPolicy,
                ]
                operation = .decide(
                    decisions[number(decisions.count)], after: model.state.job?.orders ?? 0)
            }
            let request = ClusterRequest(
                worker: id, session: sessions[who], generation: generation, operation: operation)
            let expected = model.transact(request)
            let answer = try engines[who].transact(request, deadline: deadline)
            let found = Self.withoutTime(answer)
            #expect(
                found.body == Self.withoutTime(expected).body, "step \(step): \(request)")
            // A server's count of takeovers begins at one, as the model's does.
            #expect(answer.generation == expected.generation)
            guard found == Self.withoutTime(expected) else { return }
            if case .joined(let joined) = expected.body { sessions[who] = joined.session }
            if case .cut(let next, _) = expected.body { cutRow = next }
            generation = expected.generation
            ranges = model.state.ranges.filter { !$0.isDone }
            grants = model.state.grants.filter { !$0.isSettled }
        }
        // All that both have now, as a worker says it anew.
        let request = ClusterRequest(
            worker: WorkerID(bits: UInt128(1) << 100 | 5), session: sessions[0],
            generation: generation,
            operation: .reassert(
                .init(
                    place: ClusterPlace(host: 0, boot: .max, file: 2), joinNonce: nonces[0],
                    fingerprint: .max - 1, beat: beats[0] + 1, using: 1,
                    held: [
                        .init(
                            key: GrantKey(range: .drawn(77), epoch: 78), rows: RowIntervals(0..<9),
                            isInDoubt: false)
                    ], rows: RowIntervals(0..<15), nonce: 79)))
        #expect(
            try engines[0].transact(request, deadline: deadline) == model.transact(request))
        let survey = ClusterRequest(
            worker: request.worker, session: sessions[0],
            generation: model.state.job?.generation, operation: .survey)
        #expect(
            try engines[1].transact(survey, deadline: deadline) == model.transact(survey))
    }

    /// The rest of a hold becomes less as time goes on: it is there, or it is not.
    private static func withoutTime(_ answer: ClusterAnswer) -> ClusterAnswer {
        guard case .orders(var orders) = answer.body else { return answer }
        orders.job.holds = orders.job.holds.map {
            $0 == .none ? .none : .longest
        }
        return ClusterAnswer(generation: answer.generation, body: .orders(orders))
    }

    @Test func `a server without tables is told from one that is not there`() throws {
        _ = try server.query("DROP SCHEMA fanfare CASCADE")
        let error = #expect(throws: FanfareError.self) {
            try ClusterControl(server.address).status(of: "july")
        }
        #expect(error?.message.contains("fanfare cluster init") == true)
        let gone = #expect(throws: FanfareError.self) {
            try ClusterControl("host=/nowhere dbname=x").status(of: "july")
        }
        #expect(gone?.message.contains("/nowhere") == true)
    }

    @Test func `a worker's role may do its work, and nothing else`() throws {
        _ = try server.query("CREATE ROLE w LOGIN IN ROLE fanfare_worker")
        let address = server.address.replacing("user=postgres", with: "user=w")
        let engine = ClusterEngine(address)
        _ = try engine.enter("july", as: 7, deadline: .distantFuture)
        let join = ClusterRequest(
            worker: WorkerID(bits: 1), session: 0, generation: nil,
            operation: .join(
                .init(
                    place: ClusterPlace(host: 1, boot: 2, file: 3), nonce: 4, fingerprint: 5,
                    protocols: 1...1,
                    terms: ClusterTerms(fingerprint: 5, protocolVersion: 1, rate: nil))))
        let answer = try engine.transact(join, deadline: .distantFuture)
        guard case .joined = answer.body else {
            Issue.record("\(answer)")
            return
        }
        for statement in [
            "DELETE FROM fanfare.jobs", "DROP TABLE fanfare.cuts",
            "UPDATE fanfare.cuts SET sum = 0",
            "UPDATE fanfare.jobs SET name = 'x'", "UPDATE fanfare.jobs SET identity = 1",
            "UPDATE fanfare.jobs SET created = now()", "UPDATE fanfare.workers SET worker = NULL",
            "UPDATE fanfare.ranges SET first_row = 0", "UPDATE fanfare.ranges SET key = 1",
            "DELETE FROM fanfare.grants", "TRUNCATE fanfare.ranges",
            "UPDATE fanfare.meta SET version = 2", "CREATE TABLE fanfare.x (a int)",
        ] {
            #expect(throws: (any Error).self, "\(statement)") {
                try ClusterEngine(address).run(statement, deadline: .distantFuture)
            }
        }
    }
}
