import FanfareBase
import FanfareCore
import FanfareTestSupport

/// The work of lanes on the rows that a worker gets.
extension ClusterWorld {
    func turn(_ worker: SimulatedWorker) {
        guard worker.isAlive, worker.ending == nil else { return }
        let local = worker.local(now)
        if worker.member.isDraining {
            drain(worker)
            return
        }
        takeUp(worker, local)
        start(worker, local)
        tellLines(worker)
        drive(worker, wakesLanes: false)
        if !worker.hand.isEmpty && worker.turnAt == .distantFuture {
            schedule(worker, after: 100)
        }
    }

    private func takeUp(_ worker: SimulatedWorker, _ local: Instant) {
        while worker.hand.count + worker.inFlight < worker.windowMax {
            let room = UInt64(worker.windowMax - worker.hand.count - worker.inFlight)
            guard let out = worker.member.handOut(max: room, now: local) else { break }
            ledger.handedOut(worker, out)
            if case .otherInput(let first) = worker.disk.flaw, out.rows.upperBound > first,
                !out.isInDoubt
            {
                worker.open[out.key, default: RowIntervals()].insert(out.rows)
                worker.member.inputDiffered(atRow: out.rows.lowerBound, now: local)
                for row in out.rows { hold(Int(row), out.key, worker) }
                drive(worker)
                return
            }
            worker.handed[out.key] = out.rows.upperBound
            worker.open[out.key, default: RowIntervals()].insert(out.rows)
            for row in out.rows { look(at: Int(row), out, worker) }
        }
    }

    private func hold(_ row: Int, _ key: GrantKey, _ worker: SimulatedWorker) {
        if worker.disk.lines[row] == nil && !worker.disk.marks[row] {
            worker.hand.append(.init(key: key, row: row, notBefore: now))
        }
    }

    /// The work of a job that is carried on: rows with a line are done, rows with a mark alone are in doubt.
    private func look(
        at row: Int, _ out: ClusterMember.HandOut, _ worker: SimulatedWorker
    ) {
        if worker.disk.lines[row] != nil {
            close(row, worker)
        } else if worker.inDoubtHere.contains(row) || worker.hand.contains(where: { $0.row == row })
        {
            // Lanes have it by another grant, and will bring its line.
            return
        } else if out.isInDoubt || worker.disk.marks[row] {
            let folder = worker.disk.folder
            let isOwn =
                folder.rows.contains(UInt64(row)) && !folder.grantedTwice.contains(UInt64(row))
            write(isOwn ? .unknown : .lost, of: row, worker)
        } else {
            worker.hand.append(.init(key: out.key, row: row, notBefore: now))
        }
    }

    private func start(_ worker: SimulatedWorker, _ local: Instant) {
        var started: [SimulatedWorker.Row] = []
        var rest: [SimulatedWorker.Row] = []
        for row in worker.hand {
            if row.notBefore <= now, worker.inFlight + started.count < worker.windowMax,
                worker.disk.lines[row.row] == nil, mayStart(worker, local), worker.takePermit(local)
            {
                started.append(row)
            } else if worker.disk.lines[row.row] == nil {
                rest.append(row)
            }
        }
        worker.hand = rest
        guard !started.isEmpty else { return }
        worker.inFlight += started.count
        worker.hasStarted = true
        for row in started {
            worker.disk.marks[row.row] = true
            worker.inDoubtHere.insert(row.row)
            ledger.started(row.row, worker, self)
        }
        var ending: AttemptEnd =
            dice.chance(plan.later) ? .later : dice.chance(plan.doubtful) ? .nothing : .answered
        if ending == .answered, plan.asksForTime > 0, timeDice.chance(plan.asksForTime) {
            ending = .laterForAll(.milliseconds(timeDice.number(300...3000)))
        }
        queue.insert(
            .attempts(worker: worker.number, rows: started, ends: ending),
            at: now.advanced(by: .milliseconds(dice.number(20...400))))
    }

    private func mayStart(_ worker: SimulatedWorker, _ local: Instant) -> Bool {
        if worker.member.hold(ofRoute: 0, now: local) != nil { return false }
        if !worker.isHeld && !worker.startsEnd.isOver(now: local) { return true }
        guard worker.unchecked > 0 else { return false }
        worker.unchecked -= 1
        return true
    }

    func end(_ rows: [SimulatedWorker.Row], _ ending: AttemptEnd, of worker: SimulatedWorker) {
        for row in rows { ledger.attemptEnded(row.row, ending, worker, isHeard: worker.isAlive) }
        guard worker.isAlive else { return }
        worker.inFlight -= rows.count
        if case .laterForAll(let time) = ending {
            let local = worker.local(now)
            ledger.wasAsked(worker, toWait: time, now)
            worker.member.asked(
                route: 0, toWaitUntil: local.advanced(by: time), now: local)
        }
        for row in rows {
            worker.inDoubtHere.remove(row.row)
            switch ending {
            case .answered: write(.definite, of: row.row, worker)
            case .nothing: write(.unknown, of: row.row, worker)
            case .later, .laterForAll:
                worker.disk.marks[row.row] = false
                let wait = Duration.milliseconds(dice.number(100...1500))
                worker.hand.append(
                    .init(key: row.key, row: row.row, notBefore: now.advanced(by: wait)))
            }
        }
        tellLines(worker)
        drive(worker)
    }

    private func write(
        _ line: WorkerDisk.Line, of row: Int, _ worker: SimulatedWorker
    ) {
        if worker.disk.lines[row] == nil {
            ledger.wrote(line, row, worker, self)
            worker.disk.write(line, of: row)
            worker.outcomes[line == .definite ? 0 : 1] += 1
        }
        close(row, worker)
    }

    private func close(_ row: Int, _ worker: SimulatedWorker) {
        // The row may have come again under another grant of the same worker.
        for key in worker.open.keys {
            worker.open[key]?.remove(UInt64(row)..<UInt64(row) + 1)
        }
    }

    /// Has the disk confirm the report now and then, and says how far lines are on it.
    private func tellLines(_ worker: SimulatedWorker, isLast: Bool = false) {
        let due = worker.syncedAt.advanced(by: plan.syncTime)
        guard isLast || now >= due else {
            if worker.turnAt == .distantFuture {
                schedule(worker, after: Int(due.nanoseconds(since: now) / 1_000_000) + 1)
            }
            return
        }
        worker.syncedAt = now
        worker.disk.unsynced = []
        for (key, row) in worker.handed {
            let open = worker.open[key]?.first
            worker.member.lined(key, below: open ?? row)
            if open == nil {
                worker.handed[key] = nil
                worker.open[key] = nil
            }
        }
        worker.tellCounts()
    }

    private func drain(_ worker: SimulatedWorker) {
        guard worker.inFlight == 0 else { return schedule(worker, after: 50) }
        worker.hand = []
        if worker.isReturn && !worker.hasStarted { leftAfterReturn[jobState, default: 0] += 1 }
        tellLines(worker, isLast: true)
        ledger.gaveBack(
            worker, worker.open.values.reduce(into: RowIntervals()) { $0.formUnion($1) })
        let disk = worker.disk
        worker.member.drained(
            lined: RowIntervals(),
            trace: { disk.lines[Int($0)] != nil ? .line : disk.marks[Int($0)] ? .mark : .none },
            now: worker.local(now))
        drive(worker, wakesLanes: false)
    }
}
