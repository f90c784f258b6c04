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

    /// A worker that has joined, and its answer to each beat until a job has some outcomes.
    private static func working(
        _ member: inout ClusterMember, _ job: ClusterJob, others: [UInt64], at now: Instant
    ) {
        while case .ask(let request, let number) = member.next(now: now) {
            let body: ClusterReply
            switch request.operation {
            case .join:
                body = .joined(
                    .init(
                        session: 1, state: .running, protocolVersion: 1, beat: 0, share: 0,
                        hasMoved: false, grants: []))
            case .beat:
                body = .orders(
                    ClusterOrders(
                        job: job, share: .max, workers: [], ranges: [], grants: [], freeRanges: 0,
                        counts: ClusterCounts(outcomes: others)))
            default: body = .missed
            }
            member.answered(
                number: number, ClusterAnswer(generation: generation, body: body), now: now)
            if case .beat = request.operation { return }
        }
    }

    private static var job: ClusterJob {
        var job = ClusterJob(
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil), prover: nil,
            cutter: nil, generation: generation)
        job.state = .running
        job.isAllCut = true
        return job
    }

    @Test func `a beat whose answer is lost takes nothing from what others have`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        Self.working(&member, Self.job, others: [40, 2], at: Self.now)
        member.counted(ClusterCounts(lines: 30, outcomes: [30, 0]), inEpoch: 0)
        let later = Self.now.advanced(by: .seconds(3))
        while case .ask(let request, _) = member.next(now: later) {
            guard case .beat = request.operation else {
                member.connectionFailed(now: later)
                continue
            }
            member.connectionFailed(now: later)
            break
        }
        #expect(member.othersOutcomes == [40, 2])
    }

    @Test func `a verdict of before the job went on does not stop it again`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var job = Self.job
        Self.working(&member, job, others: [], at: Self.now)
        member.decide(.stop(.outcomes))
        // Another worker's verdict came first, and a person has the job go on.
        job.orders = 2
        job.outcomeEpoch = 1
        Self.working(&member, job, others: [], at: Self.now.advanced(by: .seconds(3)))
        var now = Self.now.advanced(by: .seconds(3))
        for _ in 0..<20 {
            now = now.advanced(by: .milliseconds(100))
            guard case .ask(let request, let number) = member.next(now: now) else { continue }
            if case .decide(.stop, _) = request.operation {
                Issue.record("it stops the job")
                return
            }
            member.answered(
                number: number, ClusterAnswer(generation: Self.generation, body: .missed), now: now)
        }
    }

    @Test func `a worker keeps the time that others were asked for, and tells its own at once`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var job = Self.job
        job.holds = [.none, ProviderHold(milliseconds: 4_000)]
        Self.working(&member, job, others: [], at: Self.now)
        #expect(member.hold(ofRoute: 0, now: Self.now) == nil)
        #expect(
            member.hold(ofRoute: 1, now: Self.now) == Self.now.advanced(by: .milliseconds(4_000)))
        let later = Self.now.advanced(by: .milliseconds(500))
        #expect(member.hold(ofRoute: 1, now: Self.now.advanced(by: .seconds(4))) == nil)
        member.asked(route: 0, toWaitUntil: later.advanced(by: .seconds(7)), now: later)
        #expect(member.hold(ofRoute: 0, now: later) == later.advanced(by: .seconds(7)))
        // The next beat is not due for half a second more.
        var told: [Int64]?
        while case .ask(let request, _) = member.next(now: later) {
            if case .beat(let beat) = request.operation {
                told = beat.holds.map(\.milliseconds)
                break
            }
            member.connectionFailed(now: later)
        }
        #expect(told == [7_000])
        // Longer than a minute is for the row alone.
        member.asked(route: 1, toWaitUntil: later.advanced(by: .seconds(7_200)), now: later)
        #expect(member.hold(ofRoute: 1, now: later) == later.advanced(by: .seconds(60)))
    }

    @Test func `a provider that is not the first may be the first to ask for time`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        Self.working(&member, Self.job, others: [], at: Self.now)
        let later = Self.now.advanced(by: .milliseconds(500))
        member.asked(route: 1, toWaitUntil: later.advanced(by: .seconds(7)), now: later)
        var told: [Int64]?
        while case .ask(let request, _) = member.next(now: later) {
            if case .beat(let beat) = request.operation {
                told = beat.holds.map(\.milliseconds)
                break
            }
            member.connectionFailed(now: later)
        }
        #expect(told == [0, 7_000])
    }

    /// Has a worker that cuts read what it wants, up to the request that tells it.
    private static func cutsTold(_ member: inout ClusterMember, at now: Instant) -> [ClusterCut] {
        while let row = member.cutWanted {
            member.cutRead(ClusterCut(firstRow: row, endRow: row + 10, sum: 1, isLast: false))
        }
        while case .ask(let request, let number) = member.next(now: now) {
            guard case .cut(let cuts) = request.operation else {
                member.answered(
                    number: number,
                    ClusterAnswer(generation: generation, body: .survey(ranges: [], grants: [])),
                    now: now)
                continue
            }
            member.answered(
                number: number,
                ClusterAnswer(
                    generation: generation,
                    body: .cut(next: (cuts.last?.endRow ?? 0), isAll: false)),
                now: now)
            return cuts
        }
        return []
    }

    @Test(
        arguments: [
            (100_000, nil, 50_000), (0, nil, 256), (1_000_000, nil, 65_536), (100_000, 500, 150),
            (40, 20, 6),
            (3, 1, 4), (0, 0, 4),
        ] as [(UInt64, Int64?, UInt64)])
    func `a block is half a second of work, and no more than three tenths of a second of a pace`(
        speed: UInt64, pace: Int64?, rows: UInt64
    ) {
        var terms = ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: pace)
        terms.rate = pace.map { _ in 1_000 * ShareRule.unitsPerStart }
        var member = ClusterMember(
            folder: ClusterFolder(worker: WorkerID(bits: 1)), place: Self.place, terms: terms,
            protocols: 1...1, patience: ClusterPatience(), seed: 1)
        member.share = (pace ?? 0) * ShareRule.unitsPerStart
        member.rowsPerSecond = speed
        #expect(member.blockRows == rows)
    }

    @Test func `ranges are as long as all before them, up to a bound`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var job = Self.job
        job.isAllCut = false
        job.cutter = WorkerID(bits: 1)
        Self.working(&member, job, others: [], at: Self.now)
        let counts = (0..<9).map { _ in Self.cutsTold(&member, at: Self.now).count }
        #expect(counts == [1, 1, 2, 4, 8, 16, 32, 32, 32])
        // 32 ranges that no worker has taken are enough, however long the job is.
        let more = (0..<40).map { _ in Self.cutsTold(&member, at: Self.now).count }
        #expect(more.filter { $0 > 0 }.count == 32 - 9)
    }

    @Test func `cuts behind those of another worker are read anew`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var job = Self.job
        job.isAllCut = false
        job.cutter = WorkerID(bits: 1)
        job.cutRows = 40
        Self.working(&member, job, others: [], at: Self.now)
        member.cutRead(ClusterCut(firstRow: 40, endRow: 50, sum: 1, isLast: false))
        #expect(member.cutWanted == 50)
        job.cutRows = 60
        Self.working(&member, job, others: [], at: Self.now.advanced(by: .seconds(2)))
        #expect(member.cutWanted == 60)
    }

    @Test func `a worker that leaves waits for no provider`() {
        var member = Self.member(ClusterFolder(worker: WorkerID(bits: 1)))
        var job = Self.job
        job.holds = [ProviderHold(milliseconds: 4_000)]
        Self.working(&member, job, others: [], at: Self.now)
        #expect(member.hold(ofRoute: 0, now: Self.now) != nil)
        member.leave(now: Self.now)
        #expect(member.hold(ofRoute: 0, now: Self.now) == nil)
        member.drained(lined: RowIntervals(), trace: { _ in .none }, now: Self.now)
        #expect(member.hold(ofRoute: 0, now: Self.now) == nil)
    }
}
