import FanfareBase
import FanfareCore
import FanfareSystem

@testable import Fanfare

/// The process: its writer, its end at any moment, and the next one that carries the job on.
extension SimulatedWorld {
    /// What one process has besides its engine; all of it is gone when it is killed.
    struct Process {
        /// Counts processes, so that events of earlier ones are known.
        var number = 0
        var isRunning = false
        var files: [(kind: OutputKind, file: SimulatedFile)] = []
        var log: CheckpointLog
        var resumption: Resumption?
        /// The last row that was handed out, or reserved by an earlier process.
        var lastMarkedRow: UInt64 = 0
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

        init(number: Int, log: CheckpointLog) {
            self.number = number
            self.log = log
        }
    }

    private var kinds: [OutputKind] {
        plan.hasSideFiles ? OutputKind.allCases : [.report]
    }

    // MARK: Begin

    /// Begins the job, as `JobOpening.begin` does.
    func beginJob() {
        for kind in kinds {
            disk.create(kind, kind == .report ? Array(ReportFormat(.csv).header.utf8) : [])
        }
        disk.room = plan.room ?? .max
        disk.sparesReport = plan.hasOwnDisk
        process = Process(
            number: 0,
            log: CheckpointLog(
                behind: CheckpointRecord(), boot: disk.boot, isDurable: plan.isDurable))
        openFiles()
        try? disk.synchronizeFiles()
        try? process.log.begin(at: OutputFiles.lengths(of: process.files), on: disk)
        planKill()
        startEngine()
    }

    private func openFiles() {
        process.files = kinds.map { ($0, SimulatedFile(disk, $0)) }
    }

    private func startEngine() {
        let settings = plan.laneSettings(clock: clock, start: jobStart, marks: disk.marks)
        // A process keeps the pace by itself, and knows nothing of the one before.
        // It knows of one pace only.
        let pace = plan.paceChanges.isEmpty ? plan.pace : nil
        paceWatch = pace.map { PaceWatch($0, sentBefore: ledger.requestsSent) }
        place.initialize(
            to: LaneEngine(
                settings: settings, environment: self,
                seed: plan.seed &+ UInt64(process.number)))
        process.isRunning = true
        planInput()
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
        process.blocks.append(block)
        if !process.isWriting { planWriting() }
    }

    private func planWriting() {
        process.isWriting = true
        plan(.written(process.number), in: dice.number(plan.writeTime))
    }

    /// What `ReportSink.write` does with the block whose turn it is.
    func write() {
        let block = process.blocks.removeFirst()
        process.isWriting = false
        if !process.blocks.isEmpty { planWriting() }
        guard process.lostRows.isEmpty else { return process.lostRows += block.rows }
        var appended = OutputFiles.Appended(rowCount: 0)
        do throws(FileError) {
            let lengths = OutputFiles.lengths(of: process.files)
            try process.log.grow(from: lengths, to: lengths + lengthsWritten(block), on: disk)
            appended = OutputFiles.append(block, to: process.files)
            if plan.isDurable { try disk.synchronizeFiles() }
        } catch {
            appended.failure = error.sentence
        }
        guard let failure = appended.failure, !disk.isKilled else { return }
        ledger.note(now, "full", 0, [])
        process.lostRows += block.rows[appended.rowCount...]
        engine.drain(JobStop(.inputOutput, failure))
    }

    private func lengthsWritten(_ block: ReportBlock) -> OutputLengths {
        let lengths = block.lengths(ofFirst: block.rows.count)
        return plan.hasSideFiles ? lengths : OutputLengths(report: lengths.report)
    }

    // MARK: End

    /// The process ends by itself, as `Job.result` does.
    func endProcess() {
        let stop = engine.stop
        do throws(FileError) {
            if stop != nil {
                try disk.synchronizeFiles()
                try process.log.rest(at: OutputFiles.lengths(of: process.files), on: disk)
            } else {
                if plan.isDurable { try disk.synchronizeFiles() }
                try disk.removeCheckpoint()
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

    /// Everything of the process goes; the system still sends what it has taken.
    private func leave(sends: Bool) {
        if process.isRunning { place.deinitialize(count: 1) }
        for link in current.values.sorted(by: { $0.number < $1.number }) {
            link.phase = link.phase == .open && sends ? .leftByClient : .over
            link.down = []
            if link.phase == .over { link.server = nil }
        }
        current = [:]
        let number = process.number
        process = Process(number: number + 1, log: process.log)
        disk.revive()
        // The operator has made room.
        disk.room = .max
        plan(.restarted, in: dice.number(plan.downTime))
    }

    // MARK: Resumption

    /// Carries the job on, as `JobOpening.resume` does.
    func resume() {
        ledger.note(now, "resume", process.number, [])
        planKill()
        guard disk.hasCheckpoint, let record = disk.record else {
            // Torn by the kill, and the one before lost with the power: told as damaged.
            refused = disk.hasCheckpoint && ledger.hasLostPower && !plan.isDurable
            if !refused { ledger.violate("the checkpoint is gone: \(state)") }
            isOver = true
            return
        }
        let findings = Recovery.Findings(
            record: record, boot: disk.boot, sizes: disk.sizes,
            hasSideFiles: plan.hasSideFiles, mayRepeat: plan.resendsInDoubt,
            damagedRows: ledger.hasLostPower ? nil : disk.damagedRows)
        switch Recovery.decide(findings) {
        case .success(let recovery): carryOn(recovery, record)
        case .failure(.machineRestarted) where ledger.hasLostPower:
            // It is not known what was sent, and nothing is sent.
            refused = true
            isOver = true
        case .failure(let refusal):
            ledger.violate("the job cannot be carried on: \(refusal), \(record), \(disk.sizes)")
            isOver = true
        }
    }

    private func carryOn(_ decided: Recovery, _ record: CheckpointRecord) {
        var recovery = decided
        do throws(FanfareError) {
            let scan = try ReportScan(
                .memory(disk.bytes(of: .report), name: "report"), format: ReportFormat(.csv),
                byteCount: recovery.lengths.report)
            if let fault = recovery.take(scan) {
                ledger.violate("line \(fault.line) of the report: \(fault.text)")
            }
            try carryOn(recovery, record, scan)
        } catch {
            if !disk.isKilled { ledger.violate("the report cannot be read: \(error)") }
        }
    }

    private func carryOn(
        _ recovery: Recovery, _ record: CheckpointRecord, _ scan: ReportScan
    ) throws(FanfareError) {
        openFiles()
        process.log = CheckpointLog(behind: record, boot: disk.boot, isDurable: plan.isDurable)
        do throws(FileError) {
            for (kind, file) in process.files {
                try file.cut(toLength: recovery.lengths[kind])
            }
            if case .everyRow(let last) = recovery.doubt {
                disk.replaceMarks(through: last) { scan.rows.contains($0) }
            }
            try disk.synchronizeFiles()
            try process.log.begin(at: OutputFiles.lengths(of: process.files), on: disk)
        } catch {
            throw FanfareError(.output, error.sentence)
        }
        process.lastMarkedRow = UInt64(plan.rowCount) + Limits.reservationRows
        process.resumption = Resumption(
            scan, marks: disk.marks, lastMarkedRow: process.lastMarkedRow)
        ledger.read(disk)
        ledger.resumed(marks: disk.marks)
        startEngine()
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

    /// The reader hands out a batch, as `RowHistory.record` does.
    func handOutBatch() {
        guard !process.comingBatches.isEmpty else { return }
        let batch = process.comingBatches.removeFirst()
        process.resumption?.mark(batch)
        try? process.log.reserve(
            through: batch.firstRow + UInt64(batch.rowCount) - 1, on: disk)
        process.waitingBatches.append(batch)
    }

    func nextBatch() -> RowBatch? {
        guard !process.waitingBatches.isEmpty else { return nil }
        process.batchesOut += 1
        process.batchesTaken += 1
        return process.waitingBatches.removeFirst()
    }

    func hasBatch(now: Instant) -> Bool { !process.waitingBatches.isEmpty }

    func handBack(_ batch: RowBatch) {
        process.batchesOut -= 1
        process.batchesHandedBack += 1
        process.waitingBatches.insert(batch, at: 0)
    }

    var isInputAsleep: Bool { false }

    var isInputExhausted: Bool { process.hasInputEnded && process.waitingBatches.isEmpty }

    func recycle(_ batch: RowBatch) {
        process.batchesOut -= 1
    }

    func lendBatch() {}

    var isReached: Bool { false }

    var lastAnswerElsewhere: Instant? { nil }

    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }

    func discard(_ batch: RowBatch) { recycle(batch) }

    func emptyBlock() -> ReportBlock { ReportBlock() }

    var isReportBehind: Bool {
        process.blocks.count >= plan.reportBlocksMax
    }
}
