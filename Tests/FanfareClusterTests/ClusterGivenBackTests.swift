import FanfareBase
import Testing

@testable import FanfareCore

/// Rows that a worker gave back, when the engine has forgotten so.
@Suite struct ClusterGivenBackTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
        /// The first worker's folder, which has given ten rows back, and the grant of these.
        var folder = ClusterFolder(worker: WorkerID(bits: 1))
        let former = GrantKey(range: .cut(at: 0), epoch: 11)
        /// The second worker's grant of the same rows, and the generation in which it got it.
        private(set) var second = GrantKey(range: .cut(at: 0), epoch: 12)
        private(set) var generation: ClusterGeneration?

        init() throws {
            for worker in [1, 2] as [UInt128] {
                ask(worker, session: 0, SharedJobAsks.join(worker))
                ask(worker, SharedJobAsks.beat(1))
            }
            ask(1, .decide(.proved, after: 0))
            ask(1, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
            ask(
                1,
                .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 11)))
            ask(1, .grant(former, upTo: 10))
            let before = model.state
            generation = model.state.job?.generation
            folder.session = 1
            folder.place = SharedJobAsks.place(1)
            folder.generation = generation
            ask(
                1,
                .giveBack(
                    .init(key: former, tail: 0, scattered: RowIntervals(), newKey: .drawn(5))))
            ask(1, SharedJobAsks.beat(2, leaving: true))
            // The second one gets the rows, and sends them.
            let range = try #require(model.state.ranges.first { !$0.isDone })
            ask(2, .take(.rest(range.grantKey, seen: nil, epoch: 12)))
            second = GrantKey(range: range.key, epoch: 12)
            ask(2, .grant(second, upTo: 10))
            #expect(model.state.ranges.contains { $0.grantedRows == RowIntervals(0..<10) })
            // A standby without these writes takes over, or a backup is restored.
            while model.state != before { model.goBack(writes: 1, tells: false) }
        }
    }

    @Test(arguments: [true, false])
    func `a worker that comes back sends nothing of a forgotten grant`(tells: Bool) throws {
        var desk = try Desk()
        if tells { desk.model.goBack(writes: 0, tells: true) }
        var member = SharedJobAsks.member(desk.folder)
        let now = Instant(nanoseconds: 1_000_000_000)
        var asked: [ClusterOperation] = []
        var outs: [ClusterMember.HandOut] = []
        for _ in 0..<8 {
            guard case .ask(let request, let number) = member.next(now: now) else { break }
            asked.append(request.operation)
            member.answered(number: number, desk.model.transact(request), now: now)
            while let out = member.handOut(max: 100, now: now) { outs.append(out) }
        }
        #expect(!outs.contains { $0.key == desk.former })
        #expect(!tells || outs.isEmpty)
        // It gives them back once more.
        let backs = asked.compactMap { if case .giveBack(let back) = $0 { back.key } else { nil } }
        #expect(backs == [desk.former])
        #expect(member.folder.backs.isEmpty)
        guard tells else { return }
        // The second worker says what it has, and keeps it: nothing is lost, and nothing was granted twice.
        let claim = ClusterOperation.Reassertion.Claim(
            key: desk.second, rows: RowIntervals(0..<10), isInDoubt: false)
        let reply = desk.ask(
            2, knowing: desk.generation,
            .reassert(
                .init(
                    place: SharedJobAsks.place(2), joinNonce: 7, fingerprint: 1, beat: 1, using: 0,
                    held: [claim], rows: RowIntervals(0..<10), nonce: 99)))
        guard case .reasserted(let grants) = reply else { Issue.record("\(reply)"); return }
        #expect(grants.map(\.rows) == [RowIntervals(0..<10)])
        #expect(desk.model.state.job?.verdict == nil)
        let free = desk.model.state.ranges.filter { !$0.isDone }
        #expect(
            free.reduce(into: RowIntervals()) { $0.formUnion($1.restRows) } == RowIntervals(10..<20)
        )
    }

    /// A process that was killed has not heard of some of its rows: they go back, and the others stay.
    @Test func `a process that comes sends what its folder has, and gives the rest back`() throws {
        var desk = try Desk()
        desk.folder.held = [.init(key: desk.former, rows: RowIntervals(0..<4), isInDoubt: false)]
        desk.folder.rows = RowIntervals(0..<4)
        var member = SharedJobAsks.member(desk.folder)
        let now = Instant(nanoseconds: 1_000_000_000)
        for _ in 0..<4 {
            guard case .ask(let request, let number) = member.next(now: now) else { break }
            member.answered(number: number, desk.model.transact(request), now: now)
        }
        #expect(member.handOut(max: 100, now: now)?.rows == 0..<4)
        let kept = desk.model.state.grants.filter { !$0.isSettled }
        #expect(kept.map(\.rows) == [RowIntervals(0..<4)])
        let free = desk.model.state.ranges.filter { !$0.isDone && $0.owner == nil }
        #expect(
            free.reduce(into: RowIntervals()) { $0.formUnion($1.restRows) } == RowIntervals(4..<20))
    }

    /// In these seeds the process that came back had sent rows a second time.
    @Test(arguments: [14, 15, 45, 78] as [UInt64])
    func `a worker that left and comes back after a takeover sends nothing twice`(seed: UInt64) {
        var plan = ClusterPlan(quiet: seed, workers: 3, rows: 400)
        plan.cutRows = 20
        plan.rate = 20 * ShareRule.unitsPerStart
        plan.patience.blockRows = 8...16
        plan.window = 2...2
        let at = Int(seed % 4) * 400
        plan.faults = [
            (at: .milliseconds(5000), .leave(worker: 1)),
            (
                at: .milliseconds(5900 + at),
                .goBack(writes: Int(3 + seed % 17), tells: true, .milliseconds(50))
            ),
            (at: .milliseconds(5960 + at), .comeBack(worker: 1)),
        ]
        let world = ClusterWorld(plan: plan)
        world.run()
        #expect(world.ledger.violations.isEmpty)
    }
}
