import FanfareBase
import Testing

@testable import FanfareCore

/// Workers that do not belong to a job in the way they are: with other lists than the others, or with a key that the provider
/// refuses.
@Suite struct ClusterAgreementTests {
    private static func at(_ seconds: Int) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    private static func member(
        _ worker: UInt64, policy: UInt64? = 7, _ folder: ClusterFolder? = nil
    ) -> ClusterMember {
        var patience = ClusterPatience()
        patience.blockRows = 4...4
        patience.splitRows = 1000
        patience.provingRows = 1
        return ClusterMember(
            folder: folder ?? ClusterFolder(worker: WorkerID(bits: UInt128(worker))),
            place: ClusterPlace(host: worker, boot: 1, file: 1),
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil, policy: policy),
            protocols: 1...1, patience: patience, seed: worker * 100 + (policy ?? 0))
    }

    /// Has a worker ask all that it wants to know now, a beat first.
    private static func talk(
        _ member: inout ClusterMember, _ model: inout ClusterModel, at now: Instant
    ) {
        member.beatDue = now
        for _ in 0..<40 {
            while let row = member.cutWanted {
                member.cutRead(
                    ClusterCut(firstRow: row, endRow: row + 10, sum: 1, isLast: row == 30))
            }
            guard case .ask(let request, let number) = member.next(now: now) else { return }
            member.answered(number: number, model.transact(request), now: now)
        }
    }

    /// Has a worker that drains give back all rows, of which none has a line or a mark, and leave.
    private static func leave(
        _ member: inout ClusterMember, _ model: inout ClusterModel, at now: Instant
    ) {
        #expect(member.isDraining)
        member.drained(lined: RowIntervals(), trace: { _ in .none }, now: now)
        talk(&member, &model, at: now)
        #expect(member.ending != nil)
    }

    /// A job that two workers send, the first of which has proved it.
    private static func running() -> (
        model: ClusterModel, first: ClusterMember, second: ClusterMember
    ) {
        var model = ClusterModel()
        var (first, second) = (member(1), member(2))
        talk(&first, &model, at: at(0))
        first.counted(ClusterCounts(lines: 1))
        talk(&first, &model, at: at(1))
        talk(&second, &model, at: at(1))
        return (model, first, second)
    }

    // MARK: Lists and bounds

    @Test func `a worker with other lists is refused, and the others go on`() {
        var (model, first, _) = Self.running()
        for policy in [nil, 8] as [UInt64?] {
            var other = Self.member(3, policy: policy)
            Self.talk(&other, &model, at: Self.at(2))
            #expect(other.ending == .refused(.otherPolicy))
        }
        #expect(model.state.workers.count == 2 && model.state.job?.state == .running)
        Self.talk(&first, &model, at: Self.at(3))
        #expect(first.mayStart(now: Self.at(3)) && first.ending == nil)
        // Nor does one that comes back with a list that has changed.
        var back = Self.member(1, policy: 8, first.folder)
        Self.talk(&back, &model, at: Self.at(4))
        #expect(back.ending == .refused(.otherPolicy) && back.folder.held == first.folder.held)
    }

    @Test func `new lists count once the job goes on with them`() {
        var (model, first, second) = Self.running()
        model.order(.stop(.ordered))
        Self.talk(&first, &model, at: Self.at(2))
        Self.leave(&first, &model, at: Self.at(2))
        model.order(.renewPolicy)
        model.order(.goOn)
        var renewed = Self.member(1, policy: 8, first.folder)
        Self.talk(&renewed, &model, at: Self.at(3))
        #expect(renewed.ending == nil && model.state.job?.terms.policy == 8)
        // The second has heard neither of the stop nor of the new list: it sends nothing more, and gives its rows back.
        #expect(second.mayStart(now: Self.at(3)))
        Self.talk(&second, &model, at: Self.at(3))
        #expect(second.drainVerdict == .refused(.otherPolicy))
        Self.leave(&second, &model, at: Self.at(3))
        #expect(second.ending == .refused(.otherPolicy))
        #expect(model.state.workers[1].state == .left && model.state.job?.state == .running)
        var old = Self.member(3)
        Self.talk(&old, &model, at: Self.at(4))
        #expect(old.ending == .refused(.otherPolicy))
    }

    @Test func `a late copy of a request does not bring the lists of before back`() {
        var (model, first, _) = Self.running()
        let join = ClusterOperation.join(
            .init(
                place: ClusterPlace(host: 1, boot: 1, file: 1), nonce: first.nonce, fingerprint: 1,
                policy: 7, protocols: 1...1, terms: nil))
        model.order(.stop(.ordered))
        model.order(.renewPolicy)
        model.order(.goOn)
        _ = model.transact(
            ClusterRequest(
                worker: first.folder.worker, session: 0, generation: nil, operation: join))
        #expect(model.state.job?.terms.policy == nil)
        Self.talk(&first, &model, at: Self.at(2))
        #expect(first.drainVerdict == nil)
    }

    // MARK: Keys

    @Test func `a worker that its provider refuses leaves, and the job goes on`() throws {
        var (model, first, second) = Self.running()
        let out = second.handOut(max: 2, now: Self.at(1))
        let handed = try #require(out)
        second.wasRefused(now: Self.at(2))
        Self.leave(&second, &model, at: Self.at(2))
        #expect(model.state.job?.state == .running && model.state.job?.verdict == nil)
        #expect(model.state.workers[1].state == .left)
        // A refused request was not delivered, so its row has no mark, and another worker gets it.
        Self.talk(&first, &model, at: Self.at(3))
        var free = RowIntervals()
        for range in model.state.ranges where range.owner?.bits != 2 {
            free.formUnion(range.rows(in: range.first..<range.end))
        }
        #expect(free.isSuperset(of: RowIntervals(handed.rows)))
    }

    @Test func `the worker that proves the job speaks for all`() {
        var model = ClusterModel()
        var (first, second) = (Self.member(1), Self.member(2))
        Self.talk(&first, &model, at: Self.at(0))
        Self.talk(&second, &model, at: Self.at(0))
        // One that only waits does not, if its key is refused before the first row.
        var third = Self.member(3)
        Self.talk(&third, &model, at: Self.at(0))
        third.wasRefused(now: Self.at(1))
        Self.leave(&third, &model, at: Self.at(1))
        #expect(model.state.job?.state == .proving)
        first.wasRefused(now: Self.at(1))
        Self.talk(&first, &model, at: Self.at(1))
        Self.leave(&first, &model, at: Self.at(1))
        #expect(model.state.job?.verdict == .outcomes)
        Self.talk(&second, &model, at: Self.at(2))
        #expect(second.drainVerdict == .stopped(.outcomes))
    }

    @Test func `a job whose workers were all refused is stopped`() {
        var (model, first, second) = Self.running()
        first.wasRefused(now: Self.at(2))
        Self.leave(&first, &model, at: Self.at(2))
        #expect(model.state.job?.state == .running)
        second.wasRefused(now: Self.at(2))
        Self.leave(&second, &model, at: Self.at(2))
        #expect(model.state.job?.state == .stopped && model.state.job?.verdict == .outcomes)
    }
}
