import FanfareBase
import FanfareCore
import FanfareTestSupport

/// The faults of a run.
extension ClusterWorld {
    func befall(_ fault: ClusterPlan.Fault) {
        ledger.remark("fault: \(fault)", now)
        switch fault {
        case .join:
            addDisk()
            begin(disks.count - 1)
        case .kill(let number, let time, let losesPower):
            guard let worker = process(number) else { return }
            kill(worker)
            ledger.wasAway(worker.disk, now)
            if losesPower { worker.disk.losePower(&powerDice) }
            if let time { queue.insert(.begin(disk: number), at: now.advanced(by: time)) }
        case .reboot(let number, let time):
            let disk = disks[number]
            if let worker = processOf[number] { kill(workers[worker]) }
            ledger.wasAway(disk, now)
            disk.losePower(&powerDice)
            reboots += 1
            queue.insert(.begin(disk: number), at: now.advanced(by: time))
        case .freeze(let number, let time):
            guard let worker = process(number) else { return }
            let end = now.advanced(by: time)
            worker.frozenUntil = end
            worker.threadUntil = end.advanced(by: .milliseconds(threadDice.number(0...300)))
            // Between the look at its patience and the write it may have been stopped, too.
            if worker.member.mayStart(now: worker.local(now)) && dice.chance(0.5) {
                worker.unchecked = 1
                ledger.mayStartUnchecked(worker)
            }
            ledger.wasAway(worker.disk, now)
        case .cut(let number, let requests, let answers, let time):
            let end = now.advanced(by: time)
            cutUntil[number] = (requests ? end : now, answers ? end : now)
            ledger.wasAway(disks[number], now)
        case .restart(let time):
            model.restart()
            leave(for: time)
        case .goBack(let writes, let tells, let time):
            let before = model.state
            model.goBack(writes: writes, tells: tells)
            ledger.wentBack(before, model.state, tells: tells, self)
            leave(for: time)
        case .loseServer(let time):
            loseServer()
            leave(for: time)
        case .split(let stay): split(stay: stay)
        case .heal: heal()
        case .clone(let number, let sameHost):
            clone(disks[number], sameHost: sameHost)
        case .leave(let number):
            guard let worker = process(number) else { return }
            worker.member.leave(now: worker.local(now))
            drive(worker)
        case .comeBack(let number): begin(number)
        case .order(let number, let decision):
            guard let worker = process(number) else { return }
            worker.member.decide(decision)
            drive(worker)
        }
    }

    private func process(_ disk: Int) -> SimulatedWorker? {
        guard let number = processOf[disk], workers[number].isAlive,
            workers[number].frozenUntil.map({ $0 <= now }) ?? true
        else { return nil }
        return workers[number]
    }

    private func addDisk() {
        let number = disks.count
        disks.append(
            WorkerDisk(
                number: number, worker: WorkerID(bits: UInt128(number + 1)),
                place: ClusterPlace(host: UInt64(number + 1), boot: 1, file: UInt64(number + 1)),
                rows: Int(plan.rowCount), flaw: .none))
        processOf.append(nil)
    }

    private func clone(_ disk: WorkerDisk, sameHost: Bool) {
        let number = disks.count
        let place =
            sameHost
            ? ClusterPlace(host: disk.place.host, boot: disk.place.boot, file: UInt64(number + 1))
            : ClusterPlace(host: UInt64(number + 1), boot: 1, file: disk.place.file)
        disks.append(WorkerDisk(copy: disk, number: number, place: place))
        processOf.append(nil)
        begin(number)
    }

    private func leave(for time: Duration) {
        serverIsAway = true
        queue.insert(.serverIsBack, at: now.advanced(by: time))
    }
}
