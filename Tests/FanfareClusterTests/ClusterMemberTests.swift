import FanfareBase
import Testing

@testable import FanfareCore

/// A worker's words in single situations; whole lives are simulated.
@Suite struct ClusterMemberTests {
    private static let place = ClusterPlace(host: 1, boot: 1, file: 1)
    private static let generation = ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0)
    private static let now = Instant(nanoseconds: 0)

    private static func member(_ folder: ClusterFolder) -> ClusterMember {
        ClusterMember(
            folder: folder, place: place,
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil),
            protocols: 1...1, patience: ClusterPatience(), seed: 1)
    }

    /// The rows after those that the engine shows would count as settled otherwise, and get no line.
    @Test func `a worker that comes back says all that its folder knows of a grant`() {
        let key = GrantKey(range: .cut(at: 16), epoch: 9)
        var folder = ClusterFolder(worker: WorkerID(bits: 1))
        folder.session = 1
        folder.place = Self.place
        folder.generation = Self.generation
        folder.held = [.init(key: key, rows: RowIntervals(16..<23), isInDoubt: false)]
        folder.rows = RowIntervals(16..<23)
        var member = Self.member(folder)
        guard case .ask(_, let number) = member.next(now: Self.now) else {
            Issue.record("it does not join")
            return
        }
        let shown = ClusterGrant(
            key: key, rows: RowIntervals(16..<20), worker: folder.worker, session: 2, lined: 16,
            isInDoubt: false, isSettled: false, ordinal: 0)
        member.answered(
            number: number,
            ClusterAnswer(
                generation: Self.generation,
                body: .joined(
                    .init(
                        session: 2, state: .running, protocolVersion: 1, beat: 0, share: 0,
                        hasMoved: false, grants: [shown]))),
            now: Self.now)
        guard case .ask(let request, _) = member.next(now: Self.now),
            case .reassert(let reassertion) = request.operation
        else {
            Issue.record("it does not say what it holds")
            return
        }
        #expect(reassertion.held == folder.held && reassertion.rows == folder.rows)
        // And lanes get none of it before the engine knows.
        #expect(member.handOut(max: 100, now: Self.now) == nil)
    }
}
