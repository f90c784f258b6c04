import FanfareBase
import FanfareCore
import FanfareTestSupport

/// Machines that lose power, start anew, and go on with their workers by themselves.
extension ClusterPlan {
    /// Has machines reboot, with each durability, and some of their workers leave as soon as they are back.
    ///
    /// In one seed of five, with dice of its own: all others are those that they were before there was this.
    mutating func dealReboots(workers: Int) {
        guard seed % 5 == 3 else { return }
        var dice = Dice(seed: seed ^ 0xB0_07)
        // With --durability full each block of lines waits for the disk.
        syncTime = dice.chance(0.6) ? .milliseconds(dice.number(100...500)) : .zero
        // Grants of several rows, some of which were sent when the power goes.
        let block = UInt64(dice.number(2...16))
        patience.blockRows = block...block
        for _ in 0..<dice.number(1...3) { reboot(dice.number(0...workers - 1), &dice) }
    }

    private mutating func reboot(_ worker: Int, _ dice: inout Dice) {
        var death = Duration.milliseconds(dice.number(300...8000))
        // Others take its rows over, or have not noticed that it was away.
        let away = Duration.milliseconds(
            dice.chance(0.5) ? dice.number(100...3000) : dice.number(6000...20_000))
        if dice.chance(0.3) {
            // The machine shuts down in order, and the server is away when the worker gives its rows back.
            if dice.chance(0.7) {
                faults.append((death, .restart(.milliseconds(dice.number(1000...9000)))))
            }
            faults.append((death + .milliseconds(dice.number(0...50)), .leave(worker: worker)))
            death += .milliseconds(dice.number(100...5000))
        }
        faults.append((death, .reboot(worker: worker, returnsAfter: away)))
        let back = death + away
        calmAfter = max(calmAfter, back + .seconds(4))
        if dice.chance(0.3) {
            // It is told to leave before it may start anything, and begins once more.
            let left = back + .milliseconds(dice.number(1...dice.pick([100, 2000])))
            faults.append((left, .leave(worker: worker)))
            let again = left + .milliseconds(dice.number(200...4000))
            faults.append((again, .comeBack(worker: worker)))
        } else if dice.chance(0.4) {
            // It is killed in the midst of its recovery, or loses power again.
            let again = back + .milliseconds(dice.number(1...1500))
            let time = Duration.milliseconds(dice.number(100...2000))
            faults.append(
                (
                    again,
                    dice.chance(0.5)
                        ? .reboot(worker: worker, returnsAfter: time)
                        : .kill(worker: worker, returnsAfter: time, losesPower: false)
                ))
        }
    }
}
