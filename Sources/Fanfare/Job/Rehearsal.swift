package import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// A job without its network: reads, renders and validates all rows, and reports them.
///
/// A row that could be sent is reported as `skipped` with the reason `valid`, every other one exactly
/// as the job would.
package final class Rehearsal: Sendable {
    /// The report path that stands for none.
    package static let noReport = ReportOptions.noFile

    private let plan: JobPlan
    private let control = JobControl()
    private let progressBoard: JobProgress
    let report: ReportSink?
    private let strict: Bool
    private let workers: Int
    private let results = Mutex<[(tally: Tally, figures: RehearsalFigures)]>([])
    private let zones = Mutex<[String: UInt64]>([:])
    private let pace: PaceSettings?
    private let samplesMax: Int
    private let census: TokenCensus?
    /// What the report becomes at the end, if it is to be a database.
    private let database: ReportDatabase?

    /// Checks a configuration and opens what it names.
    /// - Parameters:
    ///   - configuration: What to rehearse. Credentials are not needed.
    ///   - strict: Whether a row that could not be sent makes the exit code 1.
    ///   - samples: How many payloads to show, of the first rows that could be sent.
    /// - Throws: `FanfareError` with code `configuration`, `input` or `output`.
    package init(
        _ configuration: Configuration, strict: Bool = false, samples: Int = 0
    ) throws(FanfareError) {
        self.strict = strict
        var configuration = configuration
        database = try ReportDatabase(&configuration)
        samplesMax = min(max(samples, 0), Limits.samplesMax)
        pace = try JobPlan.pace(configuration.engine)
        census =
            configuration.rows.deduplication == nil
            ? TokenCensus(RowTokens(validates: configuration.rows.validates)) : nil
        plan = try JobPlan(configuration, identity: JobIdentity(bits: 0))
        workers = configuration.engine.lanes ?? ProcessorCount.available
        progressBoard = JobProgress(lanes: workers)
        report =
            configuration.report.path == Self.noReport
            ? nil
            : ReportSink(
                ReportJournal(try Self.files(plan)), lanes: workers,
                ordering: plan.ordering(control), waits: true, control: control)
    }

    private static func files(_ plan: JobPlan) throws(FanfareError) -> OutputFiles {
        let report = plan.configuration.report
        let isFile = JobOpening.canBeResumed(report.path)
        if isFile { try ReportOrdering.prove(report) }
        return try OutputFiles(
            // Nothing is sent, so nothing is found dead and nothing is given up.
            plan.outputs.filter { $0.kind == .report }, overwrites: report.overwrites,
            collectingIn: report.isOrdered && !isFile ? OutputFiles.collectingFolder : nil)
    }

    /// Runs the rehearsal; returns when every row was looked at.
    ///
    /// If the system has no room for its threads, that stops it.
    /// - Throws: Never.
    package func run() throws(FanfareError) -> JobResult {
        ProcessSignal.blockBrokenPipe()
        let started = WallClock.milliseconds
        let rows = RowFlow(
            batches: Limits.batchCount(lanes: workers),
            slotCount: plan.preparation.schema.slotCount, control: control)
        runThreads(rows)
        return result(started: started)
    }

    /// Has it end early.
    ///
    /// Safe from any thread.
    package func interrupt() {
        stop(JobStop(.interrupted, "interrupted"))
    }

    /// The same for SIGTERM, which only the exit code tells apart.
    package func terminate() {
        stop(JobStop(.terminated, "terminated"))
    }

    /// The same for SIGHUP: the terminal has gone.
    package func hangUp() {
        stop(JobStop(.hungUp, "the terminal was closed (SIGHUP)"))
    }

    private func stop(_ reason: JobStop) {
        control.interrupt(reason)
        // The workers wait for the reader, and the reader for an input that may never come.
        plan.source.cancellation.set()
    }

    /// What people should know of how the rows are read: columns under other names.
    package var notices: [Statement] { plan.notices }

    /// What is probably a mistake in the payloads, in sentences.
    package var warnings: [String] { plan.payloadWarnings() }

    /// How far it is.
    ///
    /// Safe from any thread.
    package var progress: ProgressSnapshot {
        var snapshot = progressBoard.snapshot
        snapshot.isOrdering = control.isOrdering
        snapshot.inputShare = plan.source.meter.share(finished: snapshot.finished)
        return snapshot
    }

    private func runThreads(_ rows: RowFlow) {
        var writer: WorkerThread?
        var reader: WorkerThread?
        var threads: [WorkerThread] = []
        do throws(SystemError) {
            writer = try report.map { report throws(SystemError) in
                try WorkerThread(name: "report") { report.run() }
            }
            reader = try WorkerThread(name: "rows") { [self] in
                let past = RowHistory<MappedFile>(tokens: plan.tokenFilter, census: census)
                rows.read(from: plan.source, past: past)
            }
            for number in 0..<workers {
                threads.append(
                    try WorkerThread(name: "check \(number)") { [self] in check(rows, number) })
            }
        } catch {
            stop(error.jobStop)
        }
        for thread in threads { thread.join() }
        rows.close()
        plan.source.cancellation.set()
        reader?.join()
        report?.close()
        writer?.join()
    }

    /// One worker: batch after batch until there are none.
    private func check(_ rows: RowFlow, _ number: Int) {
        let expiration = plan.configuration.provider.expiration.flatMap { Int64($0) } ?? 0
        var inspector = RowInspector(
            plan.preparation, values: plan.templateSlots,
            figures: RehearsalFigures(
                valueCount: plan.templateSlots.count, samplesMax: samplesMax),
            expiration: expiration, windows: plan.windows, report: report)
        while let batch = rows.waitForBatch(), control.stop == nil {
            inspector.inspect(batch)
            rows.recycle(batch)
            var snapshot = ProgressSnapshot()
            snapshot.finished = inspector.tally.finished
            snapshot.counts = inspector.tally.outcomes
            progressBoard.update(lane: number, snapshot)
        }
        inspector.finish()
        let result = (inspector.tally, inspector.figures)
        results.withLock { $0.append(result) }
        if let counts = inspector.census?.counts {
            zones.withLock { $0.merge(counts, uniquingKeysWith: +) }
        }
    }

    private func make(_ database: ReportDatabase) -> JobStop? {
        do throws(FanfareError) {
            _ = try database.load { [control] in control.stop != nil }
            database.removeLog()
            return nil
        } catch {
            return control.stop
                ?? JobStop(.inputOutput, error.statement + "; the lines are in \(database.logPath)")
        }
    }

    private func reportPath(_ stop: JobStop?) -> String {
        let log = plan.configuration.report.path
        return stop == nil ? database?.path ?? log : log
    }

    private func result(started: Int64) -> JobResult {
        var tally = Tally()
        var figures = RehearsalFigures(
            valueCount: plan.templateSlots.count, samplesMax: samplesMax)
        for part in results.withLock({ $0 }) {
            tally.merge(part.tally)
            figures.merge(part.figures)
        }
        var stop = control.finalStop
        if stop == nil { tally.rowsRead = plan.source.rowCount }
        if let violation = tally.identityViolation() {
            stop = JobStop(.bug, "BUG: \(violation)")
        }
        let ended = WallClock.milliseconds
        let failure =
            stop == nil ? report?.finish(lineCount: tally.finished) : report?.rest()
        stop = stop ?? failure
        if stop == nil, let database { stop = make(database) }
        report?.letGo()
        var status = ExitStatus.of(
            tally: tally, accepted: figures.readyCount, strict: false, thresholdCrossed: false,
            stop: stop?.kind)
        // Nothing is accepted in a rehearsal: strict asks whether everything could be sent.
        let expired = RowProblem.expirationPassed.text.description
        let isAllGood =
            tally.count(.invalid) == 0 && !tally.reasons.contains { $0.reason == expired }
        if strict && status == .success && !isAllGood { status = .incomplete }
        var summary = Summary(
            jobID: plan.identity.text, startMilliseconds: started,
            endMilliseconds: ended, tally: tally, latency: LatencyHistogram(),
            exitStatus: status, stop: stop,
            reportPath: report == nil ? nil : reportPath(stop))
        if plan.configuration.report.splitBytes != nil { summary.reportParts = report?.reportParts }
        summary.rehearsal = RehearsalResult(
            figures: figures, values: plan.templateSlots.map { plan.preparation.schema.names[$0] },
            inputs: plan.configuration.inputs.map(\.name),
            rate: pace.map { ($0.count, $0.period) }, ramp: pace?.ramp ?? 0,
            connections: plan.configuration.engine.connections,
            census: census.map { ($0.rowCount, $0.duplicateCount) })
        var result = JobResult(
            summary: summary, unreportedRows: report?.unreported.description ?? "",
            naming: plan.configuration.naming)
        if let windows = plan.windows {
            let now = WallClock.milliseconds / 1000
            let rate = pace.map { Double($0.count) * 1e9 / Double($0.period) }
            let windowPlan = WindowPlan(zones.withLock { $0 }, windows, rate: rate, now: now)
            result.windows = windowPlan.lines
            result.windowsEnd = windowPlan.end
        }
        return result
    }
}

/// Looks at rows one by one, as a lane would before it sends them.
private struct RowInspector: ~Copyable {
    private(set) var tally = Tally()
    private(set) var figures: RehearsalFigures
    /// The slots of the template's values.
    private let values: [Int]
    private let pushTypeRules: PushType.Rules
    private var preparer: RowPreparer
    private var row = PreparedRow()
    private var format: ReportFormat
    /// The job's own expiration, in UNIX seconds; 0 for none.
    private let expiration: Int64
    /// The rows of each zone, where they have windows.
    private(set) var census: ZoneCensus?
    private let report: ReportSink?
    private var block: ReportBlock?

    init(
        _ settings: PreparationSettings, values: [Int], figures: RehearsalFigures,
        expiration: Int64, windows: WindowSettings?, report: ReportSink?
    ) {
        self.expiration = expiration
        census = windows.map(ZoneCensus.init)
        self.values = values
        self.figures = figures
        pushTypeRules = settings.pushTypeRules
        preparer = RowPreparer(settings)
        format = settings.report
        self.report = report
    }

    mutating func inspect(_ batch: RowBatch) {
        var readyCount: UInt64 = 0
        let now = WallClock.milliseconds / 1000
        for index in 0..<batch.rowCount {
            let isValid = preparer.prepare(batch, index, into: &row) && hasZone(batch, index)
            let obstacle = isValid ? obstacle(batch, index, now: now) : nil
            countLacking(batch, index)
            if !isValid {
                figures.note(preparer.problemKind, at: place(batch, index))
                unsafe record(.invalid, preparer.problemKind.bytes, count: 1)
            } else if let obstacle {
                unsafe record(.skipped, obstacle.text.bytes, count: 1)
            } else {
                readyCount += 1
                countReady(batch, index)
            }
            guard report != nil else { continue }
            if isValid {
                appendSkipped(obstacle?.text ?? Self.valid)
            } else {
                unsafe appendLine(.invalid, preparer.problem.bytes)
            }
        }
        tally.rowsRead += UInt64(batch.rowCount)
        figures.countRows(batch.rowCount)
        if readyCount > 0 { unsafe record(.skipped, Self.valid.bytes, count: readyCount) }
    }

    private static let valid: StaticString = "valid"

    private mutating func record(
        _ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        unsafe tally.record(unsent: outcome, reason: reason, count: count)
    }

    /// Whether it is known when the row may be sent.
    private mutating func hasZone(_ batch: RowBatch, _ index: Int) -> Bool {
        guard census?.count(batch, index) == false else { return true }
        preparer.failZone(batch, index)
        return false
    }

    // MARK: Figures

    private func place(_ batch: RowBatch, _ index: Int) -> RehearsalFigures.Place {
        RehearsalFigures.Place(
            row: batch.firstRow + UInt64(index), input: batch.inputIndex,
            line: unsafe batch.rows[index].line)
    }

    /// Counts the values that a row has not, or only as an empty text.
    private mutating func countLacking(_ batch: RowBatch, _ index: Int) {
        guard !values.isEmpty, unsafe batch.rows[index].fault == .none else { return }
        for value in values.indices {
            let field = batch.field(row: index, slot: values[value])
            if field.isMissing || field.length == 0 { figures.countLacking(value: value) }
        }
    }

    private mutating func countReady(_ batch: RowBatch, _ index: Int) {
        var bytesMax = pushTypeRules.payloadBytesMax
        if !row.overrides.pushType.isEmpty {
            unsafe bytesMax =
                PushType.rules(named: row.bytes.bytes(row.overrides.pushType)).payloadBytesMax
        }
        let bytes = Int(row.payload.count)
        let isLarge = figures.countReady(
            tokenBytes: Int(row.token.count), payloadBytes: bytes, bytesMax: bytesMax)
        if isLarge { figures.add(large: place(batch, index), bytes: bytes, bytesMax: bytesMax) }
        guard figures.wantsSample else { return }
        let payload = unsafe String(decoding: row.bytes.bytes(row.payload), as: UTF8.self)
        figures.add(sample: place(batch, index), payload: payload)
    }

    // MARK: Outcomes

    /// What keeps a row from being sent though nothing is wrong with it.
    private func obstacle(_ batch: RowBatch, _ index: Int, now: Int64) -> RowProblem? {
        let verdict = batch.verdicts.isEmpty ? .none : batch.verdicts[index]
        return verdict.problem ?? (hasExpired(now: now) ? .expirationPassed : nil)
    }

    /// Whether the row would come too late if it were sent now.
    private func hasExpired(now: Int64) -> Bool {
        let seconds = row.overrides.expiration.isEmpty ? expiration : row.expirationSeconds
        return seconds > 0 && seconds <= now
    }

    private mutating func appendSkipped(_ reason: StaticString) {
        unsafe appendLine(.skipped, reason.bytes)
    }

    private mutating func appendLine(_ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>) {
        var result = unsafe RowResult(outcome)
        unsafe result.reason = reason
        let block = self.block ?? report?.emptyBlock() ?? ReportBlock()
        self.block = block
        let isFull = block.append(row: row.number) { lines in
            unsafe format.appendLine(
                prefix: row.bytes.bytes(row.reportPrefix), result: result,
                suffix: row.bytes.bytes(row.reportSuffix), into: &lines)
        }
        if isFull { finish() }
    }

    /// Hands over the last lines.
    ///
    /// A rehearsal has no connections to look after, so it may wait: a reader of its report that is
    /// slow makes it slow, and not large.
    mutating func finish() {
        guard let block, !block.rows.isEmpty else { return }
        report?.submit(block)
        self.block = nil
    }
}
