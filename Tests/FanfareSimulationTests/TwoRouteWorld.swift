import FanfareBase
import FanfareSimulator
import FanfareSystem
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

/// A job with two routes on a virtual clock: one reader, one writer, and for each route a lane with a network
/// and a provider of its own.
///
/// The reader is the real one (`RouteReading`), with its queues and its files of rows that wait. It looks
/// around when a batch has changed hands, and the lanes do when it has.
final class TwoRouteWorld {
    private enum Event {
        /// Of the process with this number, like the next two.
        case looked(Int)
        case written(Int)
        case killed(Int)
        case restarted
    }

    /// The possessions of one process; all of it is gone when it is killed.
    struct Process {
        var number = 0
        var isRunning = false
        var journal: ReportJournal<SimulatedDisk>?
        var resumption: Resumption?
        var reading: RouteReading?
        /// True if each row is with its lane.
        var hasReadAll = false
        var isLookDue = false
        /// The number of moves when the reader looked last.
        var movesSeen = 0
        var blocks: [ReportBlock] = []
        var isWriting = false
        var stop: JobStop?
        /// By lane: how many answers there were, and when the last one came.
        var answers: [UInt64] = [0, 0]
        var lastAnswers: [Instant?] = [nil, nil]
    }

    /// In which the calm route is done, if nothing ends the process before: some hundred milliseconds.
    private static let calmTimeMax = 3 * SimulationPlan.second
    private static let stepsMax = 5_000_000

    let plan: TwoRoutePlan
    let lanes: [SimulatedWorld]
    let disk: SimulatedDisk
    var process = Process()
    private(set) var isOver = false
    private(set) var kills = 0
    /// True if rows had to wait in a file.
    private(set) var hadWaiting = false
    /// True if all rows of the calm route have had their lines in the first process.
    private(set) var isCalmDone = false

    private let schema = RowSchema(extra: [RowSchema.provider])
    private let folder: TemporaryFolder
    private var dice: Dice
    private var queue = EventQueue<Event>()
    private let start: Instant
    private var now: Instant
    private var steps = 0
    private var ownViolations: [String] = []

    init(plan: TwoRoutePlan) throws {
        self.plan = plan
        folder = try TemporaryFolder()
        dice = Dice(seed: plan.seed &+ 2)
        let disk = SimulatedDisk(rows: plan.rows.count)
        self.disk = disk
        let schema = schema
        lanes = plan.lanes.enumerated().map { index, lane in
            SimulatedWorld(
                plan: lane,
                route: SimulatedRoute(
                    ownRows: plan.rows.filter { $0.lane == index }.map(\.row),
                    of: plan.rows.count, disk: disk,
                    preparation: PreparationSettings(
                        schema: schema, template: nil,
                        report: ReportFormat(.csv, provider: lane.kind), hasReport: true,
                        carriedSlots: [], validates: true,
                        providerSlot: schema.slot(named: RowSchema.provider))))
        }
        start = lanes[0].now
        now = start
        for (index, lane) in lanes.enumerated() {
            lane.route?.submit = { [unowned self] in submit($0) }
            lane.route?.isReportBehind = { [unowned self] in
                process.blocks.count >= self.plan.reportBlocksMax
            }
            lane.route?.lastAnswerOfOthers = { [unowned self] in process.lastAnswers[1 - index] }
        }
    }

    /// Virtual time since the start, in nanoseconds.
    var elapsed: Int { Int(now.nanoseconds(since: start)) }

    /// The outcomes of a lane's rows, by name.
    func outcomes(of lane: Int) -> [String: Int] {
        let numbers = lanes[lane].ledger.rows.map(\.number)
        return Dictionary(
            numbers.compactMap { lanes[lane].ledger.lines[$0].map { ($0.outcome, 1) } },
            uniquingKeysWith: +)
    }

    // MARK: What is wrong

    /// The violations that any ledger has found in the run.
    var violations: [String] {
        ownViolations
            + lanes.flatMap { lane in
                lane.ledger.violations.map { "\(lane.plan.kind.rawValue): \($0)" }
            }
    }

    func violate(_ text: String) {
        if ownViolations.count < 8 { ownViolations.append("\(text); \(state)") }
    }

    var state: String {
        "after \(Double(elapsed) / 1e9) s, process \(process.number): "
            + lanes.map(\.state).joined(separator: " | ")
    }

    // MARK: The run

    /// Runs the job to its end.
    func run() {
        begin()
        settle()
        while !isOver, step() { settle() }
    }

    /// Lets the next thing happen.
    /// - Returns: False when nothing can, or too much has.
    private func step() -> Bool {
        var (due, first) = (queue.nextDue, Int?.none)
        for (index, lane) in lanes.enumerated() {
            guard let next = lane.queue.nextDue, due.map({ next < $0 }) ?? true else { continue }
            (due, first) = (next, index)
        }
        guard let due else {
            violate("nothing is left to happen, and the job has not ended")
            return false
        }
        now = max(now, due)
        for lane in lanes { lane.move(to: now) }
        if let first {
            if let (_, event) = lanes[first].queue.popFirst() { lanes[first].step(event) }
            lanesTurned()
        } else if let (_, event) = queue.popFirst() {
            handle(event)
        }
        steps += 1
        if steps > Self.stepsMax { violate("the job does not end") }
        return steps <= Self.stepsMax && lanes.allSatisfy(\.hasTime)
    }

    private func handle(_ event: Event) {
        switch event {
        case .looked(let number): if number == process.number { look() }
        case .written(let number): if number == process.number { write() }
        case .killed(let number):
            if number == process.number, process.isRunning { kill() }
        case .restarted: resume()
        }
    }

    /// All lanes look around: something has changed that they share.
    private func wakeLanes() {
        for lane in lanes { lane.turn() }
        lanesTurned()
    }

    /// Looks at what lanes have done: their answers, a stop, and batches for the reader.
    private func lanesTurned() {
        guard process.isRunning, !disk.isKilled else { return }
        for (index, lane) in lanes.enumerated() {
            let answers = lane.engine.connections.answerCount
            guard answers != process.answers[index] else { continue }
            process.answers[index] = answers
            process.lastAnswers[index] = now
        }
        if process.stop == nil, let stop = lanes.compactMap({ $0.place.pointee.stop }).first {
            // An end of one lane stops the job.
            process.stop = stop
            for lane in lanes {
                lane.engine.drain(stop)
                lane.turn()
            }
        }
        checkCalm()
        if moves != process.movesSeen { planLook() }
    }

    private func checkCalm() {
        guard process.number == 0, process.stop == nil, !isCalmDone else { return }
        isCalmDone = lanes[1].ledger.areAllReported
        if !isCalmDone, elapsed > Self.calmTimeMax {
            isCalmDone = true
            violate("the calm route is held up")
        }
    }

    private func plan(_ event: Event, in time: ClosedRange<Int>) {
        queue.insert(event, at: now.advanced(byNanoseconds: Int64(dice.number(time))))
    }

    // MARK: Reader

    private var moves: Int { lanes.reduce(0) { $0 + ($1.route?.moves ?? 0) } }

    private func planLook() {
        guard !process.isLookDue, !process.hasReadAll else { return }
        process.isLookDue = true
        plan(.looked(process.number), in: plan.readTime)
    }

    /// The reader does what there is to be done, or a part of it.
    private func look() {
        process.isLookDue = false
        guard let reading = process.reading, process.stop == nil else { return }
        process.movesSeen = moves
        var stepsLeft = dice.number(1...4)
        do throws(FanfareError) {
            while stepsLeft > 0 {
                for outbox in reading.outboxes { try outbox.moveOn(nil) }
                guard case .rows = try reading.next() else { break }
                stepsLeft -= 1
            }
        } catch {
            if !disk.isKilled { violate("the reader fails: \(error)") }
            return
        }
        hadWaiting = hadWaiting || reading.outboxes.contains(where: \.hasWaiting)
        if stepsLeft == 0 {
            planLook()
        } else {
            for outbox in reading.outboxes { outbox.handOut() }
            process.hasReadAll = reading.endDone()
            if case .failed(let error) = reading.end { violate("the input fails: \(error)") }
        }
        wakeLanes()
    }

    private func beginReading() {
        let settings = RouteSettings(
            finder: RouteFinder(
                plan.lanes.map(\.kind), slot: schema.slot(named: RowSchema.provider)),
            folder: folder.path)
        let flow = RowFlow(
            batches: plan.batches, slotCount: schema.slotCount, control: JobControl(),
            routes: settings)
        let source = RowSource(
            [.memory(plan.input, name: "rows")],
            InputSpec(schema: schema, required: [("token", "every row needs")]))
        for (lane, rows) in zip(lanes, flow.queues) { lane.route?.rows = rows }
        process.movesSeen = moves
        process.reading = RouteReading(
            source: source, past: RowHistory<MappedFile>(resumption: process.resumption),
            gate: nil, seeds: nil, finder: settings.finder,
            outboxes: flow.queues.map { RouteOutbox($0, folder: folder.path) },
            isOver: { [unowned self] in process.stop != nil },
            awake: { [unowned self, unowned source] in reserve(through: source.rowCount) })
        planLook()
    }

    /// Has the checkpoint make room for the marks of rows that are about to be handed out.
    private func reserve(through row: UInt64) {
        do throws(FileError) {
            try process.journal?.checkpoint?.prepare(through: row)
        } catch {
            if !disk.isKilled { violate("no room for marks: \(error)") }
        }
    }

    // MARK: Writer

    private func submit(_ block: ReportBlock) {
        process.blocks.append(block)
        if !process.isWriting { planWriting() }
    }

    private func planWriting() {
        process.isWriting = true
        plan(.written(process.number), in: plan.writeTime)
    }

    private func write() {
        guard !process.blocks.isEmpty else { return }
        let block = process.blocks.removeFirst()
        process.isWriting = false
        if !process.blocks.isEmpty { planWriting() }
        if let failure = process.journal?.write(block).failure, !disk.isKilled {
            violate("a block is not written: \(failure)")
        }
        wakeLanes()
    }
}

// MARK: - Processes

extension TwoRouteWorld {
    private var outputs: [OutputSpec] { plan.lanes[1].outputs }

    private func begin() {
        planKill()
        do throws(FanfareError) {
            var files: [RecordFiles<SimulatedDisk>.Open] = []
            for spec in outputs { files.append((spec.kind, try open(spec))) }
            let journal = ReportJournal(
                RecordFiles<SimulatedDisk>(files), checkpoint: checkpoint(CheckpointRecord()))
            try journal.files.begin(outputs)
            try start(journal, behind: nil)
        } catch {
            if !disk.isKilled { violate("the job cannot begin: \(error)") }
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

    /// Writes what comes before the first row, and lets reader and lanes begin.
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
        for lane in lanes where process.resumption != nil {
            lane.ledger.read(disk)
            lane.ledger.resumed(marks: disk.marks)
        }
        process.isRunning = true
        beginReading()
        for lane in lanes { lane.startLane() }
        wakeLanes()
    }

    private func planKill() {
        guard process.number < plan.kills.count else { return }
        switch plan.kills[process.number].moment {
        case .time(let nanoseconds): plan(.killed(process.number), in: nanoseconds...nanoseconds)
        case .writes(let units): disk.kill(after: units)
        }
    }

    /// Ends a process that has nothing left to do, or was killed while it wrote.
    private func settle() {
        if process.isRunning, !disk.isKilled, process.blocks.isEmpty,
            lanes.allSatisfy({ $0.engine.isFinished })
        {
            endProcess()
        }
        if disk.isKilled { kill() }
    }

    private func endProcess() {
        let stop = process.stop
        do throws(FileError) {
            if stop == nil {
                try process.journal?.end()
            } else if let change = try process.journal?.rest(change: { process.journal?.change() })
            {
                violate("a file has changed: \(change)")
            }
        } catch {
            return
        }
        for lane in lanes {
            lane.ledger.read(disk)
            lane.checkLane()
            lane.ledger.balanceRoute(wasStopped: stop != nil)
        }
        checkSums(stop)
        guard stop != nil, process.number < plan.resumptionsMax else {
            isOver = true
            return
        }
        leave()
    }

    private func checkSums(_ stop: JobStop?) {
        var tally = process.resumption?.tally ?? Tally()
        var left: UInt64 = 0
        for lane in lanes {
            tally.merge(lane.place.pointee.books.report.tally)
            left += lane.engine.books.rowsLeft
        }
        let lines = lanes[0].ledger.lines
        if UInt64(lines.count) + left != tally.rowsRead {
            violate("\(tally.rowsRead) rows read, \(lines.count) lines, \(left) left")
        }
        for outcome in Outcome.allCases {
            let count = lines.values.count { $0.outcome == outcome.name.description }
            if tally.count(outcome) != UInt64(count) {
                violate("\(count) lines say \(outcome.name), the tally \(tally.count(outcome))")
            }
        }
        guard stop == nil else { return }
        if lines.count != plan.rows.count {
            violate("\(plan.rows.count) rows, but \(lines.count) lines")
        }
        // Nothing goes wrong there but what ends the process.
        for row in lanes[1].ledger.rows where process.number == 0 && row.kind == .good {
            if lines[row.number]?.outcome != "accepted" {
                violate("row \(row.number) of the calm route is not accepted")
            }
        }
    }

    private func kill() {
        kills += 1
        leave()
    }

    /// Everything of the process goes, and the operator starts another one.
    private func leave() {
        for lane in lanes {
            lane.leaveLane(sends: true)
            lane.route?.rows = nil
        }
        process = Process(number: process.number + 1)
        disk.revive()
        plan(.restarted, in: plan.downTime)
    }

    /// Carries the job on.
    private func resume() {
        guard let record = disk.record else {
            // Killed before its first record: nothing was sent, and it begins.
            let sent = lanes.reduce(0) { $0 + $1.ledger.requestsSent }
            if sent == 0, disk.hasCheckpoint { return begin() }
            violate("the checkpoint is gone")
            isOver = true
            return
        }
        planKill()
        let findings = Recovery.Findings(
            record: record, boot: disk.boot, mayRepeat: plan.lanes[0].resendsInDoubt,
            damagedRows: disk.damagedRows(in: record), isRecordLost: disk.isRecordLost)
        do throws(FoundJournal.Obstacle) {
            carryOn(try FoundJournal(outputs, on: disk, format: ReportFormat(.csv), findings))
        } catch {
            violate("the job cannot be carried on: \(error), \(record)")
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
            if !disk.isKilled { violate("the job cannot go on: \(error)") }
        }
    }
}
