import FanfareBase
import Testing

@testable import FanfareCore

/// A range out of which the engine has taken rows that another worker has, as it does after it has gone back.
@Suite struct ClusterGapTests {
    private static let now = Instant(nanoseconds: 0)

    /// A job that is all cut, with one range that has these rows of a million.
    private static func model(_ spans: Range<UInt64>...) -> ClusterModel {
        var state = ClusterModel.State()
        var job = ClusterJob(
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil), prover: nil,
            cutter: nil, generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        job.state = .running
        job.cutRows = 1_000_000
        job.isAllCut = true
        state.job = job
        var only = RowIntervals()
        for span in spans { only.insert(span) }
        state.ranges = [
            ClusterRange(
                key: .cut(at: 0), rows: 0..<1_000_000, owner: nil, session: 0, epoch: 0, only: only)
        ]
        return ClusterModel(state, timeline: 1)
    }

    private static func member(_ worker: UInt128) -> ClusterMember {
        var patience = ClusterPatience()
        patience.blockRows = 4...4
        return ClusterMember(
            folder: ClusterFolder(worker: WorkerID(bits: worker)),
            place: ClusterPlace(host: UInt64(worker), boot: 1, file: 1),
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil),
            protocols: 1...1, patience: patience, seed: UInt64(worker))
    }

    /// Has a worker ask all that it wants to know now.
    /// - Returns: The rows up to which it asked for grants.
    @discardableResult
    private static func talk(
        _ member: inout ClusterMember, _ model: inout ClusterModel, most: Int = 100
    ) -> [UInt64] {
        var grants: [UInt64] = []
        while grants.count < most, case .ask(let request, let number) = member.next(now: now) {
            if case .grant(_, upTo: let row) = request.operation { grants.append(row) }
            member.answered(number: number, model.transact(request), now: now)
        }
        return grants
    }

    /// Has lanes write the lines of all rows that the worker has.
    private static func line(_ member: inout ClusterMember) -> [Range<UInt64>] {
        var rows: [Range<UInt64>] = []
        while let out = member.handOut(max: 1_000_000, now: now) {
            rows.append(out.rows)
            member.lined(out.key, below: out.rows.upperBound)
        }
        return rows
    }

    @Test func `a grant reaches over a gap, and counts rows`() {
        var model = Self.model(0..<6, 700_000..<700_001, 900_000..<900_003)
        var member = Self.member(1)
        #expect(Self.talk(&member, &model) == [4])
        #expect(Self.line(&member) == [0..<4])
        // Two of the rest of the first run, the single row, and the first row of the last run.
        #expect(Self.talk(&member, &model) == [900_001])
        #expect(Self.line(&member) == [4..<6, 700_000..<700_001, 900_000..<900_001])
        // There is no row behind the last two.
        #expect(Self.talk(&member, &model) == [1_000_000])
        #expect(Self.line(&member) == [900_001..<900_003])
        Self.talk(&member, &model)
        #expect(model.state.job?.state == .finished)
    }

    @Test func `rows that are taken out while it works on the range are passed over, too`() {
        var model = Self.model(0..<1_000_000)
        var member = Self.member(1)
        #expect(Self.talk(&member, &model) == [4])
        #expect(Self.line(&member) == [0..<4])
        model.withhold(RowIntervals(4..<800_000), inRange: 0)
        // It hears of that with a beat.
        member.beatDue = Self.now
        #expect(Self.talk(&member, &model) == [800_004])
        #expect(Self.line(&member) == [800_000..<800_004])
    }

    /// As a server does whose disk is an earlier one, which nothing tells.
    @Test func `a range that was closed, and is shown open again, is worked through`() {
        var model = Self.model(0..<6)
        var member = Self.member(1)
        #expect(Self.talk(&member, &model) == [4])
        let before = model
        member.mustReassert = true
        guard case .ask(let request, let number) = member.next(now: Self.now),
            case .reassert = request.operation
        else {
            Issue.record("it does not say what it holds")
            return
        }
        member.answered(number: number, model.transact(request), now: Self.now)
        #expect(model.state.ranges[0].owner == nil)
        model = before
        for _ in 0..<3 {
            _ = Self.line(&member)
            Self.talk(&member, &model, most: 5)
        }
        #expect(model.state.job?.state == .finished)
    }

    @Test func `the upper part of a range has a half of its rows`() {
        var model = Self.model(0..<2_000, 600_000..<602_000, 999_000..<1_000_000)
        var (first, second) = (Self.member(1), Self.member(2))
        Self.talk(&first, &model)
        Self.talk(&second, &model)
        let ranges = model.state.ranges
        #expect(ranges.count == 2)
        // Of 5,000 rows four were granted, and the second worker has the upper half of the rest, 2,498 rows: 1,000 of the
        // last run, and 1,498 of that before.
        #expect(ranges[0].restRows.count + ranges[0].grantedRows.count == 2_502)
        #expect(ranges[1].first == 600_502 && ranges[1].owner == WorkerID(bits: 2))
        #expect(ranges[1].restRows.count + ranges[1].grantedRows.count == 2_498)
    }
}
