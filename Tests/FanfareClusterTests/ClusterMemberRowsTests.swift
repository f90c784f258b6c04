import FanfareBase
import Testing

@testable import FanfareCore

/// A worker's words about rows that it has, and about rows of others.
@Suite struct ClusterMemberRowsTests {
    private static let place = ClusterPlace(host: 1, boot: 1, file: 1)
    private static let generation = ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0)
    private static let now = Instant(nanoseconds: 0)
    private static let own = WorkerID(bits: 1)

    private static func member(_ folder: ClusterFolder) -> ClusterMember {
        ClusterMember(
            folder: folder, place: place,
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil),
            protocols: 1...1, patience: ClusterPatience(), seed: 1)
    }

    /// Returns the next request of a worker that has one.
    private static func request(
        _ member: inout ClusterMember
    ) throws -> (operation: ClusterOperation, number: UInt64) {
        guard case .ask(let request, let number) = member.next(now: now) else {
            throw Silence()
        }
        return (request.operation, number)
    }

    private struct Silence: Error {}

    private static func answer(
        _ member: inout ClusterMember, _ number: UInt64, _ body: ClusterReply
    ) {
        member.answered(
            number: number, ClusterAnswer(generation: generation, body: body), now: now)
    }

    /// Has a worker join, with grants that the engine shows; one that comes back says what it has.
    private static func join(
        _ member: inout ClusterMember, session: Int, grants: [ClusterGrant] = []
    ) throws {
        let (operation, number) = try request(&member)
        guard case .join = operation else { throw Silence() }
        let folder = member.folder
        answer(
            &member, number,
            .joined(
                .init(
                    session: session, state: .running, protocolVersion: 1, beat: 0, share: 0,
                    hasMoved: false, grants: grants)))
        guard folder.generation != nil else { return }
        let (word, next) = try request(&member)
        guard case .reassert(let reassertion) = word else { throw Silence() }
        #expect(reassertion.rows.isSuperset(of: folder.rows))
        answer(&member, next, .reasserted(grants))
    }

    /// A worker of a job that is cut, up to its first survey.
    private static func surveying() throws -> (member: ClusterMember, survey: UInt64) {
        var member = member(ClusterFolder(worker: own))
        try join(&member, session: 1)
        let (beat, number) = try request(&member)
        guard case .beat = beat else { throw Silence() }
        answer(&member, number, orders())
        let (survey, next) = try request(&member)
        guard case .survey = survey else { throw Silence() }
        return (member, next)
    }

    private static func range(
        _ rows: Range<UInt64>, owner: WorkerID?, epoch: UInt64
    ) -> ClusterRange {
        ClusterRange(
            key: .cut(at: rows.lowerBound), rows: rows, owner: owner, session: 1, epoch: epoch,
            only: nil)
    }

    @Test func `a worker asks for rows of a range as soon as it has taken it`() throws {
        var (member, survey) = try Self.surveying()
        let free = Self.range(0..<5_000, owner: nil, epoch: 0)
        Self.answer(&member, survey, .survey(ranges: [free], grants: []))
        let (take, number) = try Self.request(&member)
        guard case .take(.rest(free.grantKey, seen: nil, let epoch)) = take else {
            Issue.record("it asks for \(take)")
            return
        }
        let taken = Self.range(0..<5_000, owner: Self.own, epoch: epoch)
        Self.answer(&member, number, .taken(taken))
        // The least block: it has not shown yet how fast it is.
        let next = try Self.request(&member).operation
        #expect(next == .grant(taken.grantKey, upTo: 256))
    }

    @Test func `a range that is done gives nothing to ask for`() throws {
        var (member, survey) = try Self.surveying()
        let free = Self.range(0..<5_000, owner: nil, epoch: 0)
        Self.answer(&member, survey, .survey(ranges: [free], grants: []))
        let (take, number) = try Self.request(&member)
        guard case .take(.rest(_, seen: nil, let epoch)) = take else {
            Issue.record("it asks for \(take)")
            return
        }
        // The answer to a request that was repeated: all of it was granted and settled meanwhile.
        var done = Self.range(0..<5_000, owner: Self.own, epoch: epoch)
        done.granted = 5_000
        done.isDone = true
        Self.answer(&member, number, .taken(done))
        #expect(try Self.request(&member).operation == .survey)
    }

    /// Half of what was not granted, so that both are through at about the same time.
    @Test(arguments: [(1_000, 101_000, 51_000), (0, 1_025, 513)] as [(UInt64, UInt64, UInt64)])
    func `a worker without work takes half of the largest rest`(
        granted: UInt64, end: UInt64, middle: UInt64
    ) throws {
        var (member, survey) = try Self.surveying()
        var largest = Self.range(0..<end, owner: WorkerID(bits: 2), epoch: 7)
        largest.granted = granted
        var other = Self.range(200_000..<300_000, owner: WorkerID(bits: 3), epoch: 8)
        other.granted = 299_000
        Self.answer(&member, survey, .survey(ranges: [other, largest], grants: []))
        guard case .take(.upperPart(let key, let row, _)) = try Self.request(&member).operation
        else {
            Issue.record("it takes no part")
            return
        }
        #expect(key == largest.grantKey && row == middle)
    }

    @Test(arguments: [false, true])
    func `a worker that comes back says what it has once, if the engine shows all of it`(
        showsAnother: Bool
    ) throws {
        let key = GrantKey(range: .cut(at: 16), epoch: 9)
        var folder = ClusterFolder(worker: Self.own)
        folder.session = 1
        folder.place = Self.place
        folder.generation = Self.generation
        folder.held = [.init(key: key, rows: RowIntervals(16..<23), isInDoubt: false)]
        folder.rows = RowIntervals(16..<23)
        var member = Self.member(folder)
        func grant(_ key: GrantKey, _ rows: Range<UInt64>) -> ClusterGrant {
            ClusterGrant(
                key: key, rows: RowIntervals(rows), worker: Self.own, session: 2,
                lined: rows.lowerBound, isInDoubt: false, isSettled: false, ordinal: 0)
        }
        let other = grant(GrantKey(range: .cut(at: 64), epoch: 3), 64..<70)
        try Self.join(
            &member, session: 2, grants: [grant(key, 16..<23)] + (showsAnother ? [other] : []))
        guard case .beat = try Self.request(&member).operation else {
            Issue.record("it does not go on")
            return
        }
    }

    private static func claimed(at place: ClusterPlace) -> ClusterFolder {
        var folder = ClusterFolder(worker: own)
        folder.session = 1
        folder.place = place
        folder.generation = generation
        folder.held = [
            .init(
                key: GrantKey(range: .cut(at: 16), epoch: 9), rows: RowIntervals(16..<23),
                isInDoubt: false)
        ]
        folder.rows = RowIntervals(16..<23)
        return folder
    }

    /// A process with the original of the folder may have sent the rows.
    @Test func `what the folder of a worker holds is in doubt when it was moved`() throws {
        let folder = Self.claimed(at: ClusterPlace(host: 1, boot: 1, file: 2))
        var member = Self.member(folder)
        let (_, number) = try Self.request(&member)
        Self.answer(
            &member, number,
            .joined(
                .init(
                    session: 2, state: .running, protocolVersion: 1, beat: 0, share: 0,
                    hasMoved: true, grants: [])))
        guard case .reassert(let reassertion) = try Self.request(&member).operation else {
            Issue.record("it does not say what it holds")
            return
        }
        #expect(reassertion.held.map(\.rows) == folder.held.map(\.rows))
        #expect(reassertion.held.map(\.isInDoubt) == [true])
    }

    private static var job: ClusterJob {
        var job = ClusterJob(
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil), prover: nil,
            cutter: nil, generation: generation)
        job.state = .running
        job.isAllCut = true
        return job
    }

    private static func orders(
        _ grants: [ClusterGrant] = [], of job: ClusterJob = job
    ) -> ClusterReply {
        .orders(
            ClusterOrders(
                job: job, share: .max, workers: [], ranges: [], grants: grants, freeRanges: 0,
                counts: ClusterCounts()))
    }

    /// Others have written its rows off, or the engine has gone back: it has to say which.
    @Test(arguments: [ClusterReply.notYours, .done])
    func `a worker whose rows the engine does not settle says what it holds`(
        reply: ClusterReply
    ) throws {
        let folder = Self.claimed(at: Self.place)
        let key = folder.held[0].key
        var member = Self.member(folder)
        let grant = ClusterGrant(
            key: key, rows: RowIntervals(16..<23), worker: Self.own, session: 2, lined: 16,
            isInDoubt: false, isSettled: false, ordinal: 0)
        try Self.join(&member, session: 2, grants: [grant])
        member.lined(key, below: 23)
        let beat = try Self.request(&member).number
        Self.answer(&member, beat, Self.orders([grant]))
        let (settle, number) = try Self.request(&member)
        #expect(settle == .settle(key))
        Self.answer(&member, number, reply)
        let next = try Self.request(&member).operation
        if reply == .done {
            #expect(next == .survey)
        } else if case .reassert(let reassertion) = next {
            #expect(reassertion.held == folder.held)
        } else {
            Issue.record("it does not say what it holds")
        }
    }

    /// A worker that has not heard of it has lost patience by then: others wait for 15 s.
    @Test func `when the engine has gone back a worker asks for nothing for a while`() throws {
        var member = Self.member(ClusterFolder(worker: Self.own))
        try Self.join(&member, session: 1)
        let later = ClusterGeneration(ordinal: 1, timeline: 1, nonce: 5)
        func answer(_ number: UInt64, _ body: ClusterReply, _ now: Instant) {
            member.answered(
                number: number, ClusterAnswer(generation: later, body: body), now: now)
        }
        answer(try Self.request(&member).number, .otherGeneration, Self.now)
        let (operation, number) = try Self.request(&member)
        guard case .reassert = operation else {
            Issue.record("it does not say what it holds")
            return
        }
        answer(number, .reasserted([]), Self.now)
        /// Returns what it does beside its beats.
        func next(after time: Duration) -> ClusterAction {
            let now = Self.now.advanced(by: time)
            while case .ask(let request, let number) = member.next(now: now) {
                guard case .beat = request.operation else {
                    return .ask(request, number: number)
                }
                answer(number, Self.orders(), now)
            }
            return member.next(now: now)
        }
        guard case .wait = next(after: .seconds(15) - .nanoseconds(1)),
            case .ask(let request, _) = next(after: .seconds(15))
        else {
            Issue.record("it asks too early, or too late")
            return
        }
        #expect(request.operation == .survey)
    }

    /// The moments at which a worker that has come back is told to leave.
    enum Leaving: CaseIterable {
        case beforeOrders, afterOrders, byOrder, afterOtherBytes, afterRows
    }

    /// A process before this one has been killed: of 24 rows four have lines, two are in doubt, and one more has a line.
    @Test(arguments: Leaving.allCases)
    func `a worker that comes back gives back no row that a process before it has sent`(
        leaving: Leaving
    ) throws {
        var folder = Self.claimed(at: Self.place)
        folder.held[0].rows = RowIntervals(16..<40)
        folder.rows = RowIntervals(0..<40)
        let key = folder.held[0].key
        let grant = ClusterGrant(
            key: key, rows: RowIntervals(16..<40), worker: Self.own, session: 2, lined: 16,
            isInDoubt: false, isSettled: false, ordinal: 0)
        var member = Self.member(folder)
        try Self.join(&member, session: 2, grants: [grant])
        if leaving != .beforeOrders {
            var job = Self.job
            job.isPaused = leaving == .afterOrders
            if leaving == .byOrder { job.state = .stopping }
            let beat = try Self.request(&member).number
            Self.answer(&member, beat, Self.orders([grant], of: job))
        }
        var lined = RowIntervals()
        if leaving == .afterRows {
            // Lanes pass over those that have lines, and have sent two more.
            #expect(member.handOut(max: 8, now: Self.now)?.rows == 16..<24)
            lined = RowIntervals(16..<24)
        }
        switch leaving {
        case .beforeOrders, .afterOrders, .afterRows: member.leave(now: Self.now)
        case .afterOtherBytes: member.inputDiffered(atRow: 16, now: Self.now)
        case .byOrder: #expect(member.isDraining)
        }
        member.drained(
            lined: lined,
            trace: { row in
                row < 20 || row == 30 ? .line : row < 22 ? .mark : .none
            }, now: Self.now)
        var mine = RowIntervals(0..<22)
        mine.insert(30..<31)
        mine.formUnion(lined)
        #expect(member.folder.rows == mine)
        let kept = lined.isEmpty ? RowIntervals(20..<22) : RowIntervals()
        #expect(member.folder.held.map(\.rows) == (kept.isEmpty ? [] : [kept]))
        #expect(member.folder.backs.map(\.tail) == [31])
        #expect(
            member.folder.backs.map(\.scattered) == [RowIntervals((lined.isEmpty ? 22 : 24)..<30)])
        #expect(member.folder.backs.map(\.kept) == [kept])
        // The engine has heard it, and the folder remembers the rows that have no line.
        member.pendingDecisions = []
        let (operation, number) = try Self.request(&member)
        guard case .giveBack = operation else {
            Issue.record("it asks for \(operation)")
            return
        }
        Self.answer(&member, number, .done)
        #expect(member.folder.held.map(\.rows) == (kept.isEmpty ? [] : [kept]))
    }

    /// The engine was away when the process before left.
    @Test(
        arguments: [.done, .notYours, .otherGeneration, .unknownSession, .superseded(Self.place)]
            as [ClusterReply])
    func `what the process before could not give back goes back first`(reply: ClusterReply) throws {
        var folder = Self.claimed(at: Self.place)
        let back = ClusterOperation.GivenBack(
            key: GrantKey(range: .cut(at: 64), epoch: 5), tail: 70,
            scattered: RowIntervals(65..<66), newKey: .drawn(9))
        folder.backs = [back]
        var member = Self.member(folder)
        let (operation, number) = try Self.request(&member)
        #expect(operation == .giveBack(back))
        Self.answer(&member, number, reply)
        #expect(member.folder.backs.isEmpty && member.folder.held == folder.held)
        guard case .join = try Self.request(&member).operation else {
            Issue.record("it does not join")
            return
        }
    }

    /// It would say that they are its own when it comes back, and no worker would write their lines.
    @Test func `rows that are granted while all others go back are not the worker's`() throws {
        var (member, survey) = try Self.surveying()
        Self.answer(
            &member, survey,
            .survey(ranges: [Self.range(0..<100, owner: nil, epoch: 0)], grants: []))
        let (take, second) = try Self.request(&member)
        guard case .take(.rest(_, seen: nil, let epoch)) = take else { throw Silence() }
        var range = Self.range(0..<100, owner: Self.own, epoch: epoch)
        Self.answer(&member, second, .taken(range))
        let (grant, third) = try Self.request(&member)
        guard case .grant(_, let row) = grant else { throw Silence() }
        member.leave(now: Self.now)
        member.drained(lined: RowIntervals(), trace: { _ in .none }, now: Self.now)
        range.granted = row
        Self.answer(&member, third, .granted(range))
        #expect(member.folder.rows.isEmpty && member.folder.held.isEmpty)
        guard case .giveBack(let back) = try Self.request(&member).operation else {
            throw Silence()
        }
        #expect(back.key == range.grantKey && back.tail == 0)
    }

    @Test func `rows in doubt are not given back`() throws {
        var folder = Self.claimed(at: Self.place)
        folder.held[0].isInDoubt = true
        var member = Self.member(folder)
        let grant = ClusterGrant(
            key: folder.held[0].key, rows: RowIntervals(16..<23), worker: Self.own, session: 2,
            lined: 16, isInDoubt: true, isSettled: false, ordinal: 0)
        try Self.join(&member, session: 2, grants: [grant])
        member.leave(now: Self.now)
        member.drained(lined: RowIntervals(), trace: { _ in .none }, now: Self.now)
        #expect(member.folder.backs.isEmpty)
        #expect(member.folder.held == folder.held)
    }

    /// The engine knows of the rows until it hears that they go back, and says so when it is asked.
    @Test func `rows that go back do not come back with what the engine shows`() throws {
        let folder = Self.claimed(at: Self.place)
        let grant = ClusterGrant(
            key: folder.held[0].key, rows: RowIntervals(16..<23), worker: Self.own, session: 2,
            lined: 16, isInDoubt: false, isSettled: false, ordinal: 0)
        var member = Self.member(folder)
        try Self.join(&member, session: 2, grants: [grant])
        member.leave(now: Self.now)
        member.drained(
            lined: RowIntervals(), trace: { $0 < 18 ? .mark : .none }, now: Self.now)
        Self.answer(&member, try Self.request(&member).number, .otherGeneration)
        let (operation, number) = try Self.request(&member)
        guard case .reassert(let reassertion) = operation else {
            Issue.record("it asks for \(operation)")
            return
        }
        #expect(reassertion.held.map(\.rows) == [RowIntervals(16..<18)])
        #expect(reassertion.rows == RowIntervals(16..<18))
        Self.answer(&member, number, .reasserted([grant]))
        #expect(member.folder.rows == RowIntervals(16..<18))
        #expect(member.folder.held.map(\.rows) == [RowIntervals(16..<18)])
    }
}
