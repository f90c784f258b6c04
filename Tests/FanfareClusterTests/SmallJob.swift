import FanfareBase

@testable import FanfareCore

/// All of a small job at one moment: the engine, the folders, their processes and lanes, and what is on its way.
///
/// Engine and workers are the real ones. Time is not there: whether something is due is a choice of the events. So a
/// worker may be as slow as it likes, and others may take it for lost at any time.
struct SmallJob {
    /// The size of a job, and what may go wrong in it.
    struct Shape {
        var workers = 3
        var rows: UInt64 = 6
        var cutRows: UInt64 = 3
        var blockRows: UInt64 = 2
        var provingRows: UInt64 = 1
        /// The rows that a worker has under way at once.
        var window = 1
        /// The number of faults in a run, of any kinds.
        var faults = 1
        var kinds: Set<SmallFault> = Set(SmallFault.allCases)
    }

    /// A folder, and the process that works in it.
    struct Worker {
        var folder: ClusterFolder
        var boot: UInt64 = 1
        var marks: UInt64 = 0
        var lines: UInt64 = 0
        /// The rows that the engine has granted to it, ever.
        var granted: UInt64 = 0
        /// The seeds that were used up: no two drawn names are the same.
        var draws: UInt64 = 0
        private var box: Box?

        init(folder: ClusterFolder) { self.folder = folder }

        var process: Process? {
            get { box?.process }
            set { box = newValue.map { Box($0) } }
        }
    }

    /// A process out of line, since most steps leave most of them alone.
    private final class Box {
        let process: Process

        init(_ process: Process) { self.process = process }
    }

    struct Process {
        var member: ClusterMember
        var underWay: UInt64 = 0
        /// Rows that were answered "later".
        var again: UInt64 = 0
        /// The answer on its way, to the request that the member waits for.
        var answer: ClusterAnswer?
        var number: UInt64 = 0
    }

    let shape: Shape
    var model = ClusterModel()
    var workers: [Worker]
    /// Requests on connections that are closed by now, which may arrive nevertheless.
    var late: [ClusterRequest] = []
    /// Rows that were sent, but for those whose answer "later" was heard.
    var sent: UInt64 = 0
    var faultsLeft: Int
    /// The broken invariant, if any.
    var violation: String?

    /// The time, which stands still.
    static let now = Instant(nanoseconds: 0)
    static let never = now.advanced(by: .seconds(1_000_000))

    init(_ shape: Shape) {
        self.shape = shape
        faultsLeft = shape.faults
        workers = (0..<shape.workers).map {
            Worker(folder: ClusterFolder(worker: WorkerID(bits: UInt128($0 + 1))))
        }
    }

    var isFinished: Bool { model.state.job?.state == .finished }

    private var patience: ClusterPatience {
        var patience = ClusterPatience()
        // Lost is a worker that shows the same beat in two answers; a worker itself never loses its patience.
        patience.others = .zero
        patience.polls = 2
        patience.own = .seconds(1_000_000_000)
        patience.answer = .seconds(1_000_000_000)
        patience.leaving = .seconds(1_000_000)
        patience.writeOff = .zero
        (patience.firstBackOff, patience.backOffMax) = (.zero, .zero)
        patience.survey = .zero
        patience.blockRows = shape.blockRows...shape.blockRows
        patience.splitRows = 2
        patience.cutAhead = 2
        patience.rangeCuts = 1
        patience.provingRows = shape.provingRows
        return patience
    }

    func place(_ number: Int) -> ClusterPlace {
        ClusterPlace(
            host: UInt64(number + 1), boot: workers[number].boot, file: UInt64(number + 1))
    }

    /// Returns a seed that was not used before.
    mutating func seed(_ number: Int, salt: UInt64 = 0) -> UInt64 {
        workers[number].draws += 1
        return UInt64(number + 1) << 40 | workers[number].draws << 8 | salt
    }

    static func bits(_ rows: RowIntervals) -> UInt64 {
        rows.ranges.reduce(0) { bits, span in
            bits | (1 << span.upperBound - 1) & ~(1 << span.lowerBound - 1)
        }
    }
}

extension SmallJob {
    /// Returns the job after a step; `nil` if the step is not possible.
    func after(_ event: SmallEvent) -> SmallJob? {
        var next = self
        let isPossible =
            switch event {
            case .begin(let number): next.ask(number, isBeat: false)
            case .beat(let number): next.ask(number, isBeat: true)
            case .act(let number, let loses, let salt):
                next.ask(number, isBeat: false, loses: loses, salt: salt)
            case .hear(let number): next.hear(number)
            case .start(let number): next.start(number) && next.answerAll(number)
            case .answer(let number, let row): next.answer(number, row)
            case .arrive(let index): next.arrive(index)
            case .fault(let fault, let number, let moment): next.befall(fault, number, moment)
            }
        return isPossible ? next : nil
    }

    mutating func begin(_ number: Int) {
        let seed = seed(number)
        let member = ClusterMember(
            folder: workers[number].folder, place: place(number),
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil), protocols: 1...1,
            patience: patience, seed: seed)
        workers[number].process = Process(member: member)
        tellLines(number)
    }

    // MARK: Requests

    /// Has a worker compose the request that is due; a process begins if there is none.
    mutating func composed(
        _ number: Int, isBeat: Bool, loses: Lost = .none
    ) -> ClusterRequest? {
        if workers[number].process == nil { begin(number) }
        let seed = seed(number)
        guard var member = workers[number].process?.member else { return nil }
        member.generator = SplitMix64(seed: seed)
        member.beatDue = isBeat ? Self.now : Self.never
        (member.surveyDue, member.orphansDue, member.grantDue) = (Self.now, Self.now, Self.now)
        let lost = lost(loses)
        guard loses == .none || !lost.isEmpty else { return nil }
        member.watch.reset()
        for _ in 0..<patience.polls { member.watch.look(lost, now: Self.now, patience) }
        member.mayHaveOrphans = !lost.isEmpty
        member.lostWorkers = []
        while let first = member.cutWanted { member.cutRead(cut(at: first)) }
        let action = member.next(now: Self.now)
        workers[number].process?.member = member
        save(number)
        guard case .ask(let request, let id) = action else { return nil }
        workers[number].process?.number = id
        return request
    }

    mutating func ask(
        _ number: Int, isBeat: Bool, loses: Lost = .none, salt: UInt64 = 0
    ) -> Bool {
        if loses == .all {
            guard shape.kinds.contains(.mistake) else { return false }
            faultsLeft -= 1
        }
        guard let request = composed(number, isBeat: isBeat, loses: loses) else { return false }
        guard salt == 0 || request.operation == .survey else { return false }
        let answer = transact(request)
        workers[number].process?.answer = answer
        return hear(number, salt: salt)
    }

    /// Returns workers with the beats that they have now.
    func lost(_ which: Lost) -> [ClusterOrders.Worker] {
        let found = model.state.workers.filter { worker in
            switch which {
            case .none: false
            case .dead: workers.contains { $0.folder.worker == worker.id && $0.process == nil }
            case .all: true
            }
        }
        return found.map { .init(id: $0.id, beat: $0.beat, state: $0.state) }
    }

    mutating func transact(_ request: ClusterRequest) -> ClusterAnswer {
        let wasFinished = isFinished
        let answer = model.transact(request)
        noteGrants()
        checkDisjoint()
        if isFinished && !wasFinished { checkLines() }
        return answer
    }

    mutating func arrive(_ index: Int) -> Bool {
        _ = transact(late.remove(at: index))
        return true
    }

    mutating func hear(_ number: Int, salt: UInt64 = 0) -> Bool {
        let seed = seed(number, salt: salt)
        guard var process = workers[number].process, let answer = process.answer else {
            return false
        }
        process.answer = nil
        process.member.generator = SplitMix64(seed: seed)
        process.member.answered(number: process.number, answer, now: Self.now)
        workers[number].process = process
        save(number)
        tellLines(number)
        return true
    }

    /// Writes the folder, and sees whether the process has ended.
    mutating func save(_ number: Int) {
        guard let member = workers[number].process?.member else { return }
        workers[number].folder = member.folder
        if member.ending != nil {
            workers[number].process = nil
        } else if member.isDraining && workers[number].process?.underWay == 0 {
            drained(number)
        }
    }

    func cut(at first: UInt64) -> ClusterCut {
        let end = min(first + shape.cutRows, shape.rows)
        return ClusterCut(
            firstRow: first, endRow: end, sum: UInt32(first), isLast: end == shape.rows)
    }

    // MARK: Rows

    mutating func start(_ number: Int) -> Bool {
        guard var process = workers[number].process else { return false }
        let hasRoom = process.underWay.nonzeroBitCount < shape.window
        if process.again != 0 {
            guard hasRoom, process.member.mayStart(now: Self.now) else { return false }
            let row = UInt64(process.again.trailingZeroBitCount)
            process.again &= ~(1 << row)
            workers[number].process = process
            go(row, number)
            return true
        }
        guard hasRoom, let out = process.member.handOut(max: 1, now: Self.now) else { return false }
        let row = out.rows.lowerBound
        workers[number].process = process
        let worker = workers[number]
        if worker.lines >> row & 1 == 1 || process.underWay >> row & 1 == 1 {
            // Its line is there, or comes.
        } else if out.isInDoubt || worker.marks >> row & 1 == 1 {
            workers[number].lines |= 1 << row
        } else {
            go(row, number)
        }
        tellLines(number)
        return true
    }

    mutating func go(_ row: UInt64, _ number: Int) {
        let bit: UInt64 = 1 << row
        if sent & bit != 0 { violate("I2: row \(row) starts a second time, at worker \(number)") }
        if workers[number].granted & bit == 0 {
            violate("I3: row \(row) starts at worker \(number), which was not granted it")
        }
        if Self.bits(workers[number].folder.heldRows) & bit == 0 {
            violate("I3: row \(row) starts at worker \(number), and its folder does not have it")
        }
        sent |= bit
        workers[number].marks |= bit
        workers[number].process?.underWay |= bit
    }

    /// An answer comes, and the disk confirms the line.
    mutating func answer(_ number: Int, _ row: UInt64) -> Bool {
        workers[number].process?.underWay &= ~(1 << row)
        workers[number].lines |= 1 << row
        tellLines(number)
        save(number)
        return true
    }

    mutating func answerAll(_ number: Int) -> Bool {
        // Those of a worker that was told to leave are answered one by one.
        guard workers[number].process?.member.isDraining == false else { return true }
        for row in 0..<shape.rows where (workers[number].process?.underWay ?? 0) >> row & 1 == 1 {
            _ = answer(number, row)
        }
        return true
    }

    mutating func tellLines(_ number: Int) {
        guard var process = workers[number].process else { return }
        let lines = workers[number].lines
        for holding in process.member.holdings {
            let handed = Self.bits(holding.rows.intersection(0..<holding.handed))
            let open = handed & ~lines
            let row = open == 0 ? holding.handed : UInt64(open.trailingZeroBitCount)
            process.member.lined(holding.key, below: row)
        }
        process.member.counted(lines: UInt64(lines.nonzeroBitCount))
        workers[number].process = process
    }

    /// All lanes are through, and the worker gives back what was not sent.
    mutating func drained(_ number: Int) {
        let seed = seed(number)
        guard var process = workers[number].process else { return }
        let (lines, marks) = (workers[number].lines, workers[number].marks)
        process.again = 0
        process.member.generator = SplitMix64(seed: seed)
        process.member.drained(
            lined: RowIntervals(),
            trace: { lines >> $0 & 1 == 1 ? .line : marks >> $0 & 1 == 1 ? .mark : .none },
            now: Self.now)
        workers[number].process = process
        save(number)
    }
}
