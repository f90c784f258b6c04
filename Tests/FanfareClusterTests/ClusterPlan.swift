import FanfareBase
import FanfareCore
import FanfareTestSupport

/// Everything that a seed decides about a cluster.
struct ClusterPlan {
    enum Fault: Equatable {
        /// Another worker comes, with a folder of its own.
        case join
        /// A process is killed; its folder may get another one later, after a loss of power perhaps.
        case kill(worker: Int, returnsAfter: Duration?, losesPower: Bool)
        /// A machine loses power, also one on which no process runs; its worker comes back by itself.
        case reboot(worker: Int, returnsAfter: Duration)
        /// A process is stopped, and goes on where it was.
        case freeze(worker: Int, Duration)
        /// Requests, answers or both do not get through.
        case cut(worker: Int, requests: Bool, answers: Bool, Duration)
        /// The server's process ends, and is back after a while.
        case restart(Duration)
        /// Another server takes over, without the last writes.
        case goBack(writes: Int, tells: Bool, Duration)
        /// A process begins in a copy of a worker's folder.
        case clone(worker: Int, sameHost: Bool)
        case leave(worker: Int)
        /// A process begins in a folder whose last one has ended.
        case comeBack(worker: Int)
        case order(worker: Int, ClusterDecision)
        /// The server's data is gone, and another one is made.
        case loseServer(Duration)
        /// A standby takes over, and some workers stay with the server of before until the two are one.
        case split(stay: Set<Int>)
        case heal
    }

    /// The fault of a process from its beginning.
    enum Flaw: Equatable {
        case none
        case otherJob
        case otherProtocol
        /// Its copy of the input has other bytes from a row on.
        case otherInput(from: UInt64)
    }

    let seed: UInt64
    var rowCount: UInt64
    var cutRows: UInt64
    var rate: Int64?
    var patience = ClusterPatience()
    var startTimes: [Duration]
    var flaws: [Flaw]
    var faults: [(at: Duration, fault: Fault)] = []
    /// After this time nothing goes wrong any more.
    var calmAfter: Duration
    var latency: ClosedRange<Int>
    var lostRequests = 0.0
    var lostAnswers = 0.0
    var repeated = 0.0
    /// Attempts that are answered "later", and those of which nothing is heard.
    var later = 0.0
    var doubtful = 0.0
    /// Answers of a provider that asks for time, for all rows.
    var asksForTime = 0.0
    var drift = 0.0
    /// The rows that a worker has in flight at once.
    var window: ClosedRange<Int>
    /// The time between two times at which the disk confirms a report; with `--durability full` there is none.
    var syncTime = Duration.zero
    /// The latency of workers that are far away.
    var far: [Int: ClosedRange<Int>] = [:]
    /// The writes that an engine can forget.
    var historyMax = 64

    var goesBack: Bool { faults.contains { if case .goBack = $0.fault { true } else { false } } }
    var goesBackSilently: Bool {
        faults.contains { if case .goBack(_, false, _) = $0.fault { true } else { false } }
    }
    /// True if the engine loses writes that it need not keep, or others.
    var forgets: Bool {
        faults.contains {
            switch $0.fault {
            case .restart, .goBack, .loseServer, .split: true
            case .join, .kill, .reboot, .freeze, .cut, .clone, .leave, .comeBack, .order, .heal:
                false
            }
        }
    }
    var clones: Bool { faults.contains { if case .clone = $0.fault { true } else { false } } }
    /// True if no process and no connection is ever away for long.
    var isCalm: Bool {
        faults.allSatisfy {
            switch $0.fault {
            case .join, .order, .comeBack: true
            case .kill, .reboot, .freeze, .cut, .restart, .goBack, .clone, .leave, .loseServer,
                .split, .heal:
                false
            }
        } && lostRequests == 0 && lostAnswers == 0
    }

    init(seed: UInt64, workers: Int? = nil, rows: UInt64? = nil, reboots: Bool = true) {
        var dice = Dice(seed: seed)
        self.seed = seed
        let count = workers ?? (dice.chance(0.05) ? dice.number(5...12) : dice.number(2...4))
        rowCount = rows ?? UInt64(dice.chance(0.05) ? dice.number(0...5) : dice.number(15...90))
        cutRows = UInt64(dice.number(2...12))
        rate = dice.chance(0.5) ? Int64(dice.number(2...40)) * ShareRule.unitsPerStart : nil
        patience.own = .seconds(4)
        patience.others = .seconds(6)
        patience.polls = 3
        patience.answer = .milliseconds(1500)
        patience.writeOff = .seconds(5)
        patience.leaving = .seconds(3)
        patience.firstBackOff = .milliseconds(100)
        patience.backOffMax = .seconds(1)
        patience.blockRows = 1...UInt64(dice.number(2...8))
        patience.splitRows = UInt64(dice.number(2...6))
        patience.cutAhead = dice.number(2...6)
        patience.rangeCuts = 1 + Int(seed % 4)
        patience.provingRows = UInt64(dice.number(1...12))
        startTimes = (0..<count).map { _ in .milliseconds(dice.number(0...3000)) }
        calmAfter = .seconds(dice.number(6...16))
        latency = 1...dice.pick([5, 50, 600])
        lostRequests = dice.swarm(0.4, upTo: 0.2)
        lostAnswers = dice.swarm(0.4, upTo: 0.2)
        repeated = dice.swarm(0.4, upTo: 0.3)
        later = dice.swarm(0.5, upTo: 0.4)
        doubtful = dice.swarm(0.3, upTo: 0.1)
        drift = dice.swarm(0.5, upTo: 0.12)
        let most = dice.pick([2, 6, 20])
        window = 1...most
        let rowMax = rowCount
        let flawed = dice.chance(0.2)
        flaws = (0..<count).map { number in
            guard flawed, number > 0, dice.chance(0.3) else { return .none }
            return dice.pick([
                .otherJob, .otherProtocol,
                .otherInput(from: UInt64(dice.number(0...Int(rowMax)))),
            ])
        }
        for number in 1..<max(count, 1) where flaws[number] != .none {
            startTimes[number] += .seconds(4)
        }
        deal(&dice, workers: count)
        if reboots {
            dealReboots(workers: count)
            dealServers(workers: count)
        }
        faults.sort { $0.at < $1.at }
    }

    /// A plan in which nothing goes wrong, for tests of one fault: workers that come one after the other, and stay.
    init(quiet seed: UInt64, workers: Int, rows: UInt64) {
        self.init(seed: seed, workers: workers, rows: rows, reboots: false)
        patience.rangeCuts = 1
        patience.cutAhead = 4
        patience.provingRows = 2
        startTimes = (0..<workers).map { .milliseconds(200 * $0) }
        flaws = startTimes.map { _ in .none }
        faults = []
        calmAfter = .seconds(120)
        latency = 1...20
        (lostRequests, lostAnswers, repeated) = (0, 0, 0)
        (later, doubtful, asksForTime, drift) = (0, 0, 0, 0)
    }

    private mutating func deal(_ dice: inout Dice, workers: Int) {
        let calm = Int(calmAfter / .milliseconds(1))
        func moment(_ dice: inout Dice) -> Duration { .milliseconds(dice.number(100...calm)) }
        func some(_ dice: inout Dice, _ probability: Double, most: Int) -> Int {
            dice.chance(probability) ? dice.number(1...most) : 0
        }
        let many = max(1, workers / 5)
        for _ in 0..<some(&dice, 0.3, most: 2) { faults.append((moment(&dice), .join)) }
        for _ in 0..<some(&dice, 0.4, most: 2 * many) {
            let back: Duration? =
                dice.chance(0.6) ? .milliseconds(dice.number(100...15_000)) : nil
            faults.append(
                (
                    moment(&dice),
                    .kill(
                        worker: dice.number(0...workers - 1), returnsAfter: back,
                        losesPower: dice.chance(0.2))
                ))
        }
        for _ in 0..<some(&dice, 0.4, most: 3 * many) {
            faults.append(
                (
                    moment(&dice),
                    .freeze(
                        worker: dice.number(0...workers - 1),
                        .milliseconds(
                            dice.chance(0.5) ? dice.number(50...3000) : dice.number(5000...30_000)))
                ))
        }
        for _ in 0..<some(&dice, 0.4, most: 3 * many) {
            let both = dice.chance(0.4)
            let way = dice.chance(0.5)
            faults.append(
                (
                    moment(&dice),
                    .cut(
                        worker: dice.number(0...workers - 1), requests: both || way,
                        answers: both || !way, .milliseconds(dice.number(200...14_000)))
                ))
        }
        for _ in 0..<some(&dice, 0.25, most: 2) {
            faults.append((moment(&dice), .restart(.milliseconds(dice.number(50...9000)))))
        }
        if dice.chance(0.25) {
            let tells = dice.chance(0.85)
            for _ in 0..<dice.number(1...2) {
                faults.append(
                    (
                        moment(&dice),
                        .goBack(
                            writes: dice.number(1...dice.pick([3, 12, 40])), tells: tells,
                            .milliseconds(dice.number(10...3000)))
                    ))
            }
        } else if dice.chance(0.12) {
            faults.append(
                (
                    moment(&dice),
                    .clone(worker: dice.number(0...workers - 1), sameHost: dice.chance(0.5))
                ))
        }
        for _ in 0..<some(&dice, 0.3, most: 2 * many) {
            faults.append((moment(&dice), .leave(worker: dice.number(0...workers - 1))))
        }
        for _ in 0..<some(&dice, 0.25, most: 2) {
            let at = moment(&dice)
            let worker = dice.number(0...workers - 1)
            switch dice.number(0...3) {
            case 0:
                faults.append((at, .order(worker: worker, .pause(true))))
                faults.append((moment(&dice), .order(worker: worker, .pause(false))))
            case 1 where rate != nil:
                let rate = Int64(dice.number(1...40)) * ShareRule.unitsPerStart
                faults.append((at, .order(worker: worker, .setRate(rate))))
            case 2: faults.append((at, .order(worker: worker, .stop(.ordered))))
            case 3 where dice.chance(0.7):
                // Also one that is alive may be given up.
                let other = WorkerID(bits: UInt128(dice.number(1...workers)))
                faults.append((at, .order(worker: worker, .giveUp(other))))
            default: break
            }
        }
        goOn(workers: workers)
        dealReturns(workers: workers)
        var timeDice = Dice(seed: seed ^ 0xCA_1F)
        asksForTime = timeDice.chance(0.3) ? 0.05 : 0
    }

    /// Has jobs that were stopped go on, most of them in the midst of the stop.
    ///
    /// With dice of its own: the other faults of a seed are those that they were before there was this.
    private mutating func goOn(workers: Int) {
        var dice = Dice(seed: seed ^ 0x60_0E)
        for (at, fault) in faults {
            guard case .order(let worker, .stop(.ordered)) = fault, dice.chance(0.7) else {
                continue
            }
            // Two workers see too many bad outcomes at the same time.
            if dice.chance(0.5) {
                for other in 0..<min(workers, 2) {
                    let moment = at + .milliseconds(dice.number(0...20))
                    faults.append((moment, .order(worker: other, .stop(.outcomes))))
                }
            }
            let later = at + .milliseconds(dice.number(5...dice.pick([300, 1500, 6000])))
            faults.append((later, .order(worker: worker, .goOn)))
            let other = dice.number(0...workers - 1)
            faults.append((later, .order(worker: other, .goOn)))
            for number in 0..<workers where dice.chance(0.8) {
                let back = later + .milliseconds(dice.number(100...4000))
                faults.append((back, .comeBack(worker: number)))
            }
        }
    }
}
