import FanfareBase
import FanfareHTTP2
import FanfareSystem

@testable import Fanfare
@testable import FanfareCore

/// The processes of a job in batches: their files, their ends, and what carries the job on.
extension BatchWorld {
    private var format: ReportFormat { ReportFormat(.csv, provider: service.provider) }

    private var outputs: [OutputSpec] {
        [OutputSpec(kind: .report, path: "report.csv", header: Array(format.header.utf8))]
    }

    func begin() {
        planKill()
        do throws(FanfareError) {
            var files: [RecordFiles<SimulatedDisk>.Open] = []
            for spec in outputs { files.append((spec.kind, try open(spec))) }
            let journal = ReportJournal(
                RecordFiles<SimulatedDisk>(files), checkpoint: checkpoint(CheckpointRecord()))
            try journal.files.begin(outputs)
            try start(journal, behind: nil)
        } catch {
            if !disk.isKilled { ledger.violate("the job cannot begin: \(error)") }
        }
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
            boot: disk.boot, isDurable: false)
    }

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
        place.initialize(
            to: LaneEngine(
                settings: settings, environment: self,
                seed: plan.seed &+ UInt64(process.number)))
        process.isRunning = true
        try planInput()
    }

    private var settings: LaneSettings {
        var connection = ConnectionSettings(
            session: ClientSessionConfiguration(streamCapacity: 1, responseBodyBytes: 65_536),
            service: service)
        connection.versions = .http1
        var dispatch = DispatchSettings(
            connections: plan.connections, streamsPerConnection: 1, firstRequestAlone: false,
            timeout: .seconds(30),
            retry: RetryPolicy(attemptsMax: plan.attemptsMax))
        dispatch.patience = .seconds(300)
        var settings = LaneSettings(
            dispatch: dispatch,
            preparation: PreparationSettings(
                schema: schema, template: nil, report: format, hasReport: true, carriedSlots: [],
                validates: true),
            connection: connection)
        settings.marks = disk.marks
        return settings
    }

    /// The reader hands out the rows in batches, from the first one on.
    private func planInput() throws(FanfareError) {
        let source = RowSource(
            [.memory(plan.input, name: "rows")],
            InputSpec(schema: schema, required: [("token", "every row needs")]))
        try source.openFirst()
        var moment = 0
        while true {
            let batch = RowBatch(
                rowCapacity: dice.number(plan.batchRows), slotCount: schema.slotCount)
            guard try source.fill(batch) else { break }
            process.coming.append(batch)
            moment += dice.number(plan.batchGap)
            plan(.batch(process.number), in: moment...moment)
        }
        plan(.inputEnded(process.number), in: moment...moment)
    }

    private func planKill() {
        guard process.number < plan.kills.count else { return }
        switch plan.kills[process.number].moment {
        case .time(let nanoseconds): plan(.killed(process.number), in: nanoseconds...nanoseconds)
        case .writes(let units): disk.kill(after: units)
        }
    }

    // MARK: End

    /// Ends a process that has nothing left to do, or was killed while it wrote.
    func settle() {
        if process.isRunning, !disk.isKilled, process.blocks.isEmpty, engine.isFinished {
            endProcess()
        }
        if disk.isKilled { kill() }
    }

    private func endProcess() {
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
        check(isStopped: stop != nil)
        guard stop != nil, process.number < plan.resumptionsMax else {
            isOver = true
            return
        }
        leave()
    }

    private func check(isStopped: Bool) {
        let lines = readReport()
        ledger.check(lines, isFirst: process.number == 0)
        if !isStopped, lines.count != plan.rowCount {
            ledger.violate("\(plan.rowCount) rows, but \(lines.count) lines")
        }
        var tally = process.resumption?.tally ?? Tally()
        tally.merge(place.pointee.books.report.tally)
        for outcome in Outcome.allCases {
            let count = lines.values.count { $0.outcome == outcome.name.description }
            if tally.count(outcome) != UInt64(count) {
                ledger.violate(
                    "\(count) lines say \(outcome.name), the tally \(tally.count(outcome))")
            }
        }
        if !engine.books.dispatcher.isIdle || engine.books.dispatcher.inFlightCount != 0 {
            ledger.violate("requests are left in the dispatcher")
        }
        if !current.isEmpty { ledger.violate("transports are left open") }
    }

    /// The lines of the report by their rows.
    func readReport() -> [UInt64: (outcome: String, attempts: Int)] {
        guard case .memory(let bytes, _) = disk.contents(of: "report.csv") else { return [:] }
        var found: [UInt64: (outcome: String, attempts: Int)] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
            let fields = CSVLine.fields(line)
            guard let row = UInt64(fields[0]), row >= 1, row <= UInt64(plan.rowCount) else {
                ledger.violate("no report line: \(line)")
                continue
            }
            if found[row] != nil { ledger.violate("row \(row) has two lines") }
            found[row] = (fields[4], Int(fields[8]) ?? 0)
        }
        return found
    }

    func kill() {
        kills += 1
        leave()
    }

    /// Everything of the process goes; the system still sends what it has taken.
    private func leave() {
        if process.isRunning { place.deinitialize(count: 1) }
        for link in current.values { link.isOpen = false }
        current = [:]
        process = Process(number: process.number + 1)
        disk.revive()
        plan(.restarted, in: plan.downTime)
    }

    /// Carries the job on.
    func resume() {
        guard let record = disk.record else {
            // Killed before its first record: nothing was sent, and it begins.
            if ledger.requests == 0, disk.hasCheckpoint { return begin() }
            ledger.violate("the checkpoint is gone")
            isOver = true
            return
        }
        planKill()
        let findings = Recovery.Findings(
            record: record, boot: disk.boot, mayRepeat: false,
            damagedRows: disk.damagedRows(in: record), isRecordLost: disk.isRecordLost)
        do throws(FoundJournal.Obstacle) {
            carryOn(try FoundJournal(outputs, on: disk, format: format, findings))
        } catch {
            ledger.violate("the job cannot be carried on: \(error), \(record)")
            isOver = true
        }
    }

    private func carryOn(_ found: FoundJournal) {
        do throws(FanfareError) {
            let files = try RecordFiles<SimulatedDisk>(
                outputs, continuingAt: found.recovery.lengths, open: open)
            try start(
                ReportJournal(files, checkpoint: checkpoint(found.record)), behind: found)
        } catch {
            if !disk.isKilled { ledger.violate("the job cannot go on: \(error)") }
        }
    }
}
