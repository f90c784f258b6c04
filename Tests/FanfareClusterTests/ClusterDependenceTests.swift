import FanfareBase
import FanfareTestSupport
import Testing

@testable import FanfareCore

/// Requests that are answered without a lock, while another one is carried out.
@Suite struct ClusterDependenceTests {
    /// The records that a request would leave, and its conditions; `nil` if it writes nothing, or needs a lock.
    private struct Step {
        var answer: ClusterAnswer
        var written: ClusterModel.State
        var dependence: ClusterDependence

        init?(_ request: ClusterRequest, on model: ClusterModel) {
            var present = model
            answer = present.transact(request)
            written = present.state
            guard present.durability != .none,
                let found = ClusterDependence(of: request, read: model.state, written: written)
            else { return nil }
            dependence = found
        }

        /// Writes as an engine does: the records that have changed, and no others.
        func write(over present: ClusterModel.State, read: ClusterModel.State) -> ClusterModel.State
        {
            var result = present
            if written.job != read.job {
                let holds = present.job?.holds ?? []
                result.job = written.job
                if written.job?.holds == read.job?.holds { result.job?.holds = holds }
            }
            for worker in written.workers where !read.workers.contains(worker) {
                if let index = result.workers.firstIndex(where: { $0.id == worker.id }) {
                    result.workers[index] = worker
                } else {
                    result.workers.append(worker)
                }
            }
            result.cuts += written.cuts.dropFirst(read.cuts.count)
            for (index, range) in written.ranges.enumerated() {
                if index >= read.ranges.count {
                    result.ranges.append(range)
                } else if range != read.ranges[index],
                    let place = result.ranges.firstIndex(where: { $0.key == range.key })
                {
                    result.ranges[place] = range
                }
            }
            for (index, grant) in written.grants.enumerated() {
                if index >= read.grants.count {
                    result.grants.append(grant)
                } else if grant != read.grants[index],
                    let place = result.grants.firstIndex(where: { $0.key == grant.key })
                {
                    result.grants[place] = grant
                }
            }
            return result
        }
    }

    /// Without what a beat's answer shows of others, and without which no operation is right or wrong.
    private static func promised(_ answer: ClusterAnswer) -> ClusterAnswer {
        guard case .orders(var orders) = answer.body else { return answer }
        orders.workers = []
        orders.counts = ClusterCounts()
        orders.freeRanges = 0
        orders.share = 0
        (orders.job.cutRows, orders.job.isAllCut, orders.job.holds) = (0, false, [])
        return ClusterAnswer(generation: answer.generation, body: .orders(orders))
    }

    /// Without the share of a worker that beats: others may have made room, or want some, which its next beat sees.
    private static func promised(
        _ state: ClusterModel.State, of request: ClusterRequest
    ) -> ClusterModel.State {
        guard case .beat = request.operation else { return state }
        var state = state
        for index in state.workers.indices where state.workers[index].id == request.worker {
            state.workers[index].share = 0
        }
        return state
    }

    private static func shares(_ state: ClusterModel.State) -> Int64 {
        state.workers.reduce(0) { $0 + $1.share }
    }

    private static func kind(_ request: ClusterRequest) -> String {
        String("\(request.operation)".prefix { $0 != "(" })
    }

    /// For each kind the pairs in which it went without a lock, though the other one had changed something.
    private static let kinds: Set = [
        "beat", "cut", "take", "grant", "settle", "giveBack", "decide",
    ]

    @Test func `a write whose conditions hold is what it would be behind the other request`() {
        var passed: [String: Int] = [:]
        var pairs = 0
        for seed in SeedChoice(usual: 120).seeds {
            var requests = RandomRequests(seed: seed)
            for step in 0..<60 {
                let (request, other) = (requests.next(), requests.next())
                let before = requests.model
                if let found = Step(request, on: before) {
                    pairs += 1
                    var present = before
                    _ = present.transact(other)
                    // With nothing between, all is as it was.
                    #expect(found.dependence.holds(in: before.state, read: before.state))
                    if found.dependence.holds(in: present.state, read: before.state) {
                        let result = found.write(over: present.state, read: before.state)
                        if present.state != before.state {
                            passed[Self.kind(request), default: 0] += 1
                        }
                        let shares = Self.shares(present.state)
                        let answer = present.transact(request)
                        let isSame =
                            Self.promised(result, of: request)
                            == Self.promised(present.state, of: request)
                            && Self.promised(found.answer) == Self.promised(answer)
                        let rate = present.state.job?.terms.rate ?? 0
                        #expect(Self.shares(result) <= max(rate, shares))
                        #expect(isSame, "seed \(seed), step \(step): \(request) behind \(other)")
                        if !isSame { return }
                    }
                }
                _ = requests.model.transact(step % 3 == 0 ? other : request)
            }
        }
        #expect(Set(passed.keys) == Self.kinds, "\(passed) of \(pairs)")
    }

    /// A job of 900 a second that ten workers share, each with its part and a range.
    private static func steady() -> (model: ClusterModel, keys: [GrantKey]) {
        var model = ClusterModel()
        func ask(_ worker: Int, session: Int = 1, _ operation: ClusterOperation) {
            _ = model.transact(
                ClusterRequest(
                    worker: WorkerID(bits: UInt128(worker)), session: session,
                    generation: model.state.job?.generation, operation: operation))
        }
        var keys: [GrantKey] = []
        for worker in 1...10 {
            ask(
                worker, session: 0,
                .join(
                    .init(
                        place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1), nonce: 1,
                        fingerprint: 1, protocols: 1...1,
                        terms: ClusterTerms(
                            fingerprint: 1, protocolVersion: 1,
                            rate: 900 * ShareRule.unitsPerStart))))
        }
        ask(1, .decide(.proved, after: 0))
        for worker in 1...10 {
            let first = UInt64(worker - 1) * 1_000
            ask(
                1, .cut([ClusterCut(firstRow: first, endRow: first + 1_000, sum: 1, isLast: false)])
            )
            keys.append(GrantKey(range: .cut(at: first), epoch: 5))
            ask(
                worker,
                .take(.rest(GrantKey(range: .cut(at: first), epoch: 0), seen: nil, epoch: 5)))
            ask(worker, .grant(keys[worker - 1], upTo: first + 100))
        }
        for number in 1...3 { for worker in 1...10 { ask(worker, .beat(beat(UInt64(number)))) } }
        return (model, keys)
    }

    private static func beat(_ number: UInt64) -> ClusterOperation.Beat {
        ClusterOperation.Beat(
            number: number, using: 90 * ShareRule.unitsPerStart, wants: .max, lined: [], lost: [],
            counts: ClusterCounts(lines: number), outcomeEpoch: 0, counter: 1, isLeaving: false,
            opens: nil)
    }

    @Test func `blocks and beats of workers at rest are in nobody's way`() throws {
        let (model, keys) = Self.steady()
        func request(_ worker: Int, _ operation: ClusterOperation) -> ClusterRequest {
            ClusterRequest(
                worker: WorkerID(bits: UInt128(worker)), session: 1,
                generation: model.state.job?.generation, operation: operation)
        }
        var present = model
        for worker in 2...10 {
            _ = present.transact(request(worker, .beat(Self.beat(9))))
            _ = present.transact(request(worker, .grant(keys[worker - 1], upTo: 10_000)))
        }
        _ = present.transact(
            request(1, .cut([ClusterCut(firstRow: 10_000, endRow: 11_000, sum: 1, isLast: false)])))
        for operation in [.beat(Self.beat(9)), .grant(keys[0], upTo: 200)] as [ClusterOperation] {
            let step = try #require(Step(request(1, operation), on: model))
            #expect(step.dependence.holds(in: present.state, read: model.state))
        }
        // One that comes changes shares, and an order all.
        _ = present.transact(request(2, .decide(.stop(.ordered), after: 0)))
        let grant = try #require(Step(request(1, .grant(keys[0], upTo: 200)), on: model))
        #expect(!grant.dependence.holds(in: present.state, read: model.state))
    }
}
