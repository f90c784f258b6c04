import FanfareBase
import Testing

@testable import FanfareCore

/// A worker that stops the job by its own outcomes and leaves, while others give orders.
@Suite struct ClusterHandingBackTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
    }

    private enum Other: CaseIterable { case stop, rate, pause, none }

    @Test(arguments: Other.allCases)
    private func `a worker that stops the job gives its rows back, whatever others order meanwhile`(
        other: Other
    ) throws {
        var desk = Desk()
        desk.ask(2, session: 0, SharedJobAsks.join(2))
        desk.ask(2, SharedJobAsks.beat(1))
        desk.ask(2, .decide(.proved, after: 0))
        desk.ask(2, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
        var now = Instant(nanoseconds: 1_000_000_000)
        var member = SharedJobAsks.member(ClusterFolder(worker: WorkerID(bits: 1)))
        for _ in 0..<8 where member.folder.rows.isEmpty {
            guard case .ask(let request, let number) = member.next(now: now) else { break }
            member.answered(number: number, desk.model.transact(request), now: now)
        }
        #expect(member.folder.rows == RowIntervals(0..<20))
        member.decide(.stop(.outcomes))
        member.leave(now: now)
        switch other {
        case .stop: desk.ask(2, .decide(.stop(.outcomes), after: 0))
        case .rate: desk.model.order(.setRate(5))
        case .pause: desk.model.order(.pause(true))
        case .none: break
        }
        // Its lanes are through when the answer comes.
        guard case .ask(let request, let number) = member.next(now: now) else { return }
        now = now.advanced(by: .milliseconds(400))
        member.answered(number: number, desk.model.transact(request), now: now)
        member.drained(lined: RowIntervals(), trace: { _ in .none }, now: now)
        var asked: [ClusterOperation] = []
        while asked.count < 20, case .ask(let request, let number) = member.next(now: now) {
            asked.append(request.operation)
            now = now.advanced(by: .milliseconds(400))
            member.answered(number: number, desk.model.transact(request), now: now)
        }
        #expect(asked.count <= 4)
        #expect(member.ending == .left)
        #expect(member.folder.backs.isEmpty && member.folder.rows.isEmpty)
        guard case .beat(let last)? = asked.last else { Issue.record("\(asked)"); return }
        #expect(last.isLeaving)
        #expect(desk.model.state.job?.verdict == .outcomes)
        #expect(desk.model.state.workers.last?.state == .left)
        let free = desk.model.state.ranges.filter { !$0.isDone && $0.owner == nil }
        #expect(free.map(\.restRows) == [RowIntervals(0..<20)])
    }
}
