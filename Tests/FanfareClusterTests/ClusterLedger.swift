import FanfareBase
import FanfareCore

/// The events as they really happened, seen from the wire, the engine's records and the disks, and never from a worker's own state.
final class ClusterLedger {
    struct Attempt {
        enum State { case underWay, answered, laterHeard, laterUnheard, unheard }

        var disk: Int
        var worker: WorkerID
        var process: Int
        var state = State.underWay
    }

    /// A grant that the engine has forgotten.
    struct Forgotten {
        var worker: WorkerID
        var at: Instant
        var tells: Bool
    }

    let plan: ClusterPlan
    private(set) var violations: [String] = []
    private(set) var trace: [String]?
    var servers = ServerHistory()
    /// Mixes all starts: the same seed gives the same run.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    private var attempts: [[Attempt]]
    /// The rows that each folder's processes have heard to be theirs.
    private var heardRows: [Int: RowIntervals] = [:]
    private var handedRows: [Int: RowIntervals] = [:]
    private var heardStop: Set<Int> = []
    private var heardPause: Set<Int> = []
    private var lastOrders: [Int: Instant] = [:]
    private var unchecked: [Int: Int] = [:]
    private var uncheckedCount = 0
    private var stoppedAt: Instant?
    private var forgotten: [Int: [Forgotten]] = [:]
    private var awayAt: [WorkerID: [Instant]] = [:]
    private var lostLines = 0
    /// The end of the time for which a provider wants nothing of anyone, as far as a process has heard of it.
    private var heldUntil: [Int: (told: Instant, asked: Instant)] = [:]
    /// The outcomes that each process has told last, and the epoch in which it counted them.
    private var told: [UInt64: (epoch: Int, outcomes: [UInt64])] = [:]
    /// True once a process of a folder that was copied has come back behind one of the copy.
    private var tookTurns = false
    /// The rows that the present verdict has named as granted twice, and those of earlier ones, with the first process that
    /// began after the job had gone on.
    private var twice = RowIntervals()
    private var barred: [(rows: RowIntervals, since: Int)] = []
    private var rateMax: Int64
    private var excessLeast = 0.0
    private var excessMost = 0.0

    private(set) var starts = 0
    /// Each start's time and process.
    private(set) var startTimes: [(at: Instant, process: Int)] = []
    private(set) var excused = 0

    init(plan: ClusterPlan, keepsTrace: Bool) {
        self.plan = plan
        attempts = Array(repeating: [], count: Int(plan.rowCount))
        trace = keepsTrace ? [] : nil
        rateMax = plan.rate ?? 0
    }

    func violate(_ invariant: String, _ text: String, _ now: Instant) {
        remark("VIOLATION \(invariant): \(text)", now)
        if violations.count < 6 {
            violations.append("\(invariant) at \(now.nanoseconds / 1_000_000) ms: \(text)")
        }
    }

    func remark(_ text: @autoclosure () -> String, _ now: Instant) {
        if trace != nil { trace?.append("\(now.nanoseconds / 1_000_000) ms: \(text())") }
    }

    // MARK: The engine

    /// A transaction was committed.
    func committed(
        _ before: ClusterModel.State, _ model: ClusterModel, _ request: ClusterRequest,
        _ reply: ClusterReply, _ world: ClusterWorld
    ) {
        let now = world.now
        let after = model.state
        if trace != nil { note(request, reply, now) }
        if before.ranges != after.ranges || before.grants != after.grants {
            checkDisjoint(after, now)
        }
        if let rate = after.job?.terms.rate {
            rateMax = max(rateMax, rate)
            let used = after.workers.reduce(0) { $0 + $1.share }
            let usedBefore = before.workers.reduce(0) { $0 + $1.share }
            if case .reassert = request.operation {
                // The rows in use were in use before.
            } else if used > rate && used > usedBefore {
                violate("I6", "shares of \(used) are more than the rate, \(rate)", now)
            }
        }
        noteTold(request, before, world)
        if case .grantedTwice(let rows)? = after.job?.verdict {
            twice.insert(rows)
            servers.isNamed = true
        }
        switch (before.job?.state, after.job?.state) {
        // Some hear of it from the other server, when the two are one.
        case _ where servers.hasSplit: stoppedAt = nil
        case (.proving?, .stopping?), (.running?, .stopping?): stoppedAt = now
        case (.stopping?, .running?), (.stopped?, .running?): stoppedAt = nil
        default: break
        }
        if case .beat(let beat) = request.operation, case .orders(let orders) = reply {
            checkOutcomes(before, after, request.worker, beat, orders, now)
        }
    }

    /// Invariant 13: a process hears of each outcome that others have told since the job went on, once.
    ///
    /// Of the processes of a copied folder the engine knows the last one alone: one that comes back behind another is a
    /// new one to it, so the guards hear twice of what it had told.
    private func checkOutcomes(
        _ before: ClusterModel.State, _ after: ClusterModel.State, _ worker: WorkerID,
        _ beat: ClusterOperation.Beat, _ orders: ClusterOrders, _ now: Instant
    ) {
        guard !plan.forgets, let epoch = after.job?.outcomeEpoch else { return }
        let heard = { (state: ClusterModel.State) in state.workers.first { $0.id == worker }?.beat }
        let counter = before.workers.first { $0.id == worker }?.counter
        if plan.clones, counter != beat.counter, told[beat.counter] != nil { tookTurns = true }
        if tookTurns { return }
        if heard(before) != heard(after), let counted = beat.outcomeEpoch {
            told[beat.counter] = (counted, beat.counts.outcomes)
        }
        var expected: [UInt64] = [0, 0]
        for (counter, said) in told where counter != beat.counter && said.epoch == epoch {
            for index in expected.indices { expected[index] += said.outcomes[index] }
        }
        let found = orders.counts.outcomes + Array(repeating: 0, count: 2)
        if Array(found.prefix(2)) != expected {
            violate(
                "I13", "others have told \(expected), and the answer says \(found.prefix(2))", now)
        }
    }

    func note(_ request: ClusterRequest, _ reply: ClusterReply, _ now: Instant) {
        if case .beat(let beat) = request.operation {
            remark(
                "beat \(beat.number) of \(request.worker.bits)/\(request.session) using \(beat.using)\(beat.isLeaving ? " leaving" : "")",
                now)
        } else {
            remark(
                "\(request.worker.bits)/\(request.session): \(request.operation)\n      -> \(reply)",
                now)
        }
    }

    /// Invariant 1: no row has two grants.
    func checkDisjoint(_ state: ClusterModel.State, _ now: Instant) {
        checkRecords(state, now)
        // A job that has stopped because of it has said so.
        if case .grantedTwice? = state.job?.verdict { return }
        var spans: [Range<UInt64>] = []
        for range in state.ranges { spans += range.grantedRows.spans }
        for grant in state.grants { spans += grant.rows.spans }
        spans.sort { $0.lowerBound < $1.lowerBound }
        for index in spans.indices.dropFirst()
        where spans[index].lowerBound < spans[index - 1].upperBound {
            violate("I1", "rows \(spans[index]) are granted twice", now)
        }
    }

    /// The engine has lost its last writes.
    func wentBack(
        _ before: ClusterModel.State, _ after: ClusterModel.State, tells: Bool,
        _ world: ClusterWorld
    ) {
        if after.job?.state != .stopping { stoppedAt = nil }
        let kept = Self.owners(after)
        for (worker, rows) in Self.owners(before) {
            let lost = rows.subtracting(kept[worker] ?? RowIntervals())
            for span in lost.spans {
                for row in span {
                    forgotten[Int(row), default: []].append(
                        Forgotten(worker: worker, at: world.now, tells: tells))
                }
            }
        }
    }

    static func owners(_ state: ClusterModel.State) -> [WorkerID: RowIntervals] {
        var owners: [WorkerID: RowIntervals] = [:]
        for range in state.ranges {
            if let owner = range.owner {
                owners[owner, default: RowIntervals()].formUnion(range.grantedRows)
            }
        }
        for grant in state.grants {
            owners[grant.worker, default: RowIntervals()].formUnion(grant.rows)
        }
        return owners
    }

    func wasAway(_ disk: WorkerDisk, _ now: Instant) {
        awayAt[disk.folder.worker, default: []].append(now)
    }

    // MARK: Workers

    /// A process has an answer that it waited for.
    func heard(_ worker: SimulatedWorker, _ answer: ClusterAnswer, _ now: Instant) {
        let disk = worker.disk.number
        var rows = RowIntervals()
        switch answer.body {
        case .granted(let range): rows = range.grantedRows
        case .closed(let grant), .takenGrant(let grant): rows = grant.rows
        case .joined(let joined): for grant in joined.grants { rows.formUnion(grant.rows) }
        case .reasserted(let grants): for grant in grants { rows.formUnion(grant.rows) }
        case .orders(let orders):
            lastOrders[worker.number] = now
            // The last word counts: each is a little later than the truth, by its time on the way.
            heldUntil[worker.number, default: (now, now)].told = end(
                of: .milliseconds(Int(orders.job.holds.first?.milliseconds ?? 0)), at: worker, now)
            if orders.job.isPaused {
                heardPause.insert(worker.number)
            } else {
                heardPause.remove(worker.number)
            }
            switch orders.job.state {
            case .stopping, .stopped, .finished: heardStop.insert(worker.number)
            case .proving, .running: break
            }
        case .refused(.jobIsUnknown): servers.refused.insert(worker.number)
        case .refused, .survey, .cut, .taken, .done, .missed, .notYours, .superseded,
            .unknownSession, .otherGeneration:
            break
        }
        heardRows[disk, default: RowIntervals()].formUnion(rows)
    }

    /// A provider has asked a process for time.
    func wasAsked(_ worker: SimulatedWorker, toWait time: Duration, _ now: Instant) {
        let end = end(of: time, at: worker, now)
        let before = heldUntil[worker.number] ?? (now, now)
        heldUntil[worker.number] = (before.told, max(before.asked, end))
    }

    /// Returns the end of a time by a process' own clock, which may be fast.
    private func end(of time: Duration, at worker: SimulatedWorker, _ now: Instant) -> Instant {
        let length = Double(time.wholeNanoseconds) / worker.clockSpeed
        return now.advanced(byNanoseconds: Int64(length) - 2_000)
    }

    func mayStartUnchecked(_ worker: SimulatedWorker) {
        unchecked[worker.number] = worker.unchecked
        uncheckedCount += worker.unchecked
    }

    /// Invariant 3, for rows on their way to lanes.
    func handedOut(_ worker: SimulatedWorker, _ out: ClusterMember.HandOut) {
        let rows = RowIntervals(out.rows)
        if heardRows[worker.disk.number]?.isSuperset(of: rows) != true {
            violate("I3", "rows \(out.rows) are handed out without a grant", lastNow)
        }
        if !out.isInDoubt { handedRows[worker.number, default: RowIntervals()].formUnion(rows) }
    }

    private var lastNow = Instant(nanoseconds: 0)

    func started(_ row: Int, _ worker: SimulatedWorker, _ world: ClusterWorld) {
        let now = world.now
        lastNow = now
        starts += 1
        startTimes.append((now, worker.number))
        for number in [UInt64(row), UInt64(worker.number), UInt64(now.nanoseconds)] {
            hash = (hash ^ number) &* 0x100_0000_01B3
        }
        remark("row \(row) starts at worker \(worker.number)", now)
        checkRight(row, worker, world)
        checkOrders(row, worker, now)
        checkHold(row, worker, now)
        checkNamed(row, worker, now)
        checkGone(row, worker, now)
        for attempt in attempts[row] where attempt.state != .laterHeard {
            checkTwice(row, attempt, worker, world)
            break
        }
        attempts[row].append(
            Attempt(
                disk: worker.disk.number, worker: worker.disk.folder.worker, process: worker.number)
        )
        // The window that ends here, over all windows: see `PaceWatch` of the other simulation.
        let rate = Double(rateMax) / Double(ShareRule.unitsPerStart) * (1 + plan.drift)
        let earned = rate * Double(now.nanoseconds) / 1e9
        excessLeast = min(excessLeast, Double(starts - 1) - earned)
        excessMost = max(excessMost, Double(starts) - earned - excessLeast)
    }

    /// Invariants 3 and 10: the row is this process's to send, and the process belongs to the job.
    private func checkRight(_ row: Int, _ worker: SimulatedWorker, _ world: ClusterWorld) {
        let now = world.now
        if handedRows[worker.number]?.contains(UInt64(row)) != true {
            violate("I3", "row \(row) started outside of a grant", now)
        }
        switch worker.disk.flaw {
        case .none: break
        // If it came first, the job is its own, and the others are refused.
        case .otherJob where world.model.state.job?.terms.fingerprint == 2: break
        case .otherProtocol where world.model.state.job?.terms.protocolVersion == 2: break
        case .otherJob, .otherProtocol:
            violate("I10", "row \(row) started at a worker of another job", now)
        case .otherInput(let first) where UInt64(row) >= first:
            violate("I10", "row \(row) started from another input", now)
        case .otherInput: break
        }
    }

    /// Invariant 7: what orders say, and that without orders nothing starts.
    private func checkOrders(_ row: Int, _ worker: SimulatedWorker, _ now: Instant) {
        let patience = Double(plan.patience.own.wholeNanoseconds) / worker.clockSpeed
        // The answer came after its request was sent, and it is from there that patience counts.
        let sinceOrders = lastOrders[worker.number].map { now.nanoseconds(since: $0) } ?? .max
        let isLate =
            heardStop.contains(worker.number) || heardPause.contains(worker.number)
            || Double(sinceOrders) > patience
            || stoppedAt.map { Double(now.nanoseconds(since: $0)) > patience + 1e6 } ?? false
        guard isLate else { return }
        if let left = unchecked[worker.number], left > 0 {
            unchecked[worker.number] = left - 1
            return
        }
        violate("I7", "row \(row) started at worker \(worker.number) against orders", now)
    }

    /// The job goes on after rows were granted twice.
    func wentOn(_ world: ClusterWorld) {
        remark("the job goes on, without rows \(twice.spans)", world.now)
        stoppedAt = nil
        barred.append((twice, world.workers.count))
        twice = RowIntervals()
    }

    /// True if the job has gone on after it had stopped because rows were granted twice.
    var hasGoneOn: Bool { !barred.isEmpty }

    /// Invariant 15: rows that were named as granted twice start in no process that begins after the job has gone on.
    private func checkNamed(_ row: Int, _ worker: SimulatedWorker, _ now: Instant) {
        let isBarred = barred.contains {
            $0.since <= worker.number && $0.rows.contains(UInt64(row))
        }
        guard isBarred else { return }
        violate("I15", "row \(row) was granted twice, and starts at worker \(worker.number)", now)
    }

    /// Invariant 14: nothing starts while a provider wants nothing, as far as the process has heard of it.
    private func checkHold(_ row: Int, _ worker: SimulatedWorker, _ now: Instant) {
        guard let end = heldUntil[worker.number], now < max(end.told, end.asked) else { return }
        violate("I14", "row \(row) started at worker \(worker.number) too early", now)
    }

    /// Invariants 2 and 9.
    private func checkTwice(
        _ row: Int, _ attempt: Attempt, _ worker: SimulatedWorker, _ world: ClusterWorld
    ) {
        let own = attempt.worker == worker.disk.folder.worker
        let excuse =
            !own
            && (forgotten[row] ?? []).contains {
                // The one that was forgotten may also be the one that comes second.
                $0.worker == attempt.worker
                    && (!$0.tells || wasAway(attempt.process, around: $0.at, world))
                    || $0.worker == worker.disk.folder.worker
                        && (!$0.tells || wasAway(worker.number, around: $0.at, world))
            }
        if excuse || !own && isExcusedBySplit(row) {
            excused += 1
            return
        }
        violate(
            "I2",
            "row \(row) started at worker \(worker.number), and its attempt at worker \(attempt.process) is \(attempt.state)",
            world.now)
    }

    /// True if a worker could not say in time what the engine had forgotten.
    private func wasAway(_ number: Int, around moment: Instant, _ world: ClusterWorld) -> Bool {
        let process = world.workers[number]
        if !process.isAlive || process.ending != nil { return true }
        if plan.lostRequests > 0 || plan.lostAnswers > 0 { return true }
        return (awayAt[process.disk.folder.worker] ?? []).contains {
            abs($0.nanoseconds(since: moment)) < 40_000_000_000
        }
    }

    func attemptEnded(
        _ row: Int, _ end: ClusterWorld.AttemptEnd, _ worker: SimulatedWorker, isHeard: Bool
    ) {
        guard
            let index = attempts[row].lastIndex(where: {
                $0.process == worker.number && $0.state == .underWay
            })
        else { return }
        switch end {
        case .answered: attempts[row][index].state = .answered
        case .later, .laterForAll:
            attempts[row][index].state = isHeard ? .laterHeard : .laterUnheard
        case .nothing: attempts[row][index].state = .unheard
        }
    }

    func gaveBack(_ worker: SimulatedWorker, _ rows: RowIntervals) {
        remark("worker \(worker.number) has drained, unsent: \(rows.spans)", lastNow)
        handedRows[worker.number]?.subtract(rows)
    }

    /// Invariants 4 and 5, for a line.
    func wrote(
        _ line: WorkerDisk.Line, _ row: Int, _ worker: SimulatedWorker, _ world: ClusterWorld
    ) {
        remark("row \(row) has a line at worker \(worker.number): \(line)", world.now)
        switch line {
        case .definite:
            if attempts[row].last(where: { $0.process == worker.number })?.state != .answered {
                violate("I4", "row \(row) has an outcome that no answer said", world.now)
            }
        case .unknown: break
        case .lost:
            lostLines += 1
            if plan.isCalm {
                violate("I5", "row \(row) is written off, and no worker was lost", world.now)
            }
        }
    }

    // MARK: The end

    func ended(_ world: ClusterWorld) {
        let now = world.now
        let state = world.model.state
        let bounds =
            Double(world.workers.count)
            * (1 + 0.02 * Double(rateMax) / Double(ShareRule.unitsPerStart) * (1 + plan.drift))
            + Double(uncheckedCount)
        if plan.rate != nil && !plan.goesBackSilently && excessMost > bounds + 0.001 {
            violate(
                "I6",
                "a window has \(excessMost - bounds) starts too many, at a rate of \(rateMax)", now)
        }
        if let terms = state.job?.terms, terms.fingerprint != 1 || terms.protocolVersion != 1 {
            return
        }
        checkServers(world)
        switch state.job?.state {
        case _ where servers.isLost: break
        case .finished?: checkLines(world)
        case .stopping?, .stopped?: break
        case .proving?, .running?, nil:
            violate("I8", "the job does not end: \(state.job.map { "\($0.state)" } ?? "none")", now)
        }
        for worker in world.workers where worker.isAlive && worker.ending == nil {
            if worker.frozenUntil.map({ $0 > now }) ?? false { continue }
            violate("I8", "worker \(worker.number) does not end", now)
        }
    }

    /// Invariant 4: a job that is finished has a line for each row, and one definite line at most.
    private func checkLines(_ world: ClusterWorld) {
        for row in 0..<Int(plan.rowCount) {
            if !world.disks.contains(where: { $0.lines[row] != nil }) {
                violate("I4", "row \(row) has no line", world.now)
            }
            let definite = attempts[row].count { $0.state == .answered }
            if definite > 1 && forgotten[row] == nil && !servers.twice.contains(UInt64(row)) {
                violate("I2", "row \(row) was processed \(definite) times", world.now)
            }
        }
    }
}
