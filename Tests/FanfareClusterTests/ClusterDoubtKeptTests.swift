import FanfareBase
import Testing

@testable import FanfareCore

/// Rows that a worker has in doubt, when the engine has forgotten why.
@Suite struct ClusterDoubtKeptTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
        private var before = ClusterModel.State()
        private(set) var folder = ClusterFolder(worker: WorkerID(bits: 1))

        /// The first worker has a grant of ten rows.
        init() {
            for worker in [1, 2] as [UInt128] {
                ask(worker, session: 0, SharedJobAsks.join(worker))
            }
            ask(1, SharedJobAsks.beat(1))
            ask(1, .decide(.proved, after: 0))
            ask(1, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
            let key = GrantKey(range: .cut(at: 0), epoch: 11)
            ask(1, .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 11)))
            ask(1, .grant(key, upTo: 10))
            before = model.state
            folder.session = 1
            folder.place = SharedJobAsks.place(1)
            folder.generation = model.state.job?.generation
            folder.held = [.init(key: key, rows: RowIntervals(0..<10), isInDoubt: false)]
            folder.rows = RowIntervals(0..<10)
        }

        /// Runs a process of the folder at another place, and has the engine forget that it joined.
        /// - Returns: True if its rows are in doubt.
        mutating func run(forgets: Bool, seed: UInt64) -> Bool? {
            let now = Instant(nanoseconds: 1_000_000_000)
            var member = SharedJobAsks.member(folder, at: SharedJobAsks.place(9), seed: seed)
            for step in 0..<8 {
                if step == 1 && forgets {
                    while model.state != before { model.goBack(writes: 1, tells: false) }
                    model.goBack(writes: 0, tells: true)
                }
                guard case .ask(let request, let number) = member.next(now: now) else { break }
                member.answered(number: number, model.transact(request), now: now)
            }
            let out = member.handOut(max: 100, now: now)
            folder = member.folder
            return out?.isInDoubt
        }
    }

    /// It has said so to the engine, and its folder has it, too.
    @Test func `rows in doubt stay so when an engine forgets the join of a folder that was moved`()
    {
        var desk = Desk()
        #expect(desk.run(forgets: true, seed: 1) == true)
        #expect(desk.folder.held.map(\.isInDoubt) == [true])
        #expect(desk.model.state.grants.map(\.isInDoubt) == [true])
        // It is killed, and comes back at the same place.
        #expect(desk.run(forgets: false, seed: 2) == true)
    }

    /// And once more: a backup has them without a doubt.
    @Test func `rows in doubt stay so when an engine forgets it again`() {
        var desk = Desk()
        #expect(desk.run(forgets: true, seed: 1) == true)
        desk.model.state.grants[0].isInDoubt = false
        #expect(desk.run(forgets: false, seed: 2) == true)
        #expect(desk.model.state.grants.map(\.isInDoubt) == [true])
    }
}
