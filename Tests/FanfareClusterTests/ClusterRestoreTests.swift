import FanfareBase
import Testing

@testable import FanfareCore

/// A backup that is restored as the documents say: the job is paused, all workers are started, and it goes on when all are there.
@Suite struct ClusterRestoreTests {
    /// A worker whose lanes send what they get at once.
    private final class Worker {
        var member: ClusterMember
        var sent = RowIntervals()
        private let earlier: RowIntervals

        init(_ folder: ClusterFolder, lines: RowIntervals, seed: UInt64) {
            member = SharedJobAsks.member(folder, seed: seed)
            earlier = lines
        }

        func step(_ model: inout ClusterModel, _ now: Instant) {
            for _ in 0..<4 {
                guard case .ask(let request, let number) = member.next(now: now) else { break }
                member.answered(number: number, model.transact(request), now: now)
            }
            while let out = member.handOut(max: 100, now: now) {
                if !out.isInDoubt { sent.formUnion(RowIntervals(out.rows).subtracting(earlier)) }
                member.lined(out.key, below: out.rows.upperBound)
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `after a restore by the book no row is sent again`(firstComesFirst: Bool, tells: Bool) {
        var model = ClusterModel(historyMax: 200)
        var now = Instant(nanoseconds: 1_000_000_000)
        func run(_ workers: [Worker], _ steps: Int) {
            for _ in 0..<steps {
                for worker in workers { worker.step(&model, now) }
                now = now.advanced(by: .milliseconds(500))
            }
        }
        let one = Worker(ClusterFolder(worker: WorkerID(bits: 1)), lines: RowIntervals(), seed: 1)
        let two = Worker(ClusterFolder(worker: WorkerID(bits: 2)), lines: RowIntervals(), seed: 2)
        // The first worker has the job, and proves it.
        run([one], 4)
        one.member.cutRead(ClusterCut(firstRow: 0, endRow: 40, sum: 1, isLast: true))
        one.step(&model, now)
        model.state.job?.state = .running
        // It is granted rows, of which none is sent yet: a backup is made in this moment.
        for _ in 0..<12 where one.member.folder.rows.isEmpty {
            now = now.advanced(by: .milliseconds(500))
            guard case .ask(let request, let number) = one.member.next(now: now) else { continue }
            one.member.answered(number: number, model.transact(request), now: now)
        }
        #expect(!one.member.folder.rows.isEmpty)
        let rows = one.member.folder.rows
        let backup = model.state
        // It is told to leave, and gives all back; the second one comes, and sends these.
        one.member.leave(now: now)
        one.member.drained(lined: RowIntervals(), trace: { _ in .none }, now: now)
        run([one], 4)
        #expect(one.member.ending == .left && one.member.folder.rows.isEmpty && one.sent.isEmpty)
        run([two], 20)
        #expect(two.sent.isSuperset(of: rows))
        // The backup comes back, is paused, and all workers are started.
        model = ClusterModel(backup, timeline: tells ? 2 : 1)
        model.order(.pause(true))
        let again = [
            Worker(one.member.folder, lines: RowIntervals(), seed: 11),
            Worker(two.member.folder, lines: two.sent, seed: 12),
        ]
        let order = firstComesFirst ? again : again.reversed()
        for worker in order { run([worker], 6) }
        run(order, 80)
        #expect(model.state.job?.verdict == nil)
        model.order(.pause(false))
        model.order(.goOn)
        run(order, 80)
        for worker in again { #expect(worker.sent.intersection(two.sent).isEmpty) }
    }
}
