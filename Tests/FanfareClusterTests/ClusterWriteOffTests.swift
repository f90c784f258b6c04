import FanfareBase
import Testing

@testable import FanfareCore

/// The time at which the rows of a lost worker are written off.
@Suite struct ClusterWriteOffTests {
    private struct Desk: ModelDesk {
        var model = ClusterModel()
    }

    /// All of its grants are closed, as they are after a restart of the server: it works on them nevertheless.
    @Test func `a worker that dies late has a minute before its rows are written off`() {
        var desk = Desk()
        desk.ask(2, session: 0, SharedJobAsks.join(2))
        desk.ask(2, .decide(.proved, after: 0))
        desk.ask(2, .cut([ClusterCut(firstRow: 0, endRow: 20, sum: 1, isLast: true)]))
        desk.ask(2, .take(.rest(GrantKey(range: .cut(at: 0), epoch: 0), seen: nil, epoch: 12)))
        let key = GrantKey(range: .cut(at: 0), epoch: 12)
        desk.ask(2, .grant(key, upTo: 20))
        let claim = ClusterOperation.Reassertion.Claim(
            key: key, rows: RowIntervals(0..<20), isInDoubt: false)
        desk.ask(
            2,
            .reassert(
                .init(
                    place: SharedJobAsks.place(2), joinNonce: 7, fingerprint: 1, beat: 0, using: 0,
                    held: [claim], rows: RowIntervals(0..<20), nonce: 9)))
        #expect(desk.model.state.grants.map(\.rows) == [RowIntervals(0..<20)])
        var member = SharedJobAsks.member(ClusterFolder(worker: WorkerID(bits: 1)))
        // It beats for a hundred seconds, and never again.
        var takenAt: Int64?
        for quarter in 0..<1200 where takenAt == nil {
            let now = Instant(nanoseconds: Int64(quarter) * 250_000_000)
            if quarter % 4 == 0 && quarter <= 400 {
                desk.ask(2, SharedJobAsks.beat(UInt64(quarter) / 4 + 1))
            }
            while case .ask(let request, let number) = member.next(now: now) {
                let answer = desk.model.transact(request)
                if case .takenGrant = answer.body { takenAt = Int64(quarter / 4) }
                member.answered(number: number, answer, now: now)
            }
        }
        // It is lost after 15 seconds, and written off 60 seconds later.
        #expect((175...180).contains(takenAt ?? 0), "\(takenAt ?? 0)")
        #expect(member.folder.writtenOff == RowIntervals(0..<20))
    }
}
