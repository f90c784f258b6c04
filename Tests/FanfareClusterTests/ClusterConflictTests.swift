import FanfareBase
import Testing

@testable import FanfareCore

/// Rows that two workers were granted, because the engine had forgotten the first grant while its worker was dead.
@Suite struct ClusterConflictTests {
    private static func at(_ seconds: Int) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    private static func member(
        _ worker: UInt64, _ folder: ClusterFolder? = nil, seed: UInt64
    ) -> ClusterMember {
        var patience = ClusterPatience()
        patience.blockRows = 4...4
        patience.splitRows = 1000
        patience.provingRows = 1
        return ClusterMember(
            folder: folder ?? ClusterFolder(worker: WorkerID(bits: UInt128(worker))),
            place: ClusterPlace(host: worker, boot: 1, file: 1),
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil),
            protocols: 1...1, patience: patience, seed: seed)
    }

    /// Has a worker ask all that it wants to know now, a beat first.
    private static func talk(
        _ member: inout ClusterMember, _ model: inout ClusterModel, at now: Instant
    ) {
        member.beatDue = now
        for _ in 0..<40 {
            while let row = member.cutWanted {
                member.cutRead(ClusterCut(firstRow: row, endRow: 40, sum: 1, isLast: true))
            }
            guard case .ask(let request, let number) = member.next(now: now) else { return }
            member.answered(number: number, model.transact(request), now: now)
        }
    }

    /// Has lanes write the lines of all rows that a worker has.
    /// - Returns: The rows that it sent, and those about which it only wrote lines.
    private static func line(
        _ member: inout ClusterMember, at now: Instant
    ) -> (sent: RowIntervals, doubtful: RowIntervals) {
        var (sent, doubtful) = (RowIntervals(), RowIntervals())
        while let out = member.handOut(max: 100, now: now) {
            if out.isInDoubt { doubtful.insert(out.rows) } else { sent.insert(out.rows) }
            member.lined(out.key, below: out.rows.upperBound)
        }
        member.counted(ClusterCounts(lines: 1))
        return (sent, doubtful)
    }

    /// Has a worker that drains give back all rows without a line, and leave.
    private static func leave(
        _ member: inout ClusterMember, _ model: inout ClusterModel, lines: RowIntervals,
        at now: Instant
    ) {
        #expect(member.isDraining)
        member.drained(
            lined: RowIntervals(), trace: { lines.contains($0) ? .line : .none }, now: now)
        talk(&member, &model, at: now)
        #expect(member.ending != nil)
    }

    @Test func `nobody sends rows that were granted twice, also when the job goes on`() throws {
        var model = ClusterModel(historyMax: 64)
        var (first, second) = (Self.member(1, seed: 1), Self.member(2, seed: 2))
        Self.talk(&first, &model, at: Self.at(0))
        #expect(Self.line(&first, at: Self.at(0)).sent.spans == [0..<4])
        Self.talk(&first, &model, at: Self.at(1))
        // It dies with rows 4 to 7, which it has not begun, and a standby takes over that does not know of them.
        #expect(first.holdings.map(\.rows.spans) == [[0..<8]])
        while model.state.ranges.first?.granted != 4 { model.goBack(writes: 1, tells: true) }

        var sentBySecond = RowIntervals()
        for moment in 2...24 {
            Self.talk(&second, &model, at: Self.at(moment))
            sentBySecond.formUnion(Self.line(&second, at: Self.at(moment)).sent)
            if sentBySecond.count >= 8 { break }
        }
        #expect(sentBySecond.spans == [4..<12])

        first = Self.member(1, first.folder, seed: 3)
        Self.talk(&first, &model, at: Self.at(30))
        #expect(model.state.job?.verdict == .grantedTwice(4..<8))
        #expect(first.folder.grantedTwice.spans == [4..<8])
        let doubtful = model.state.grants.filter { $0.isInDoubt && !$0.isSettled }
        #expect(doubtful.map(\.rows.spans) == [[4..<8]])
        #expect(doubtful.map(\.worker) == [WorkerID(bits: 1)])
        Self.leave(&first, &model, lines: RowIntervals(0..<4), at: Self.at(30))
        Self.talk(&second, &model, at: Self.at(31))
        Self.leave(&second, &model, lines: sentBySecond, at: Self.at(31))
        #expect(model.state.job?.state == .stopped)

        model.order(.goOn)
        first = Self.member(1, first.folder, seed: 4)
        second = Self.member(2, second.folder, seed: 5)
        var (sent, lines) = (RowIntervals(), RowIntervals())
        for moment in 40..<80 {
            for number in [1, 2] {
                var member = number == 1 ? first : second
                Self.talk(&member, &model, at: Self.at(moment))
                let (more, doubtful) = Self.line(&member, at: Self.at(moment))
                #expect(sent.intersection(more).isEmpty)
                #expect(doubtful.isEmpty || number == 1)
                sent.formUnion(more)
                lines.formUnion(doubtful)
                if number == 1 { first = member } else { second = member }
            }
        }
        #expect(lines.spans == [4..<8])
        #expect(sent.intersection(0..<12).subtracting(RowIntervals(0..<4)).isEmpty)
        #expect(sent.isSuperset(of: RowIntervals(12..<40)))
        #expect(model.state.job?.state == .finished)
    }

    /// No grant of any worker is missing, and the server counts no takeover.
    ///
    /// Workers start in the order that the page leaves open, while the job is paused.
    @Test func `a server that was restored while all were away learns what they have settled`() {
        var model = ClusterModel()
        var first = Self.member(1, seed: 1)
        Self.talk(&first, &model, at: Self.at(0))
        var sent = Self.line(&first, at: Self.at(0)).sent
        let backup = model.state
        for moment in 1...3 {
            Self.talk(&first, &model, at: Self.at(moment))
            sent.formUnion(Self.line(&first, at: Self.at(moment)).sent)
        }
        #expect(sent.spans == [0..<16])
        first.leave(now: Self.at(4))
        Self.leave(&first, &model, lines: sent, at: Self.at(4))
        #expect(first.folder.held.isEmpty)

        model = ClusterModel(backup, timeline: 1)
        model.order(.pause(true))
        var second = Self.member(2, seed: 2)
        first = Self.member(1, first.folder, seed: 3)
        Self.talk(&second, &model, at: Self.at(10))
        Self.talk(&first, &model, at: Self.at(10))
        model.order(.pause(false))
        for moment in 11..<60 {
            Self.talk(&second, &model, at: Self.at(moment))
            let more = Self.line(&second, at: Self.at(moment)).sent
            #expect(more.intersection(sent).isEmpty)
            sent.formUnion(more)
            Self.talk(&first, &model, at: Self.at(moment))
            sent.formUnion(Self.line(&first, at: Self.at(moment)).sent)
        }
        #expect(sent.spans == [0..<40])
        #expect(model.state.job?.state == .finished)
    }

    /// The one that was alive has heard nothing of the verdict before the job goes on.
    @Test func `a worker that says its rows again does not get those in doubt back`() throws {
        var model = ClusterModel(historyMax: 64)
        var (first, second) = (Self.member(1, seed: 1), Self.member(2, seed: 2))
        Self.talk(&first, &model, at: Self.at(0))
        _ = Self.line(&first, at: Self.at(0))
        Self.talk(&first, &model, at: Self.at(1))
        while model.state.ranges.first?.granted != 4 { model.goBack(writes: 1, tells: true) }
        for moment in 2...24 { Self.talk(&second, &model, at: Self.at(moment)) }
        #expect(second.holdings.map(\.rows.spans) == [[4..<8]])
        first = Self.member(1, first.folder, seed: 3)
        // Until it has said what it has: a second time, since the answer was lost.
        for _ in 0..<20 {
            guard case .ask(let request, let number) = first.next(now: Self.at(25)) else { break }
            let answer = model.transact(request)
            if case .reassert = request.operation {
                let before = model.state
                #expect(model.transact(request) == answer)
                #expect(model.state == before)
                break
            }
            first.answered(number: number, answer, now: Self.at(25))
        }
        #expect(model.state.job?.verdict == .grantedTwice(4..<8))
        let ordinal = model.state.job?.generation.ordinal
        model.order(.goOn)
        Self.talk(&second, &model, at: Self.at(26))
        #expect(Self.line(&second, at: Self.at(26)).sent.intersection(0..<8).isEmpty)
        #expect(model.state.job?.verdict == nil)
        // Nothing was lost again.
        #expect(model.state.job?.generation.ordinal == ordinal)
        let doubtful = model.state.grants.filter { $0.isInDoubt && !$0.isSettled }
        #expect(doubtful.map(\.rows.spans) == [[4..<8]])
    }
}
