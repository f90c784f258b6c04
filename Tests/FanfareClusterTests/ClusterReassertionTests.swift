import FanfareBase
import Testing

@testable import FanfareCore

/// Grants that workers say anew: no row comes to have two of them.
@Suite struct ClusterReassertionTests {
    private static let free = GrantKey(range: .cut(at: 0), epoch: 0)
    /// The generation in which the job begins.
    private static let before = ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0)
    fileprivate static func key(_ epoch: UInt64) -> GrantKey {
        GrantKey(range: .cut(at: 0), epoch: epoch)
    }

    /// A job of twenty rows, with two workers.
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 32)

        init() {
            for worker in [1, 2] as [UInt128] {
                let place = ClusterPlace(host: UInt64(worker), boot: 1, file: 1)
                let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil)
                ask(
                    worker, session: 0,
                    .join(
                        .init(
                            place: place, nonce: 7, fingerprint: 1, protocols: 1...1, terms: terms))
                )
                beat(worker, 1)
            }
            ask(1, .decide(.proved, after: 0))
            ask(1, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
        }

        mutating func beat(
            _ worker: UInt128, _ number: UInt64, lined: [ClusterOperation.Beat.Progress] = []
        ) {
            ask(
                worker,
                .beat(
                    .init(
                        number: number, using: 0, wants: 0, lined: lined, lost: [],
                        counts: ClusterCounts(), counter: 1, isLeaving: false, opens: nil)))
        }

        mutating func takeOrphan(_ worker: UInt128, of other: UInt128, beat: UInt64) {
            let seen = ClusterOperation.Seen(worker: WorkerID(bits: other), beat: beat)
            ask(worker, .take(.orphan(ClusterReassertionTests.key(11), of: seen)))
        }

        mutating func reassert(
            _ worker: UInt128, beat: UInt64, knowing generation: ClusterGeneration? = nil,
            _ held: [ClusterOperation.Reassertion.Claim], rows: RowIntervals
        ) {
            ask(
                worker, knowing: generation,
                .reassert(
                    .init(
                        place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1), joinNonce: 7,
                        fingerprint: 1, beat: beat, using: 0, held: held, rows: rows, nonce: 99)))
        }

        var grants: [UInt64: [Range<UInt64>]] {
            Dictionary(
                uniqueKeysWithValues: model.state.grants.map { ($0.key.epoch, $0.rows.spans) })
        }

        var unsettled: [UInt64] { model.state.grants.filter { !$0.isSettled }.map(\.key.epoch) }
    }

    @Test func `rows that one of two workers has written off are not missed by the other one`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Self.key(11), upTo: 10))
        desk.ask(2, .take(.rest(Self.key(11), seen: 1, epoch: 12)))
        desk.takeOrphan(2, of: 1, beat: 1)
        // It writes five lines, and stands still; so does the other one afterwards.
        desk.beat(2, 2, lined: [.init(key: Self.key(11), lined: 5)])
        desk.takeOrphan(1, of: 2, beat: 2)
        desk.takeOrphan(2, of: 1, beat: 1)
        // The five lines stay those of the worker that wrote them, under a name of their own.
        let records =
            [11: [5..<10], 11 &+ 0x9E37_79B9_7F4A_7C15: [0..<5]] as [UInt64: [Range<UInt64>]]
        #expect(desk.grants == records)
        let claim = ClusterOperation.Reassertion.Claim(
            key: Self.key(11), rows: RowIntervals(0..<10), isInDoubt: true)
        desk.reassert(2, beat: 2, [claim], rows: RowIntervals())
        #expect(desk.model.state.job?.generation.ordinal == 0)
        #expect(desk.grants == records)
    }

    @Test func `a worker that got rows of its own once more has each of them once`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Self.key(11), upTo: 10))
        // A copy of the disk takes over, and no worker has noticed when this one looks for work.
        desk.model.goBack(writes: 2, tells: false)
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 12)))
        desk.ask(1, .grant(Self.key(12), upTo: 4))
        let held = [(11, 10), (12, 4)].map {
            ClusterOperation.Reassertion.Claim(
                key: Self.key($0.0), rows: RowIntervals(0..<$0.1), isInDoubt: false)
        }
        desk.reassert(1, beat: 1, held, rows: RowIntervals(0..<10))
        #expect(desk.grants == [11: [4..<10], 12: [0..<4]])
        #expect(desk.model.state.job?.state == .running)
    }

    /// The server was restored, and has granted rows once more, with no word of it.
    @Test func `a row that one worker has settled and another one holds is named once`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Self.key(11), upTo: 4))
        // It has heard of ten, and another worker has sent the fifth one.
        let claim = Self.claim(11, 0..<10)
        desk.reassert(1, beat: 1, [claim], rows: RowIntervals(0..<10))
        desk.reassert(2, beat: 1, knowing: Self.before, [], rows: RowIntervals(4..<5))
        #expect(desk.model.state.job?.verdict == .grantedTwice(4..<5))
        // It misses the row, and says so.
        desk.reassert(1, beat: 1, [claim], rows: RowIntervals(0..<10))
        desk.reassert(2, beat: 1, [], rows: RowIntervals(4..<5))
        #expect(desk.model.state.job?.generation.ordinal == 1)
        #expect(desk.grants == [11: [0..<4, 5..<10], 1: [4..<5]])
        #expect(desk.unsettled == [11])
    }

    /// No worker gives back what it has settled, so the other one cannot have got it that way.
    @Test(arguments: [4, 20] as [UInt64])
    func `a row that another worker has settled is named, whenever it was granted`(granted: UInt64)
    {
        var desk = Desk()
        // More rows come, so the job is not finished.
        desk.model.state.job?.isAllCut = false
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Self.key(11), upTo: granted))
        desk.ask(
            1,
            granted == 20
                ? .settle(Self.key(11))
                : .giveBack(
                    .init(
                        key: Self.key(11), tail: granted, scattered: RowIntervals(),
                        newKey: .drawn(5))))
        desk.reassert(2, beat: 1, [], rows: RowIntervals(2..<3))
        #expect(desk.model.state.job?.verdict == .grantedTwice(2..<3))
    }

    @Test func `rows that two workers hold are in doubt, and neither takes them any more`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Self.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Self.key(11), upTo: 4))
        desk.ask(2, .take(.rest(Self.key(11), seen: 1, epoch: 12)))
        desk.ask(2, .grant(Self.key(12), upTo: 6))
        let (first, second) = (Self.claim(11, 0..<10), Self.claim(12, 4..<8))
        desk.reassert(1, beat: 1, [first], rows: RowIntervals(0..<10))
        desk.reassert(2, beat: 1, knowing: Self.before, [second], rows: RowIntervals(4..<8))
        #expect(desk.model.state.job?.verdict == .grantedTwice(4..<8))
        desk.reassert(1, beat: 1, [first], rows: RowIntervals(0..<10))
        desk.reassert(2, beat: 1, [second], rows: RowIntervals(4..<8))
        #expect(desk.model.state.job?.generation.ordinal == 1)
        #expect(desk.grants == [11: [0..<4, 8..<10], 1: [4..<8]])
        #expect(desk.unsettled == [11, 1])
    }

    private static func claim(
        _ epoch: UInt64, _ rows: Range<UInt64>
    ) -> ClusterOperation.Reassertion.Claim {
        .init(key: key(epoch), rows: RowIntervals(rows), isInDoubt: false)
    }
}
