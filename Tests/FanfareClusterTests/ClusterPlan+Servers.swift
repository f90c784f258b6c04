import FanfareCore
import FanfareTestSupport

/// Servers that are lost, restored from a backup, or two at a time, and workers that are far away.
extension ClusterPlan {
    /// Has one of these befall some seeds, with dice of its own: all others are those that they were before.
    mutating func dealServers(workers: Int) {
        var dice = Dice(seed: seed ^ 0x5E_2F)
        let moment = Duration.milliseconds(dice.number(500...dice.pick([3000, 8000])))
        let away = Duration.milliseconds(dice.number(10...4000))
        switch seed % 25 {
        case 10:
            faults.append((moment, .loseServer(away)))
        case 11, 20:
            // The state of a backup, also that of the beginning; nothing tells of it.
            historyMax = 1000
            let writes = dice.number(1...dice.pick([60, 1000]))
            faults.append((moment, .goBack(writes: writes, tells: false, away)))
        case 12 where !clones, 15 where !clones:
            // The sum of the paces of two servers is that of no job.
            rate = nil
            let length = Duration.milliseconds(dice.number(500...dice.pick([4000, 20_000])))
            let count = dice.number(1...max(1, workers - 1))
            let first = dice.number(0...workers - 1)
            let stay = Set((0..<count).map { (first + $0) % workers })
            // They find the other server by themselves, or their connections are cut.
            faults.append((moment, .split(stay: stay)))
            faults.append((moment + length, .heal))
            calmAfter = max(calmAfter, moment + length + .seconds(4))
        case 9, 17, 21:
            let all = dice.chance(0.3)
            for worker in 0..<workers where all || dice.chance(0.5) {
                let least = dice.number(25...300)
                far[worker] = least...min(500, least + dice.number(5...200))
            }
        default: break
        }
    }

    /// True if two servers have the job for a while.
    var splits: Bool { faults.contains { if case .split = $0.fault { true } else { false } } }
}
