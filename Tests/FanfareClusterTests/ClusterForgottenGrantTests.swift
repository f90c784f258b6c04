import FanfareBase
import Testing

@testable import FanfareCore

/// A worker that stood still while a standby without its last grant took over, and another worker got the rows.
@Suite struct ClusterForgottenGrantTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
        var member = SharedJobAsks.member(ClusterFolder(worker: WorkerID(bits: 1)))

        /// Has the worker ask once.
        @discardableResult
        mutating func step(now: Instant) -> ClusterOperation? {
            guard case .ask(let request, let number) = member.next(now: now) else { return nil }
            member.answered(number: number, model.transact(request), now: now)
            return request.operation
        }

        /// A worker of twenty rows, ten of which its lanes have.
        init(tells: Bool, now: Instant) {
            ask(2, session: 0, SharedJobAsks.join(2))
            ask(2, SharedJobAsks.beat(1))
            ask(2, .decide(.proved, after: 0))
            ask(2, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
            for _ in 0..<8 where member.folder.rows.isEmpty { step(now: now) }
            #expect(member.handOut(max: 10, now: now)?.rows == 0..<10)
            while model.state.ranges.first?.owner != nil { model.goBack(writes: 1, tells: false) }
            if tells { model.goBack(writes: 0, tells: true) }
            ask(2, SharedJobAsks.beat(2))
            model.state.job?.isOpen = true
            ask(2, .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 12)))
            ask(2, .grant(GrantKey(range: .cut(at: 0), epoch: 12), upTo: 20))
            #expect(model.state.ranges.first?.granted == 20)
        }
    }

    @Test(arguments: [true, false])
    func
        `a worker that hears that the engine went back starts nothing before it has said what it holds`(
            tells: Bool
        )
    {
        let now = Instant(nanoseconds: 1_000_000_000)
        var desk = Desk(tells: tells, now: now)
        let later = now.advanced(by: .seconds(40))
        #expect(!desk.member.mayStart(now: later))
        guard case .beat? = desk.step(now: later) else { Issue.record("no beat"); return }
        #expect(!desk.member.mayStart(now: later))
        #expect(desk.member.handOut(max: 10, now: later) == nil)
        guard case .reassert? = desk.step(now: later) else { Issue.record("no word"); return }
        // Rows that were granted before a loss that no server has counted may have been given back before it.
        guard tells else { return }
        #expect(desk.member.handOut(max: 10, now: later)?.isInDoubt != false)
        #expect(desk.model.state.job?.verdict == .grantedTwice(0..<20))
    }

    @Test func `a worker of a finished job that went back sends nothing that others have settled`()
    {
        let now = Instant(nanoseconds: 1_000_000_000)
        var desk = Desk(tells: true, now: now)
        desk.ask(2, .settle(GrantKey(range: .cut(at: 0), epoch: 12)))
        #expect(desk.model.state.job?.state == .finished)
        let later = now.advanced(by: .seconds(40))
        guard case .beat? = desk.step(now: later) else { Issue.record("no beat"); return }
        #expect(desk.member.ending == nil && !desk.member.mayStart(now: later))
        guard case .reassert? = desk.step(now: later) else { Issue.record("no word"); return }
        // Lanes stop, and are not let go.
        #expect(desk.member.drainVerdict == .stopped(.grantedTwice(0..<10)))
    }
}

/// A worker that leaves when the engine has forgotten that a range of its was settled.
@Suite struct ClusterForgottenSettlementTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
    }

    /// The engine has shown the range as open, and has not said yet what is in it.
    @Test func `rows that were settled do not go back`() {
        var desk = Desk()
        desk.ask(2, session: 0, SharedJobAsks.join(2))
        desk.ask(2, .decide(.proved, after: 0))
        desk.ask(2, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
        var member = SharedJobAsks.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var now = Instant(nanoseconds: 1_000_000_000)
        func step() {
            guard case .ask(let request, let number) = member.next(now: now) else { return }
            member.answered(number: number, desk.model.transact(request), now: now)
        }
        for _ in 0..<8 where member.folder.rows.isEmpty { step() }
        let key = member.folder.held.first?.key
        let before = desk.model.state
        while let out = member.handOut(max: 100, now: now) {
            member.lined(out.key, below: out.rows.upperBound)
        }
        for _ in 0..<4 where !member.folder.held.isEmpty { step() }
        #expect(member.folder.held.isEmpty && member.folder.rows == RowIntervals(0..<20))
        // The settlement is lost, uncounted; the worker hears of the range, and is told to leave.
        desk.model = ClusterModel(before, timeline: 1)
        now = now.advanced(by: .seconds(2))
        member.beatDue = now
        desk.model.state.job?.state = .running
        step()
        member.leave(now: now)
        member.drained(lined: RowIntervals(), trace: { _ in .line }, now: now)
        for _ in 0..<6 where member.ending == nil { step() }
        #expect(member.ending == .left)
        #expect(desk.model.state.ranges.allSatisfy { $0.restRows.isEmpty })
        #expect(desk.model.state.grants.map(\.key) == [key])
        #expect(desk.model.state.grants.map(\.rows) == [RowIntervals(0..<20)])
    }
}
