import FanfareBase
import FanfareCore
import FanfareTestSupport

/// Workers, a network and an engine, on one clock.
final class ClusterWorld {
    indirect enum Event {
        case fault(Int)
        case begin(disk: Int)
        case wake(worker: Int)
        case turn(worker: Int)
        case arrives(worker: Int, ClusterRequest, number: UInt64, isRepeated: Bool)
        case answers(worker: Int, ClusterAnswer, number: UInt64)
        case refused(worker: Int, number: UInt64)
        case attempts(worker: Int, rows: [SimulatedWorker.Row], ends: AttemptEnd)
        case serverIsBack
        /// An operator lets a job go on that has stopped because rows were granted twice.
        case resume
        /// Nothing goes wrong from here on.
        case calm
    }

    enum AttemptEnd: Equatable { case answered, later, laterForAll(Duration), nothing }

    let plan: ClusterPlan
    var dice: Dice
    /// Dice of what providers ask for.
    var timeDice: Dice
    /// Dice of the threads of a process that goes on after a stop.
    var threadDice: Dice
    /// Dice of what a machine loses with its power.
    var powerDice: Dice
    private var lastTransaction = Instant(nanoseconds: 0)
    var now = Instant(nanoseconds: 0)
    var queue = EventQueue<Event>()
    var model: ClusterModel
    var disks: [WorkerDisk] = []
    var workers: [SimulatedWorker] = []
    /// The present process of each disk.
    var processOf: [Int?] = []
    var cutUntil: [Int: (requests: Instant, answers: Instant)] = [:]
    var serverIsAway = false
    var connectionNumber: [UInt64] = []
    let ledger: ClusterLedger
    var servers = ClusterServers()
    /// The processes that came to the folder of one before them, by the state of the job when they joined.
    var returned: [ReturnState: Int] = [:]
    /// Those of them that gave rows back before they had started one, by the state when they did.
    var leftAfterReturn: [ReturnState: Int] = [:]
    /// The losses of power, and the rows that were in doubt because of them.
    var (reboots, rowsInDoubt) = (0, 0)
    var events = 0
    var requests = 0
    var isCalm = false
    /// The number of times that an operator lets the job go on, and true while one is about to.
    private var resumesLeft: Int
    private var isAboutToResume = false
    private var resumeDice: Dice
    /// Called after each event, by tests that look at something of their own.
    var afterEach: ((ClusterWorld) -> Void)?

    /// More than the longest run of a seed takes, so that one that spins ends.
    let eventsMax: Int
    static let timeMax = Duration.seconds(900)

    init(plan: ClusterPlan, keepsTrace: Bool = false) {
        self.plan = plan
        dice = Dice(seed: plan.seed ^ 0x5EED)
        timeDice = Dice(seed: plan.seed ^ 0x71_3E)
        threadDice = Dice(seed: plan.seed ^ 0x7E_AD)
        powerDice = Dice(seed: plan.seed ^ 0x90_3E)
        resumeDice = Dice(seed: plan.seed ^ 0x4E_57)
        resumesLeft = resumeDice.chance(0.8) ? 6 : 0
        model = ClusterModel(historyMax: plan.faults.isEmpty ? 0 : plan.historyMax)
        eventsMax = 20_000 + 20_000 * plan.startTimes.count
        ledger = ClusterLedger(plan: plan, keepsTrace: keepsTrace)
        for (number, time) in plan.startTimes.enumerated() {
            addDisk(flaw: plan.flaws[number])
            queue.insert(.begin(disk: number), at: now.advanced(by: time))
        }
        for (index, fault) in plan.faults.enumerated() {
            queue.insert(.fault(index), at: now.advanced(by: fault.at))
        }
    }

    private func addDisk(flaw: ClusterPlan.Flaw) {
        let number = disks.count
        disks.append(
            WorkerDisk(
                number: number, worker: WorkerID(bits: UInt128(number + 1)),
                place: ClusterPlace(host: UInt64(number + 1), boot: 1, file: UInt64(number + 1)),
                rows: Int(plan.rowCount), flaw: flaw))
        processOf.append(nil)
    }

    // MARK: The run

    func run() {
        let end = now.advanced(by: Self.timeMax)
        queue.insert(.calm, at: now.advanced(by: plan.calmAfter))
        // An order to pause that a stopped process had not sent may come after the first one.
        queue.insert(.calm, at: now.advanced(by: plan.calmAfter + .seconds(60)))
        while let (due, event) = queue.popFirst() {
            if due > end || events > eventsMax { break }
            now = due
            events += 1
            happen(event)
            afterEach?(self)
            if isOver { break }
        }
        ledger.ended(self)
    }

    /// True if nothing more can happen: all processes have ended after everything has come to rest.
    private var isOver: Bool {
        guard isCalm, !isAboutToResume, servers.former == nil,
            workers.allSatisfy({ !$0.isAlive || $0.ending != nil && $0.inFlight == 0 })
        else { return false }
        // An order to go on may have come when the last worker was about to leave.
        guard model.state.job?.state == .running, servers.identity == 1,
            disks.count < plan.startTimes.count + 12
        else {
            return true
        }
        addDisk(flaw: .none)
        begin(disks.count - 1)
        return false
    }

    /// From here on nothing goes wrong, and one worker at least is there.
    private func becalm() {
        isCalm = true
        cutUntil = [:]
        if let index = workers.firstIndex(where: { $0.isAlive && $0.ending == nil }) {
            workers[index].member.decide(.pause(false))
            drive(workers[index])
        }
        // A worker that came now would be the other job's.
        guard servers.identity == 1 else { return }
        addDisk(flaw: .none)
        begin(disks.count - 1)
        workers[workers.count - 1].member.decide(.pause(false))
    }

    private func happen(_ event: Event) {
        switch event {
        case .fault(let index): if !isCalm { befall(plan.faults[index].fault) }
        case .begin(let disk): begin(disk)
        case .wake(let number):
            let worker = workers[number]
            guard worker.wakeAt <= now else { break }
            worker.wakeAt = .distantFuture
            if worker.isAlive && !postpone(event, worker) { drive(worker) }
        case .turn(let number):
            let worker = workers[number]
            guard worker.turnAt <= now else { break }
            worker.turnAt = .distantFuture
            if worker.isAlive && !postpone(event, worker) { turn(worker) }
        case .arrives(let number, let request, let id, let isRepeated):
            arrive(number, request, id, isRepeated: isRepeated)
        case .answers(let number, let answer, let id):
            let worker = workers[number]
            guard worker.isAlive, !postpone(event, worker) else { break }
            if id == connectionNumber[number] { ledger.heard(worker, answer, now) }
            worker.member.answered(number: id, answer, now: worker.local(now))
            worker.noteEpoch()
            drive(worker)
        case .refused(let number, let id):
            let worker = workers[number]
            guard worker.isAlive, !postpone(event, worker) else { break }
            if id == connectionNumber[number] {
                connectionNumber[number] = 0
                worker.member.connectionFailed(now: worker.local(now))
            }
            drive(worker)
        case .attempts(let number, let rows, let ending):
            let worker = workers[number]
            if worker.isAlive && postpone(event, worker) { break }
            end(rows, ending, of: worker)
        case .serverIsBack: serverIsAway = false
        case .resume: resume()
        case .calm: becalm()
        }
    }

    /// Puts off what happens to a process that is stopped.
    private func postpone(_ event: Event, _ worker: SimulatedWorker) -> Bool {
        guard let frozenUntil = worker.frozenUntil else { return false }
        let until =
            switch event {
            case .wake, .answers, .refused: worker.threadUntil
            case .turn, .fault, .begin, .arrives, .attempts, .serverIsBack, .resume, .calm:
                frozenUntil
            }
        guard until > now else {
            if worker.threadUntil <= now { worker.frozenUntil = nil }
            return false
        }
        switch event {
        case .wake: worker.wakeAt = until
        case .turn: worker.turnAt = until
        case .fault, .begin, .arrives, .answers, .refused, .attempts, .serverIsBack, .resume, .calm:
            break
        }
        queue.insert(event, at: until)
        return true
    }

    // MARK: Processes

    func begin(_ number: Int) {
        let disk = disks[number]
        guard processOf[number] == nil else { return }
        if servers.identityOf[number] == nil {
            // It looks for its job by name, and would find the other one.
            guard servers.identity == 1 else { return }
            servers.identityOf[number] = servers.identity
        }
        rowsInDoubt += disk.recover()
        let terms = ClusterTerms(
            fingerprint: disk.flaw == .otherJob ? 2 : 1,
            protocolVersion: disk.flaw == .otherProtocol ? 2 : 1, rate: plan.rate)
        let member = ClusterMember(
            folder: disk.folder, place: disk.place, terms: terms,
            protocols: disk.flaw == .otherProtocol ? 2...3 : 1...2, patience: plan.patience,
            seed: dice.bits())
        let worker = SimulatedWorker(
            number: workers.count, disk: disk, member: member,
            clockSpeed: 1 + (plan.drift > 0 ? dice.share(upTo: 2 * plan.drift) - plan.drift : 0),
            clockStart: Int64(dice.number(0...1_000_000_000_000)),
            windowMax: dice.number(plan.window))
        worker.tellCounts()
        workers.append(worker)
        connectionNumber.append(0)
        processOf[number] = worker.number
        ledger.remark("worker \(worker.number) begins in folder \(number)", now)
        drive(worker)
    }

    /// Has a process do what it can, and sees when it is next.
    func drive(_ worker: SimulatedWorker, wakesLanes: Bool = true) {
        guard worker.isAlive, worker.ending == nil else { return }
        guard worker.threadUntil <= now else {
            wake(worker, at: worker.threadUntil)
            if wakesLanes { turn(worker) }
            return
        }
        loop: while true {
            while let first = worker.member.cutWanted { worker.member.cutRead(cut(at: first)) }
            let action = worker.member.next(now: worker.local(now))
            worker.obey(worker.local(now))
            save(worker)
            switch action {
            case .ask(let request, let number):
                connectionNumber[worker.number] = number
                send(request, number, from: worker)
            case .hangUp: connectionNumber[worker.number] = 0
            case .wait(let moment):
                wake(worker, at: worker.world(moment))
                break loop
            case .end(let ending):
                worker.ending = ending
                ledger.remark("worker \(worker.number) ends: \(ending)", now)
                // A row that it has in its hands and did not start stays without a line.
                worker.hand = []
                processOf[worker.disk.number] = nil
                break loop
            }
        }
        if wakesLanes { turn(worker) }
    }

    private func wake(_ worker: SimulatedWorker, at due: Instant) {
        guard due < worker.wakeAt else { return }
        worker.wakeAt = due
        queue.insert(.wake(worker: worker.number), at: due)
    }

    /// The content of a row, as each worker finds it: a function of the input alone.
    private func cut(at first: UInt64) -> ClusterCut {
        let end = min(first + plan.cutRows, plan.rowCount)
        return ClusterCut(
            firstRow: first, endRow: end, sum: UInt32(truncatingIfNeeded: first &* 0x9E37_79B9),
            isLast: end == plan.rowCount)
    }

    func save(_ worker: SimulatedWorker) {
        guard worker.savedFolderVersion != worker.member.folderVersion else { return }
        worker.savedFolderVersion = worker.member.folderVersion
        worker.disk.folder = worker.member.folder
    }

    func schedule(_ worker: SimulatedWorker, after milliseconds: Int) {
        worker.turnAt = now.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
        queue.insert(.turn(worker: worker.number), at: worker.turnAt)
    }

    func kill(_ worker: SimulatedWorker) {
        worker.isAlive = false
        if processOf[worker.disk.number] == worker.number { processOf[worker.disk.number] = nil }
        ledger.remark("worker \(worker.number) is killed", now)
    }

    // MARK: The network and the engine

    private func send(_ request: ClusterRequest, _ number: UInt64, from worker: SimulatedWorker) {
        requests += 1
        let latency = latency(worker)
        let isLost =
            !isCalm && dice.chance(plan.lostRequests)
            || cutUntil[worker.disk.number].map { $0.requests > now } ?? false
        let arrival = now.advanced(by: .milliseconds(latency))
        if !isLost {
            queue.insert(
                .arrives(worker: worker.number, request, number: number, isRepeated: false),
                at: arrival)
        }
        // A copy that was under way on a connection that is closed by now.
        if !isCalm && dice.chance(plan.repeated) {
            let late = now.advanced(by: .milliseconds(dice.number(0...12_000)))
            queue.insert(
                .arrives(worker: worker.number, request, number: number, isRepeated: true), at: late
            )
        }
    }

    private func arrive(
        _ number: Int, _ request: ClusterRequest, _ id: UInt64, isRepeated: Bool
    ) {
        let worker = workers[number]
        if serverIsAway {
            if !isRepeated {
                queue.insert(
                    .refused(worker: number, number: id),
                    at: now.advanced(by: .milliseconds(latency(worker))))
            }
            return
        }
        model.elapsed(milliseconds: now.nanoseconds(since: lastTransaction) / 1_000_000)
        lastTransaction = now
        let answer = transact(request, from: worker)
        if case .grantedTwice? = model.state.job?.verdict, !isAboutToResume, resumesLeft > 0 {
            resumesLeft -= 1
            isAboutToResume = true
            let time = resumeDice.number(5...resumeDice.pick([300, 3000, 12_000]))
            queue.insert(.resume, at: now.advanced(by: .milliseconds(time)))
        }
        noteReturn(worker, answer.body)
        guard !isRepeated else { return }
        let isLost =
            !isCalm && dice.chance(plan.lostAnswers)
            || cutUntil[worker.disk.number].map { $0.answers > now } ?? false
        if !isLost {
            queue.insert(
                .answers(worker: number, answer, number: id),
                at: now.advanced(by: .milliseconds(latency(worker))))
        }
    }

    /// Does what the documents tell an operator to do after rows were granted twice.
    private func resume() {
        isAboutToResume = false
        guard case .grantedTwice? = model.state.job?.verdict else { return }
        model.order(.goOn)
        ledger.wentOn(self)
        for disk in disks.indices where processOf[disk] == nil {
            let time = Duration.milliseconds(resumeDice.number(0...4000))
            queue.insert(.begin(disk: disk), at: now.advanced(by: time))
        }
    }

    func isCutOff(_ worker: SimulatedWorker) -> Bool {
        cutUntil[worker.disk.number].map { max($0.requests, $0.answers) > now } ?? false
    }
}
