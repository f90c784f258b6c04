import FanfareBase
import FanfareCore
import FanfareSystem

@testable import Fanfare

/// The process: its writer, its end at any moment, and the next one that carries the job on.
extension SimulatedWorld {
    /// The parts of one process besides its engine; all of them are gone when it is killed.
    struct Process {
        /// Counts processes, so that events of earlier ones are known.
        var number = 0
        var isRunning = false
        /// The journal that it writes; `nil` until its files are open.
        var journal: ReportJournal<SimulatedDisk>?
        var resumption: Resumption?
        var comingBatches: [RowBatch] = []
        var waitingBatches: [RowBatch] = []
        var hasInputEnded = false
        var batchesOut = 0
        /// Batches that were taken, and that were left to other lanes.
        var batchesTaken = 0
        var batchesHandedBack = 0
        var blocks: [ReportBlock] = []
        var isWriting = false
        /// Rows whose lines the disk had no room for.
        var lostRows: [UInt64] = []
        var isAborted = false
        /// The proof of its provider.
        var proof = RouteProof()

        init(number: Int) { self.number = number }
    }

    // MARK: Begin

    /// Begins the job with files that have no line.
    func beginJob() {
        planKill()
        do throws(FanfareError) {
            var files: [RecordFiles<SimulatedDisk>.Open] = []
            for spec in plan.outputs { files.append((spec.kind, try open(spec))) }
            let journal = ReportJournal(
                RecordFiles<SimulatedDisk>(files), checkpoint: checkpoint(CheckpointRecord()))
            try journal.files.begin(plan.outputs)
            try start(journal, behind: nil)
        } catch {
            if !disk.isKilled { ledger.violate("the job cannot begin: \(error)") }
        }
        // The first process may find the disk full, and the operator makes room.
        if process.number == 0 { disk.room = plan.room ?? .max }
    }

    private func open(_ spec: OutputSpec) throws(FanfareError) -> RecordFile<SimulatedDisk> {
        do throws(FileError) {
            return RecordFile(
                try disk.open(spec.path, mayExist: true), on: disk, split: spec.split)
        } catch {
            throw FanfareError(.output, message: error.sentence)
        }
    }

    private func checkpoint(_ record: CheckpointRecord) -> Checkpoint<SimulatedDisk> {
        Checkpoint(
            disk, layout: .marks, marksOffset: SimulatedDisk.marksOffset, record: record,
            boot: disk.boot, isDurable: plan.isDurable)
    }

    /// Writes what comes before the first row, and lets the engine begin.
    private func start(
        _ journal: ReportJournal<SimulatedDisk>, behind found: FoundJournal?
    ) throws(FanfareError) {
        do throws(FileError) {
            if let found {
                process.resumption = try journal.carryOn(found)
            } else {
                try journal.begin()
            }
        } catch {
            throw FanfareError(.output, message: error.sentence)
        }
        process.journal = journal
        if process.resumption != nil {
            ledger.read(disk)
            ledger.resumed(marks: disk.marks)
        }
        startEngine()
    }

    private func startEngine() {
        // A process keeps the pace by itself, and knows nothing of the one before.
        // It knows of one pace only.
        let pace = plan.paceChanges.isEmpty ? plan.pace : nil
        paceWatch = pace.map { PaceWatch($0, sentBefore: ledger.requestsSent) }
        startLane()
        planInput()
    }

    /// Makes the engine of the present process.
    func startLane() {
        var settings = plan.laneSettings(clock: clock, start: jobStart, marks: disk.marks)
        if let route { settings.preparation = route.preparation }
        lanePace = settings.pace
        place.initialize(
            to: LaneEngine(
                settings: settings, environment: self,
                seed: plan.seed &+ UInt64(process.number)))
        process.isRunning = true
    }

    private func planKill() {
        guard process.number < plan.kills.count else { return }
        switch plan.kills[process.number].moment {
        case .time(let nanoseconds): plan(.killed(process.number), in: nanoseconds)
        case .writes(let units): disk.kill(after: units)
        }
    }

    // MARK: Writer

    func submit(_ block: ReportBlock) {
        ledger.note(now, "report", 0, Array(block.lines.bytes))
        ledger.reported(block)
        if let route { return route.submit(block) }
        process.blocks.append(block)
        if !process.isWriting { planWriting() }
    }

    private func planWriting() {
        process.isWriting = true
        plan(.written(process.number), in: dice.number(plan.writeTime))
    }

    /// Writes the block whose turn it is.
    func write() {
        let block = process.blocks.removeFirst()
        process.isWriting = false
        if !process.blocks.isEmpty { planWriting() }
        guard process.lostRows.isEmpty else { return process.lostRows += block.rows }
        guard let appended = process.journal?.write(block), let failure = appended.failure,
            !disk.isKilled
        else { return }
        ledger.note(now, "full", 0, [])
        process.lostRows += block.rows[appended.rowCount...]
        engine.drain(JobStop(.inputOutput, text: failure))
    }

    // MARK: End

    /// The process ends by itself, as `Job.result` does.
    func endProcess() {
        let stop = engine.stop
        do throws(FileError) {
            if stop == nil {
                try process.journal?.end()
            } else if let change = try process.journal?.rest(change: { process.journal?.change() })
            {
                ledger.violate("a file has changed: \(change)")
            }
        } catch {
            return
        }
        ledger.read(disk)
        checkEnd()
        guard let stop, stop.kind != .bug, process.number < plan.resumptionsMax else {
            isOver = true
            return
        }
        ledger.note(now, "rest", 0, [])
        leave(sends: true)
    }

    /// The process is killed, or the machine loses its power.
    func kill() {
        let losesPower =
            plan.kills.indices.contains(process.number)
            && plan.kills[process.number].losesPower
        ledger.note(now, losesPower ? "power" : "killed", process.number, [])
        kills += 1
        leave(sends: !losesPower)
        if losesPower {
            ledger.hasLostPower = !plan.isDurable
            disk.losePower(&dice)
        }
    }

    /// Everything of the process goes; the operator starts another one.
    private func leave(sends: Bool) {
        leaveLane(sends: sends)
        disk.revive()
        // The operator has made room.
        disk.room = .max
        plan(.restarted, in: dice.number(plan.downTime))
    }

    /// All that the lane has of its process goes; the system still sends what it has taken.
    func leaveLane(sends: Bool) {
        if process.isRunning { place.deinitialize(count: 1) }
        for link in current.values.sorted(by: { $0.number < $1.number }) {
            link.phase = link.phase == .open && sends ? .leftByClient : .over
            link.down = []
            if link.phase == .over { link.server = nil }
        }
        current = [:]
        let number = process.number
        process = Process(number: number + 1)
    }

    // MARK: Resumption

    /// Carries the job on.
    func resume() {
        ledger.note(now, "resume", process.number, [])
        guard let record = disk.record else {
            // Killed before its first record: nothing was sent, and it begins.
            if ledger.requestsSent == 0, disk.hasCheckpoint { return beginJob() }
            ledger.violate("the checkpoint is gone: \(state)")
            isOver = true
            return
        }
        planKill()
        let findings = Recovery.Findings(
            record: record, boot: disk.boot, mayRepeat: plan.resendsInDoubt,
            damagedRows: disk.damagedRows(in: record), isRecordLost: disk.isRecordLost)
        do throws(FoundJournal.Obstacle) {
            carryOn(
                try FoundJournal(plan.outputs, on: disk, format: ReportFormat(.csv), findings))
        } catch {
            // It is not known what was sent, and nothing is sent.
            refused = ledger.hasLostPower
            if !refused {
                ledger.violate("the job cannot be carried on: \(error), \(record)")
            }
            isOver = true
        }
    }

    private func carryOn(_ found: FoundJournal) {
        do throws(FanfareError) {
            let files = try RecordFiles<SimulatedDisk>(
                plan.outputs, continuingAt: found.recovery.lengths, open: open)
            try start(
                ReportJournal(files, checkpoint: checkpoint(found.record)), behind: found)
        } catch {
            if !disk.isKilled { ledger.violate("the job cannot go on: \(error)") }
        }
    }

    // MARK: Rows

    private func planInput() {
        var rest = ledger.rows[...]
        var moment = 0
        while !rest.isEmpty {
            let count = min(rest.count, dice.number(plan.batchRows))
            process.comingBatches.append(RowBatch(rest.prefix(count)))
            rest = rest.dropFirst(count)
            moment += dice.number(plan.batchGap)
            plan(.batch(process.number), in: moment)
        }
        plan(.inputEnded(process.number), in: moment + dice.number(plan.batchGap))
    }

    /// The reader hands out a batch.
    func handOutBatch() {
        guard !process.comingBatches.isEmpty else { return }
        let batch = process.comingBatches.removeFirst()
        do throws(FanfareError) {
            try RowHistory(resumption: process.resumption, checkpoint: process.journal?.checkpoint)
                .record(batch)
        } catch {
            if !disk.isKilled { ledger.violate("a batch is not handed out: \(error)") }
            return
        }
        process.waitingBatches.append(batch)
    }

    /// Nothing waits between the peer and the engine.
    func hasUnread(on connection: Int) -> Bool { false }

    func nextBatch() -> RowBatch? {
        let batch =
            if let route {
                route.nextBatch()
            } else {
                process.waitingBatches.isEmpty ? nil : process.waitingBatches.removeFirst()
            }
        guard let batch else { return nil }
        process.batchesOut += 1
        process.batchesTaken += 1
        return batch
    }

    func hasBatch(now: Instant) -> Bool {
        route.map { $0.rows?.hasBatch(now: now) ?? false } ?? !process.waitingBatches.isEmpty
    }

    func handBack(_ batch: RowBatch) {
        process.batchesOut -= 1
        process.batchesHandedBack += 1
        if let route { return route.handBack(batch) }
        process.waitingBatches.insert(batch, at: 0)
    }

    var isInputAsleep: Bool { false }

    var isInputExhausted: Bool {
        if let route { return route.rows?.isExhausted ?? true }
        return process.hasInputEnded && process.waitingBatches.isEmpty
    }

    func recycle(_ batch: RowBatch) {
        process.batchesOut -= 1
        route?.recycle(batch)
    }

    func lendBatch() { route?.lend() }

    var isReached: Bool { false }

    var lastAnswerElsewhere: Instant? { nil }

    var lastAnswerOfOtherRoutes: Instant? {
        if let route { return route.lastAnswerOfOthers() }
        return plan.otherRouteAnswersUntil.map {
            min(now, now.advanced(byNanoseconds: Int64($0 - elapsed)))
        }
    }

    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }

    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave {
        process.proof.hear(news, from: 0, now: now)
    }

    func providerAsks(toWaitUntil moment: Instant) {}

    func claimFirstRequest(now: Instant) -> Instant? { process.proof.claim(by: 0, now: now) }

    func discard(_ batch: RowBatch) {
        process.batchesOut -= 1
        route?.discard(batch)
    }

    func emptyBlock() -> ReportBlock { ReportBlock() }

    var isReportBehind: Bool {
        route?.isReportBehind() ?? (process.blocks.count >= plan.reportBlocksMax)
    }
}
