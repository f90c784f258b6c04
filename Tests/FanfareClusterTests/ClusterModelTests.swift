import FanfareBase
import Testing

@testable import FanfareCore

/// The meaning of single operations.
@Suite struct ClusterModelTests {
    /// A job of 100 rows in one range, with workers that have joined.
    private struct Desk: ModelDesk {
        var model = ClusterModel(historyMax: 32)

        init(
            workers: [UInt128] = [1, 2], rate: Int64? = nil,
            cuts: [ClusterCut] = [ClusterCut(firstRow: 0, endRow: 100, sum: 1, isLast: true)]
        ) {
            for worker in workers { _ = join(worker, rate: rate) }
            _ = ask(1, .beat(Self.beat(1)))
            _ = ask(1, .decide(.proved, after: 0))
            if !cuts.isEmpty { _ = ask(1, .cut(cuts)) }
        }

        static func place(_ worker: UInt128) -> ClusterPlace {
            ClusterPlace(host: UInt64(worker), boot: 1, file: 1)
        }

        mutating func join(
            _ worker: UInt128, session: Int = 0, at place: ClusterPlace? = nil, nonce: UInt64 = 7,
            rate: Int64? = nil
        ) -> ClusterReply {
            let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: rate)
            return ask(
                worker, session: session,
                .join(
                    .init(
                        place: place ?? Self.place(worker), nonce: nonce, fingerprint: 1,
                        protocols: 1...1, terms: terms)))
        }

        static func beat(
            _ number: UInt64, using: Int64 = 0, wants: Int64 = .max, outcomes: [UInt64] = [],
            inEpoch epoch: Int? = nil, counter: UInt64 = 1, holds: [Int64] = []
        ) -> ClusterOperation.Beat {
            ClusterOperation.Beat(
                number: number, using: using, wants: wants, lined: [], lost: [],
                counts: ClusterCounts(outcomes: outcomes), outcomeEpoch: epoch, counter: counter,
                holds: holds.map { ProviderHold(milliseconds: $0) }, isLeaving: false, opens: nil)
        }

        /// Worker 1 says that it has rows 0 to 29.
        static func reassertion(beat: UInt64) -> ClusterOperation {
            .reassert(
                .init(
                    place: place(1), joinNonce: 7, fingerprint: 1, beat: beat, using: 0,
                    held: [.init(key: key(11), rows: RowIntervals(0..<30), isInDoubt: false)],
                    rows: RowIntervals(0..<30), nonce: 99))
        }

        static let free = GrantKey(range: .cut(at: 0), epoch: 0)

        static func key(_ epoch: UInt64) -> GrantKey { GrantKey(range: .cut(at: 0), epoch: epoch) }

        /// The rows of all grants, by worker.
        func rows(of worker: UInt128) -> [Range<UInt64>] {
            var rows = RowIntervals()
            for range in model.state.ranges where range.owner?.bits == worker {
                rows.formUnion(range.grantedRows)
            }
            for grant in model.state.grants where grant.worker.bits == worker {
                rows.formUnion(grant.rows)
            }
            return rows.spans
        }
    }

    @Test func `what was granted stays with its owner when the rest is taken`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        desk.ask(2, .take(.rest(Desk.key(11), seen: 1, epoch: 22)))
        desk.ask(2, .grant(Desk.key(22), upTo: 50))
        #expect(desk.rows(of: 1) == [0..<30] && desk.rows(of: 2) == [30..<50])
        // The former owner may still settle what it has, and gets nothing more.
        guard case .closed(let grant) = desk.ask(1, .grant(Desk.key(11), upTo: 60)) else {
            Issue.record("the grant is not closed")
            return
        }
        #expect(grant.rows.spans == [0..<30])
        #expect(desk.ask(1, .settle(Desk.key(11))) == .done)
    }

    @Test func `a request that is repeated does the same once`() {
        var desk = Desk()
        let take = ClusterOperation.take(.rest(Desk.free, seen: nil, epoch: 11))
        let first = desk.ask(1, take)
        #expect(desk.ask(1, take) == first)
        #expect(desk.ask(2, .take(.rest(Desk.free, seen: nil, epoch: 22))) == .missed)
        let grant = ClusterOperation.grant(Desk.key(11), upTo: 30)
        let second = desk.ask(1, grant)
        #expect(desk.ask(1, grant) == second)
        // An older one that comes late takes nothing back.
        desk.ask(1, .grant(Desk.key(11), upTo: 10))
        #expect(desk.rows(of: 1) == [0..<30])
    }

    @Test func `the upper part of a range is split off once`() {
        var desk = Desk(workers: [1, 2, 3])
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        let split = ClusterOperation.take(
            .upperPart(Desk.key(11), from: 60, newKey: .drawn(5)))
        guard case .taken(let range) = desk.ask(2, split) else {
            Issue.record("it is not split")
            return
        }
        #expect(range.first == 60 && range.end == 100)
        #expect(desk.ask(2, split) == .taken(range))
        // The key is drawn by chance: another worker with the same one gets nothing.
        #expect(desk.ask(3, split) == .missed)
        let ends: [UInt64] = desk.model.state.ranges.map { $0.end }
        #expect(ends.sorted() == [60, 100])
    }

    @Test func `a cutter that leaves leaves its office`() {
        var desk = Desk(cuts: [])
        #expect(desk.model.state.job?.cutter == WorkerID(bits: 1))
        var beat = Desk.beat(2)
        beat.isLeaving = true
        desk.ask(1, .beat(beat))
        #expect(desk.model.state.job?.cutter == nil)
    }

    @Test func `one of two workers that would follow a lost cutter gets its office`() {
        var desk = Desk(workers: [1, 2, 3], cuts: [])
        let office = ClusterOperation.decide(.cut(insteadOf: WorkerID(bits: 1)), after: 0)
        #expect(desk.ask(2, office) == .done)
        #expect(desk.ask(3, office) == .missed)
        #expect(desk.model.state.job?.cutter == WorkerID(bits: 2))
    }

    @Test func `the progress of a grant counts for that one alone`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        desk.ask(2, .take(.rest(Desk.key(11), seen: 1, epoch: 22)))
        desk.ask(2, .grant(Desk.key(22), upTo: 50))
        desk.ask(1, .take(.rest(Desk.key(22), seen: 0, epoch: 33)))
        desk.ask(1, .grant(Desk.key(33), upTo: 60))
        desk.ask(2, .take(.rest(Desk.key(33), seen: 1, epoch: 44)))
        // Worker 1 has rows 0 to 29 and 50 to 59, and lines about the first five of these.
        var beat = Desk.beat(2)
        beat.lined = [.init(key: Desk.key(33), lined: 55)]
        desk.ask(1, .beat(beat))
        let lined = desk.model.state.grants.map { [$0.key.epoch, $0.lined] }
        #expect(lined == [[11, 0], [22, 30], [33, 55]])
        // Another worker's word about a grant is none.
        beat = Desk.beat(1)
        beat.lined = [.init(key: Desk.key(33), lined: 60)]
        desk.ask(2, .beat(beat))
        #expect(desk.model.state.grants.map(\.lined) == [0, 30, 55])
    }

    @Test func `rows that were given back do not come back with a late request`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        var scattered = RowIntervals(3..<5)
        scattered.insert(9..<10)
        desk.ask(
            1,
            .giveBack(
                .init(key: Desk.key(11), tail: 20, scattered: scattered, newKey: .drawn(5))))
        #expect(desk.rows(of: 1) == [0..<3, 5..<9, 10..<20])
        #expect(desk.ask(1, .grant(Desk.key(11), upTo: 30)) == .notYours)
        // The scattered ones are a range of their own now.
        let key = GrantKey(range: .drawn(5), epoch: 0)
        desk.ask(2, .take(.rest(key, seen: nil, epoch: 33)))
        desk.ask(2, .grant(GrantKey(range: .drawn(5), epoch: 33), upTo: 100))
        #expect(desk.rows(of: 2) == [3..<5, 9..<10])
    }

    @Test func `rows in doubt stay with a worker that gives the others back`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        var kept = RowIntervals(2..<4)
        kept.insert(18..<20)
        let back = ClusterOperation.giveBack(
            .init(
                key: Desk.key(11), tail: 20, scattered: RowIntervals(8..<10), newKey: .drawn(5),
                kept: kept))
        // Its answer was lost.
        for _ in 0..<2 { desk.ask(1, back) }
        let grants = desk.model.state.grants
        #expect(grants.filter { !$0.isSettled }.map(\.rows) == [kept])
        #expect(grants.filter { !$0.isSettled }.map(\.key) == [Desk.key(11)])
        #expect(grants.filter { !$0.isSettled }.map(\.lined) == [2])
        var lined = RowIntervals(0..<20)
        lined.subtract(kept)
        lined.remove(8..<10)
        #expect(grants.filter(\.isSettled).map(\.rows) == [lined])
        #expect(grants.allSatisfy { $0.worker == WorkerID(bits: 1) })
        // They are all that a process that comes back gets.
        guard case .joined(let joined) = desk.join(1, session: 1, nonce: 8) else {
            Issue.record("it does not join")
            return
        }
        #expect(joined.grants.map(\.rows) == [kept])
        // A copy of the request that comes now changes nothing.
        #expect(desk.ask(1, back) == .superseded(Desk.place(1)))
        #expect(desk.model.state.grants.filter { !$0.isSettled }.map(\.rows) == [kept])
    }

    @Test func `an order that comes late does not undo a newer one`() {
        var desk = Desk()
        #expect(desk.ask(1, .decide(.pause(true), after: 0)) == .done)
        #expect(desk.ask(1, .decide(.pause(false), after: 1)) == .done)
        #expect(desk.ask(1, .decide(.pause(true), after: 0)) == .missed)
        #expect(desk.model.state.job?.isPaused == false)
    }

    @Test func `a worker that is given up is so until it beats again`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        desk.model.order(.giveUp(WorkerID(bits: 1)))
        #expect(desk.model.state.workers[0].state == .givenUp)
        // Another one writes about the rows that it was granted, and that stays so.
        desk.ask(2, .take(.rest(Desk.key(11), seen: 1, epoch: 22)))
        let seen = ClusterOperation.Seen(worker: WorkerID(bits: 1), beat: 1)
        guard case .takenGrant(let grant) = desk.ask(2, .take(.orphan(Desk.key(11), of: seen)))
        else {
            Issue.record("the grant is not taken")
            return
        }
        #expect(grant.rows.spans == [0..<30] && grant.isInDoubt)
        desk.ask(1, .beat(Desk.beat(2)))
        #expect(desk.model.state.workers[0].state == .active)
        #expect(desk.rows(of: 1).isEmpty)
    }

    /// Returns the figures that a beat is answered with.
    private func counts(
        _ worker: UInt128, _ beat: ClusterOperation.Beat, session: Int = 1, at desk: inout Desk
    ) -> ClusterCounts? {
        guard case .orders(let orders) = desk.ask(worker, session: session, .beat(beat)) else {
            Issue.record("the beat has no answer")
            return nil
        }
        return orders.counts
    }

    @Test func `outcomes are those of all others, and begin anew when a job goes on`() {
        var desk = Desk()
        var first = Desk.beat(2, outcomes: [7, 3], inEpoch: 0, counter: 11)
        first.counts.lines = 10
        #expect(counts(1, first, at: &desk)?.outcomes == [])
        var second = Desk.beat(1, outcomes: [1, 2, 1], inEpoch: 0, counter: 22)
        second.counts.lines = 4
        #expect(counts(2, second, at: &desk) == ClusterCounts(lines: 14, outcomes: [7, 3]))
        desk.model.order(.stop(.outcomes))
        desk.model.order(.goOn)
        #expect(desk.model.state.workers.map(\.counts.outcomes) == [[], []])
        #expect(desk.model.state.workers.map(\.counts.lines) == [10, 4])
        // A worker that was in the midst of its last answers tells them with the next beat, and they do not count.
        second = Desk.beat(2, outcomes: [1, 5, 1], inEpoch: 0, counter: 22)
        #expect(counts(2, second, at: &desk)?.outcomes == [])
        first = Desk.beat(3, outcomes: [2], inEpoch: 1, counter: 11)
        #expect(counts(1, first, at: &desk)?.outcomes == [])
        second = Desk.beat(3, outcomes: [0, 1], inEpoch: 1, counter: 22)
        #expect(counts(2, second, at: &desk)?.outcomes == [2])
    }

    @Test func `no order changes a finished job`() {
        var desk = Desk()
        desk.model.state.job?.state = .finished
        let finished = desk.model.state.job
        for decision in [
            ClusterDecision.pause(true), .setRate(7), .goOn, .stop(.ordered),
        ] {
            desk.model.order(decision)
            #expect(desk.model.state.job == finished, "\(decision)")
        }
    }

    /// A worker repeats an order that was missed.
    @Test func `an order to go on is obeyed, also where the job goes on already`() {
        var desk = Desk()
        #expect(desk.ask(1, .decide(.stop(.ordered), after: 0)) == .done)
        #expect(desk.ask(1, .decide(.goOn, after: 1)) == .done)
        #expect(desk.ask(2, .decide(.goOn, after: 1)) == .missed)
        #expect(desk.ask(2, .decide(.goOn, after: 2)) == .done)
        #expect(desk.model.state.job?.orders == 2 && desk.model.state.job?.outcomeEpoch == 1)
    }

    @Test func `outcomes of a worker that is started again stay counted, once`() {
        var desk = Desk()
        _ = counts(1, Desk.beat(2, outcomes: [7, 3], inEpoch: 0, counter: 11), at: &desk)
        _ = desk.join(1, session: 1, nonce: 8)
        // The new process hears of what the one before has told, and so do the others.
        let begun = Desk.beat(3, outcomes: [0, 0], inEpoch: 0, counter: 12)
        #expect(counts(1, begun, session: 2, at: &desk)?.outcomes == [7, 3])
        let later = Desk.beat(4, outcomes: [1, 1], inEpoch: 0, counter: 12)
        #expect(counts(1, later, session: 2, at: &desk)?.outcomes == [7, 3])
        let other = Desk.beat(1, outcomes: [0, 5], inEpoch: 0, counter: 22)
        #expect(counts(2, other, at: &desk)?.outcomes == [8, 4])
        // The same process joins once more, after a late request of another one: nothing counts twice.
        _ = desk.join(1, session: 2, nonce: 9)
        let same = Desk.beat(5, outcomes: [1, 2], inEpoch: 0, counter: 12)
        #expect(counts(1, same, session: 3, at: &desk)?.outcomes == [7, 8])
    }

    @Test func `the longest time that a provider asks for counts, up to a minute`() {
        var desk = Desk()
        func holds() -> [Int64] { desk.model.state.job?.holds.map(\.milliseconds) ?? [] }
        desk.ask(1, .beat(Desk.beat(2, holds: [0, 5_000])))
        #expect(holds() == [0, 5_000])
        desk.model.elapsed(milliseconds: 1_000)
        // Another worker was asked for less, and the same one tells what is left, a little late.
        desk.ask(2, .beat(Desk.beat(1, holds: [0, 3_000])))
        desk.ask(1, .beat(Desk.beat(3, holds: [0, 4_200])))
        #expect(holds() == [0, 4_000])
        desk.ask(2, .beat(Desk.beat(2, holds: [86_400_000])))
        #expect(holds() == [60_000, 4_000])
        desk.model.elapsed(milliseconds: 61_000)
        #expect(holds() == [0, 0])
        // An older beat that comes late asks for nothing.
        desk.ask(1, .beat(Desk.beat(2, holds: [5_000])))
        #expect(holds() == [0, 0])
    }

    @Test func `rows that the engine has forgotten are not granted again`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 100))
        desk.ask(1, .settle(Desk.key(11)))
        desk.model.goBack(writes: 3, tells: true)
        #expect(desk.rows(of: 1).isEmpty)
        // A new generation gives nothing before workers have said what they hold, settled rows too.
        #expect(desk.ask(2, .take(.rest(Desk.free, seen: nil, epoch: 22))) == .otherGeneration)
        #expect(desk.ask(2, .take(.rest(Desk.free, seen: nil, epoch: 22))) == .missed)
        desk.ask(
            1,
            .reassert(
                .init(
                    place: Desk.place(1), joinNonce: 7, fingerprint: 1, beat: 5, using: 0, held: [],
                    rows: RowIntervals(0..<100), nonce: 99)))
        #expect(desk.rows(of: 1) == [0..<100])
        #expect(desk.model.state.job?.state == .finished)
    }

    @Test func `a cut that is made again has no rows that a worker holds`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        // The cut itself is forgotten, too.
        desk.model.goBack(writes: 3, tells: true)
        #expect(desk.model.state.ranges.isEmpty)
        desk.ask(1, .beat(Desk.beat(9)))
        desk.ask(1, Desk.reassertion(beat: 9))
        desk.ask(1, .cut([ClusterCut(firstRow: 0, endRow: 100, sum: 1, isLast: true)]))
        #expect(desk.model.state.ranges.map(\.restRows.spans) == [[30..<100]])
    }

    @Test func `rows that are given back when their cut is forgotten come with that cut alone`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        desk.model.goBack(writes: 3, tells: true)
        desk.ask(1, .beat(Desk.beat(9)))
        desk.ask(1, Desk.reassertion(beat: 9))
        desk.ask(
            1,
            .giveBack(
                .init(key: Desk.key(11), tail: 10, scattered: RowIntervals(), newKey: .drawn(5))))
        #expect(desk.model.state.ranges.isEmpty)
        desk.ask(1, .cut([ClusterCut(firstRow: 0, endRow: 100, sum: 1, isLast: true)]))
        #expect(desk.model.state.ranges.map(\.restRows.spans) == [[10..<100]])
    }

    @Test func `a late word about what a worker held does not bring back what it gave back`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        let reassertion = Desk.reassertion(beat: 2)
        desk.ask(1, reassertion)
        desk.ask(1, .beat(Desk.beat(3)))
        desk.ask(
            1,
            .giveBack(
                .init(
                    key: Desk.key(11), tail: 10, scattered: RowIntervals(), newKey: .drawn(5),
                    kept: RowIntervals(2..<4))))
        let before = desk.model.state
        desk.ask(1, reassertion)
        #expect(desk.model.state == before)
        #expect(before.grants.filter { !$0.isSettled }.map(\.rows) == [RowIntervals(2..<4)])
    }

    @Test func `a worker of another job does not bring itself in by what it holds`() {
        var desk = Desk()
        let before = desk.model.state
        let stranger = ClusterOperation.reassert(
            .init(
                place: Desk.place(3), joinNonce: 7, fingerprint: 2, beat: 5, using: 0, held: [],
                rows: RowIntervals(0..<100), nonce: 99))
        #expect(desk.ask(3, stranger) == .refused(.otherJob))
        #expect(desk.model.state == before)
    }

    /// Sessions are promised, so it has lost what it had promised.
    @Test(arguments: [1, 9] as [UInt128])
    func `an engine that does not know a session has gone back`(worker: UInt128) {
        var desk = Desk()
        #expect(desk.model.state.job?.generation.ordinal == 0)
        // The session that it knows, and a worker that is new.
        _ = desk.join(1, session: 1, nonce: 8)
        _ = desk.join(3, session: 0, nonce: 9)
        #expect(desk.model.state.job?.generation.ordinal == 0)
        _ = desk.join(worker, session: 3, nonce: 10)
        #expect(desk.model.state.job?.generation.ordinal == 1)
        #expect(desk.model.state.job?.isOpen == false)
        // Its answer was lost.
        _ = desk.join(worker, session: 3, nonce: 10)
        #expect(desk.model.state.job?.generation.ordinal == 1)
    }

    @Test func `the grants of a folder that was moved are in doubt`() {
        var desk = Desk()
        desk.ask(1, .take(.rest(Desk.free, seen: nil, epoch: 11)))
        desk.ask(1, .grant(Desk.key(11), upTo: 30))
        let copy = ClusterPlace(host: 1, boot: 1, file: 2)
        guard case .joined(let joined) = desk.join(1, session: 1, at: copy, nonce: 8) else {
            Issue.record("the copy may not join")
            return
        }
        #expect(joined.hasMoved && joined.session == 2)
        #expect(joined.grants.map(\.isInDoubt) == [true])
        #expect(desk.ask(1, .grant(Desk.key(11), upTo: 40)) == .superseded(copy))
    }

    @Test func `two cuts that differ stop the job`() {
        var desk = Desk()
        desk.ask(2, .cut([ClusterCut(firstRow: 0, endRow: 100, sum: 1, isLast: true)]))
        #expect(desk.model.state.job?.state == .running)
        desk.ask(2, .cut([ClusterCut(firstRow: 0, endRow: 100, sum: 2, isLast: true)]))
        #expect(desk.model.state.job?.verdict == .inputsDiffer(atRow: 0))
    }

    @Test
    func `cuts that follow one another are one range, and each is compared`() {
        var desk = Desk(cuts: [])
        func cut(_ rows: Range<UInt64>, sum: UInt32 = 1, isLast: Bool = false) -> ClusterCut {
            ClusterCut(
                firstRow: rows.lowerBound, endRow: rows.upperBound, sum: sum, isLast: isLast)
        }
        let all = [cut(0..<10), cut(10..<20), cut(20..<25, isLast: true)]
        #expect(desk.ask(1, .cut(Array(all[..<2]))) == .cut(next: 20, isAll: false))
        #expect(desk.model.state.ranges.map { $0.first..<$0.end } == [0..<20])
        #expect(desk.model.state.cuts == Array(all[..<2]))
        // Another worker cuts, too, in other portions: the rows behind are made later.
        #expect(desk.ask(2, .cut([cut(30..<40)])) == .cut(next: 20, isAll: false))
        #expect(desk.ask(2, .cut(Array(all[1...]))) == .cut(next: 20, isAll: false))
        #expect(desk.model.state.cuts.count == 2)
        #expect(desk.ask(2, .cut([all[2]])) == .cut(next: 25, isAll: true))
        #expect(desk.ask(1, .cut(all)) == .cut(next: 25, isAll: true))
        #expect(desk.model.state.ranges.map { $0.first..<$0.end } == [0..<20, 20..<25])
        #expect(desk.model.state.job?.state == .running)
        desk.ask(1, .cut([all[0], cut(10..<20, sum: 2), all[2]]))
        #expect(desk.model.state.job?.verdict == .inputsDiffer(atRow: 10))
    }

    @Test func `a share that is to shrink makes room when that is confirmed`() {
        var desk = Desk(rate: 100)
        func shares() -> [Int64] { desk.model.state.workers.map(\.share) }
        desk.ask(1, .beat(Desk.beat(2)))
        #expect(shares() == [100, 0])
        desk.ask(2, .beat(Desk.beat(1)))
        #expect(shares() == [100, 0])
        guard case .orders(let orders) = desk.ask(1, .beat(Desk.beat(3, using: 100))) else {
            return
        }
        #expect(orders.share == 50 && shares() == [100, 0])
        desk.ask(1, .beat(Desk.beat(4, using: 50)))
        desk.ask(2, .beat(Desk.beat(2)))
        #expect(shares() == [50, 50])
        // An older beat that comes late changes nothing.
        desk.ask(1, .beat(Desk.beat(3, using: 0)))
        #expect(shares() == [50, 50])
    }
}
