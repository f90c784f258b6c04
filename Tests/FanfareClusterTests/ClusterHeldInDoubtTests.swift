import FanfareBase
import Testing

@testable import FanfareCore

/// Rows of a lost worker that another one has written off, or is about to, when a backup of before is restored.
@Suite struct ClusterHeldInDoubtTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 64)
        let key = GrantKey(range: .cut(at: 0), epoch: 11)
        private(set) var generation: ClusterGeneration?

        /// The third worker has sent ten rows, and is gone; the first one has them in doubt.
        init() {
            for worker in [1, 2, 3] as [UInt128] {
                ask(worker, session: 0, SharedJobAsks.join(worker))
            }
            ask(1, .decide(.proved, after: 0))
            ask(1, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
            generation = model.state.job?.generation
            ask(3, .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 11)))
            ask(3, .grant(key, upTo: 10))
            ask(2, .take(.rest(key, seen: 0, epoch: 12)))
            ask(1, .take(.orphan(key, of: .init(worker: WorkerID(bits: 3), beat: 0))))
            #expect(model.state.grants.map(\.rows) == [RowIntervals(0..<10)])
            #expect(model.state.grants.map(\.isInDoubt) == [true])
        }

        /// The first worker says what it has.
        mutating func reassert(nonce: UInt64 = 9) {
            ask(
                1, knowing: generation,
                .reassert(
                    .init(
                        place: SharedJobAsks.place(1), joinNonce: 7, fingerprint: 1, beat: 1,
                        using: 0,
                        held: [.init(key: key, rows: RowIntervals(0..<10), isInDoubt: true)],
                        rows: RowIntervals(), nonce: nonce)))
        }

        /// The second worker is granted all that it can get.
        mutating func grantedRows() -> RowIntervals? {
            // The engine sees that it has gone back, if it has not yet.
            ask(2, .survey)
            model.state.job?.isOpen = true
            let epoch = model.state.ranges[0].epoch
            ask(2, .take(.rest(GrantKey(range: .cut(at: 0), epoch: epoch), seen: 0, epoch: 13)))
            let reply = ask(2, .grant(GrantKey(range: .cut(at: 0), epoch: 13), upTo: 20))
            if case .granted(let range) = reply { return range.grantedRows }
            return nil
        }

        /// The workers by the rows that they have.
        var rows: [UInt128: [RowIntervals]] {
            Dictionary(grouping: model.state.grants) { $0.worker.bits }.mapValues { $0.map(\.rows) }
        }
    }

    @Test func `no other worker gets rows that one holds in doubt`() {
        var desk = Desk()
        desk.model.goBack(writes: 4, tells: true)
        desk.reassert()
        #expect(desk.rows == [1: [RowIntervals(0..<10)]])
        #expect(desk.grantedRows() == RowIntervals(10..<20))
    }

    /// Its lines say so, and its folder.
    @Test func `no other worker gets rows that one has written off`() {
        var desk = Desk()
        desk.ask(1, .settle(desk.key))
        desk.model.goBack(writes: 5, tells: true)
        desk.ask(
            1, knowing: desk.generation,
            .reassert(
                .init(
                    place: SharedJobAsks.place(1), joinNonce: 7, fingerprint: 1, beat: 1, using: 0,
                    held: [], rows: RowIntervals(), writtenOff: RowIntervals(0..<10), nonce: 9)))
        #expect(desk.rows == [1: [RowIntervals(0..<10)]])
        #expect(desk.model.state.grants.map(\.isSettled) == [true])
        #expect(desk.grantedRows() == RowIntervals(10..<20))
    }

    /// The engine still knows that they were the third worker's.
    @Test(arguments: [1, 2])
    func `rows in doubt stay their first worker's if an engine has forgotten who writes them off`(
        writes: Int
    ) {
        var desk = Desk()
        desk.model.goBack(writes: writes, tells: true)
        desk.reassert()
        #expect(desk.grantedRows() == RowIntervals(10..<20))
        #expect(desk.rows == [3: [RowIntervals(0..<10)]])
        #expect(desk.model.state.job?.verdict == nil)
    }

    /// The worker that knew better was not there.
    @Test func `rows in doubt that another worker was granted meanwhile are that one's`() {
        var desk = Desk()
        desk.model.goBack(writes: 4, tells: true)
        #expect(desk.grantedRows() == RowIntervals(0..<20))
        desk.reassert()
        #expect(desk.rows == [:])
        #expect(desk.model.state.ranges.map(\.grantedRows) == [RowIntervals(0..<20)])
    }
}
