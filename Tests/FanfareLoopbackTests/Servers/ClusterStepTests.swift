import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Steps on a real server that other ones come between: reads without a lock, and writes that compare.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterStepTests {
    private let server: PostgresServer
    private let engines: [ClusterEngine]
    private let key = GrantKey(range: .cut(at: 0), epoch: 5)

    init() throws {
        let server = try PostgresServer()
        self.server = server
        try ClusterControl(server.address).makeTables()
        engines = try (0..<2).map { number in
            let engine = ClusterEngine(server.address, workerName: "w\(number)")
            _ = try engine.enter("july", as: 7, deadline: .distantFuture)
            return engine
        }
    }

    private func request(_ worker: Int, _ operation: ClusterOperation) -> ClusterRequest {
        let isJoining = if case .join = operation { true } else { false }
        return ClusterRequest(
            worker: WorkerID(bits: UInt128(worker + 1)), session: isJoining ? 0 : 1,
            generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0), operation: operation)
    }

    private func beat(_ number: UInt64) -> ClusterOperation {
        .beat(
            .init(
                number: number, using: 0, wants: .max, lined: [], lost: [], counts: ClusterCounts(),
                outcomeEpoch: 0, counter: 1, isLeaving: false, opens: nil))
    }

    /// A model and a server with two workers, of which the first one has a range.
    private func prepared() throws -> ClusterModel {
        var model = ClusterModel()
        let terms = ClusterTerms(
            fingerprint: 1, protocolVersion: 1, rate: 900 * ShareRule.unitsPerStart)
        let joins = (0..<2).map { worker in
            request(
                worker,
                .join(
                    .init(
                        place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1), nonce: 1,
                        fingerprint: 1, protocols: 1...1, terms: terms)))
        }
        let cuts = (0..<2).map {
            ClusterCut(firstRow: 100 * $0, endRow: 100 * ($0 + 1), sum: 1, isLast: $0 == 1)
        }
        let rest = [
            request(0, .decide(.proved, after: 0)), request(0, .cut([cuts[0]])),
            request(0, .cut([cuts[1]])),
            request(
                0, .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 5))),
        ]
        for request in joins + rest {
            let answer = try engines[request.worker == joins[0].worker ? 0 : 1]
                .transact(request, deadline: .distantFuture)
            #expect(answer == model.transact(request))
        }
        return model
    }

    /// Answers a request between whose read and write others are carried out.
    private func step(
        _ model: inout ClusterModel, _ asked: ClusterRequest, between others: [ClusterRequest]
    ) throws -> Int {
        var left = others
        let other = engines[1]
        engines[0].afterSnapshot = {
            guard !left.isEmpty else { return }
            let next = left.removeFirst()
            #expect(throws: Never.self) {
                _ = try other.transact(next, deadline: .distantFuture)
            }
        }
        let before = engines[0].conflictCount
        let answer = try engines[0].transact(asked, deadline: .distantFuture)
        engines[0].afterSnapshot = nil
        for other in others.dropLast(left.count) { _ = model.transact(other) }
        #expect(answer == model.transact(asked))
        let survey = request(1, .survey)
        #expect(
            try other.transact(survey, deadline: .distantFuture) == model.transact(survey))
        return engines[0].conflictCount - before
    }

    @Test func `beats and takes of another range are in no way of a grant`() throws {
        var model = try prepared()
        let others = [
            request(1, beat(1)),
            request(1, .take(.rest(GrantKey(range: .cut(at: 100), epoch: 0), seen: nil, epoch: 6))),
        ]
        for (count, other) in others.enumerated() {
            let grant = request(0, .grant(key, upTo: UInt64(10 + count)))
            #expect(try step(&model, grant, between: [other]) == 0)
        }
    }

    @Test func `a grant behind a take of the same range is answered as if it came later`() throws {
        var model = try prepared()
        let part = request(1, .take(.upperPart(key, from: 50, newKey: .drawn(9))))
        #expect(try step(&model, request(0, .grant(key, upTo: 80)), between: [part]) == 1)
        #expect(model.state.ranges[0].granted == 50)
    }

    @Test func `two workers that take one range do not both get it`() throws {
        var model = try prepared()
        let free = GrantKey(range: .cut(at: 100), epoch: 0)
        let other = request(1, .take(.rest(free, seen: nil, epoch: 8)))
        let take = request(0, .take(.rest(free, seen: nil, epoch: 9)))
        #expect(try step(&model, take, between: [other]) == 1)
        #expect(model.state.ranges[1].owner == other.worker)
    }

    @Test func `a request that meets changes twice is carried out under the lock`() throws {
        var model = try prepared()
        let parts = ([80, 60, 40] as [UInt64]).map {
            request(1, .take(.upperPart(key, from: $0, newKey: .drawn($0))))
        }
        #expect(try step(&model, request(0, .grant(key, upTo: 90)), between: parts) == 2)
        #expect(model.state.ranges[0].granted == 60)
    }

    @Test func `the last grants of a job that are settled together finish it`() throws {
        var model = try prepared()
        let other = GrantKey(range: .cut(at: 100), epoch: 6)
        for (worker, operation) in [
            (1, .take(.rest(GrantKey(range: .cut(at: 100), epoch: 0), seen: nil, epoch: 6))),
            (1, .grant(other, upTo: 200)), (0, .grant(key, upTo: 100)),
        ] as [(Int, ClusterOperation)] {
            let asked = request(worker, operation)
            #expect(
                try engines[worker].transact(asked, deadline: .distantFuture)
                    == model.transact(asked))
        }
        let settle = request(0, .settle(key))
        #expect(try step(&model, settle, between: [request(1, .settle(other))]) == 1)
        #expect(model.state.job?.state == .finished)
        let state = try server.query("SELECT state FROM fanfare.jobs")
        #expect(state == "finished")
    }
}
