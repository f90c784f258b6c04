import FanfareBase
import FanfareCore
import FanfareTestSupport

/// Faults that come close together.
extension ClusterPlan {
    /// The faults besides kills, stops, reboots and lost connections.
    struct DenseKinds {
        /// Workers leave and come back, and orders are given.
        var drains = false
        /// The server loses writes, and may not tell of it.
        var forgets = false
        /// Folders are copied.
        var clones = false
    }

    /// Makes a plan of three to nine faults in some seconds.
    init(dense seed: UInt64, _ kinds: DenseKinds) {
        var dice = Dice(seed: seed ^ 0xD1CE)
        self.init(
            quiet: seed, workers: dice.number(2...3), rows: UInt64(dice.number(60...200)))
        let workers = startTimes.count
        cutRows = UInt64(dice.pick([4, 10, 20]))
        rate = dice.chance(0.7) ? Int64(dice.number(8...30)) * ShareRule.unitsPerStart : nil
        let block = UInt64(dice.number(3...12))
        patience.blockRows = block...block
        window = 2...dice.pick([2, 4])
        latency = 1...dice.pick([5, 50, 400])
        later = dice.chance(0.3) ? 0.2 : 0
        doubtful = dice.chance(0.3) ? 0.1 : 0
        syncTime = dice.chance(0.3) ? .milliseconds(400) : .zero
        var at = dice.number(1200...6000)
        for _ in 0..<dice.number(3...9) {
            at += dice.pick([
                dice.number(0...60), dice.number(0...600), dice.number(0...3000),
                dice.number(4000...8000),
            ])
            let worker = dice.number(0...workers - 1)
            let fault = Self.denseFault(worker, of: workers, kinds, &dice)
            faults.append((at: .milliseconds(at), fault))
        }
        comeToRest(workers, kinds, after: at)
    }

    private static func denseFault(
        _ worker: Int, of workers: Int, _ kinds: DenseKinds, _ dice: inout Dice
    ) -> Fault {
        let late = Duration.milliseconds(dice.number(5000...14_000))
        var faults: [Fault] = [
            .kill(
                worker: worker, returnsAfter: .milliseconds(dice.number(20...3000)),
                losesPower: dice.chance(0.3)),
            .kill(
                worker: worker, returnsAfter: dice.chance(0.5) ? late : nil,
                losesPower: dice.chance(0.3)),
            .reboot(worker: worker, returnsAfter: .milliseconds(dice.number(100...4000))),
            .freeze(worker: worker, .milliseconds(dice.number(100...16_000))),
            .comeBack(worker: worker),
            .order(worker: worker, .giveUp(WorkerID(bits: UInt128(dice.number(1...workers))))),
            .cut(
                worker: worker, requests: dice.chance(0.5), answers: true,
                .milliseconds(dice.number(200...6000))),
            .join,
        ]
        if kinds.drains {
            let orders: [ClusterDecision] = [
                .stop(.ordered), .goOn, .goOn, .pause(true), .pause(false),
            ]
            faults += [.leave(worker: worker), .leave(worker: worker), .comeBack(worker: worker)]
            faults += orders.map { .order(worker: worker, $0) }
        }
        if kinds.forgets {
            let back = Fault.goBack(
                writes: dice.number(1...dice.pick([4, 12, 30])), tells: dice.chance(0.65),
                .milliseconds(dice.number(10...800)))
            faults += [back, back, back]
        } else {
            faults.append(.restart(.milliseconds(dice.number(10...3000))))
        }
        if kinds.clones {
            let clone = Fault.clone(worker: worker, sameHost: dice.chance(0.5))
            faults += [clone, clone]
        }
        return dice.pick(faults)
    }

    /// All come back, twice, and an operator lets the job go on.
    private mutating func comeToRest(_ workers: Int, _ kinds: DenseKinds, after at: Int) {
        func add(_ milliseconds: Int, _ fault: Fault) {
            faults.append((at: .milliseconds(at + milliseconds), fault))
        }
        for late in 0..<3 where kinds.drains {
            add(9000 + 200 * late, .order(worker: late % workers, .pause(false)))
            add(9300 + 200 * late, .order(worker: late % workers, .goOn))
        }
        for number in 0..<workers {
            add(12_000 + number * 500, .comeBack(worker: number))
            add(40_000 + number * 500, .comeBack(worker: number))
        }
        add(14_000, .order(worker: 0, .goOn))
        add(14_500, .order(worker: 1, .pause(false)))
        add(60_000, .join)
        calmAfter = .milliseconds(at + 3000)
    }
}
