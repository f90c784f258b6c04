import FanfareCore
import FanfareTestSupport

/// Workers that are killed, come back while they may start nothing, and leave again.
extension ClusterPlan {
    /// The reason why a worker that comes back may start nothing.
    private enum Hold: CaseIterable {
        case fresh, paused, stopping, stopped, proving, quiet, finished, none
    }

    /// Has killed workers come back and leave before they could start all that they had been granted.
    ///
    /// With dice of its own: the other faults of a seed are those that they were before there was this.
    mutating func dealReturns(workers: Int) {
        var dice = Dice(seed: seed ^ 0xBA_CC)
        guard dice.chance(0.3), (2...12).contains(workers) else { return }
        // Grants of several rows, some of which were sent when the worker is killed.
        let block = UInt64(dice.number(3...16))
        patience.blockRows = block...block
        for _ in 0..<dice.number(1...2) {
            let worker = dice.number(0...workers - 1)
            let other = (worker + dice.number(1...workers - 1)) % workers
            var death = Duration.milliseconds(dice.number(500...6000))
            var back = death + .milliseconds(dice.number(100...4000))
            switch dice.pick(Hold.allCases) {
            case .fresh:
                // No worker has been granted a row yet.
                death = startTimes[worker] + .milliseconds(dice.number(1...60))
                back = death + .milliseconds(dice.number(1...200))
            case .paused:
                hold(.pause(true), by: other, between: death, and: back, &dice)
                release(.pause(false), workers: workers, after: back, &dice)
            case .stopping:
                hold(.stop(.ordered), by: other, between: death, and: back, &dice)
                release(.goOn, workers: workers, after: back, &dice)
            case .stopped:
                // The others leave, or are killed, too.
                let moment = hold(.stop(.ordered), by: other, between: death, and: back, &dice)
                back = moment + patience.others + .milliseconds(dice.number(1000...6000))
                release(.goOn, workers: workers, after: back, &dice)
            case .finished:
                back = death + .milliseconds(dice.number(15_000...30_000))
            case .proving:
                // Another one proves the job when the prover is lost, and takes its time.
                rate = Int64(dice.number(2...4)) * ShareRule.unitsPerStart
                patience.provingRows = 60
                back = death + patience.others + .milliseconds(dice.number(1000...6000))
            case .quiet:
                // The engine goes back, and gives nothing for a while. One that has forgotten which of two copies of a folder
                // it knows is a fault of its own, which no seed has.
                guard !clones else { break }
                let moment = death + (back - death) * 0.5
                let time = Duration.milliseconds(dice.number(10...500))
                let writes = dice.number(1...dice.pick([1, 12]))
                faults.append((moment, .goBack(writes: writes, tells: true, time)))
            case .none: break
            }
            faults.append(
                (death, .kill(worker: worker, returnsAfter: back - death, losesPower: false)))
            let end = back + .milliseconds(dice.number(1...dice.pick([100, 1500, 4000])))
            faults.append((end, .leave(worker: worker)))
            if dice.chance(0.6) {
                let again = end + .milliseconds(dice.number(500...5000))
                faults.append((again, .comeBack(worker: worker)))
            }
            calmAfter = max(calmAfter, end + .seconds(6))
        }
    }

    @discardableResult
    private mutating func hold(
        _ order: ClusterDecision, by worker: Int, between death: Duration, and back: Duration,
        _ dice: inout Dice
    ) -> Duration {
        let time = Int((back - death) / .milliseconds(1))
        let moment = death + .milliseconds(dice.number(0...time))
        faults.append((moment, .order(worker: worker, order)))
        return moment
    }

    private mutating func release(
        _ order: ClusterDecision, workers: Int, after back: Duration, _ dice: inout Dice
    ) {
        let moment = back + .milliseconds(dice.number(1000...6000))
        for worker in 0..<workers {
            // If all have left, it takes one that comes to give the order, and others that come after it.
            if order == .goOn { faults.append((moment, .comeBack(worker: worker))) }
            let said = moment + .milliseconds(dice.number(1...100))
            faults.append((said, .order(worker: worker, order)))
            guard dice.chance(0.7) else { continue }
            let again = said + .milliseconds(dice.number(100...3000))
            faults.append((again, .comeBack(worker: worker)))
        }
    }
}

/// Counts of such workers.
extension ClusterWorld {
    /// The state of a job as workers come back to it.
    enum ReturnState: CaseIterable {
        /// No worker has been granted a row.
        case fresh
        case proving, open, paused, stopping, stopped, finished
        /// Its engine has gone back, and gives nothing.
        case goneBack
    }

    var jobState: ReturnState {
        guard let job = model.state.job else { return .fresh }
        guard job.isOpen else { return .goneBack }
        if job.isPaused && job.state != .finished { return .paused }
        return switch job.state {
        case .proving:
            model.state.grants.isEmpty
                && model.state.ranges.allSatisfy { $0.granted == $0.claimed } ? .fresh : .proving
        case .running: .open
        case .stopping: .stopping
        case .stopped: .stopped
        case .finished: .finished
        }
    }

    func noteReturn(_ worker: SimulatedWorker, _ reply: ClusterReply) {
        guard worker.isReturn, case .joined = reply else { return }
        returned[jobState, default: 0] += 1
    }
}
