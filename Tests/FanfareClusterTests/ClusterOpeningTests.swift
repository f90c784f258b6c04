import FanfareBase
import Testing

@testable import FanfareCore

/// Jobs that give no rows for a while, and what has them give rows again.
@Suite struct ClusterOpeningTests {
    private static let terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil)

    private static func member(
        _ worker: UInt128, _ folder: ClusterFolder? = nil
    ) -> ClusterMember {
        ClusterMember(
            folder: folder ?? ClusterFolder(worker: WorkerID(bits: worker)),
            place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1), terms: terms,
            protocols: 1...1, patience: ClusterPatience(), seed: UInt64(worker))
    }

    /// Has a worker ask all that it wants to know.
    private static func talk(
        _ member: inout ClusterMember, _ model: inout ClusterModel, at seconds: Double,
        until isEnough: (ClusterModel) -> Bool = { _ in false }
    ) {
        let now = Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
        while !isEnough(model), case .ask(let request, let number) = member.next(now: now) {
            member.answered(number: number, model.transact(request), now: now)
        }
    }

    /// Workers that were there before have to say what they hold, and the one that comes does not know them.
    @Test(arguments: [false, true])
    func `a process that comes when the engine has gone back does not open it at once`(
        isNew: Bool
    ) {
        var model = ClusterModel(historyMax: 8)
        var first = Self.member(1)
        Self.talk(&first, &model, at: 0)
        model.goBack(writes: 1, tells: true)
        Self.talk(&first, &model, at: 1.5)
        #expect(model.state.job?.isOpen == false)
        // It is killed, and comes back, or another one comes.
        var next = isNew ? Self.member(2) : Self.member(1, first.folder)
        for seconds in [1.5] + Array(stride(from: 2.0, through: 15, by: 1)) {
            Self.talk(&next, &model, at: seconds)
            #expect(model.state.job?.isOpen == false, "after \(seconds) s")
        }
        for seconds in [17.0, 19] { Self.talk(&next, &model, at: seconds) }
        #expect(model.state.job?.isOpen == true)
    }

    /// The first prover is stopped, another one proves the job in its place, and it is back before its rows are taken.
    @Test func `a job whose other rows are with a worker that is back is proved`() {
        var state = ClusterModel.State()
        var job = ClusterJob(
            terms: Self.terms, prover: WorkerID(bits: 1), cutter: nil,
            generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        (job.cutRows, job.isAllCut) = (100, true)
        state.job = job
        state.ranges = [
            ClusterRange(
                key: .cut(at: 0), rows: 0..<100, owner: nil, session: 0, epoch: 0, only: nil)
        ]
        var model = ClusterModel(state, timeline: 1)
        var (first, second) = (Self.member(1), Self.member(2))
        Self.talk(&first, &model, at: 0)
        let other = WorkerID(bits: 2)
        for time in 0...20 {
            Self.talk(&second, &model, at: Double(time)) { $0.state.job?.prover == other }
        }
        #expect(model.state.job?.prover == other)
        for time in 20...30 {
            Self.talk(&first, &model, at: Double(time))
            Self.talk(&second, &model, at: Double(time))
        }
        #expect(model.state.ranges.map(\.owner) == [WorkerID(bits: 1)])
        #expect(model.state.job?.state == .running)
    }
}
