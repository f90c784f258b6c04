import FanfareCore
import FanfareLoop
import Synchronization

/// A job without its network: reads, renders and validates all rows, and reports them.
///
/// A row that could be sent is reported as `skipped` with the reason `valid`, every other one exactly
/// as the job would.
public final class Rehearsal: Sendable {
    /// The report path that stands for none.
    public static let noReport = ""

    private let plan: JobPlan
    private let control = JobControl()
    private let progressBoard: JobProgress
    let report: ReportSink?
    private let strict: Bool
    private let workers: Int
    private let tallies = Mutex<[Tally]>([])

    /// Checks a configuration and opens what it names.
    /// - Parameters:
    ///   - configuration: What to rehearse. Credentials are not needed.
    ///   - strict: Whether a row that could not be sent makes the exit code 1.
    /// - Throws: `FanfareError` with code `configuration`, `input` or `output`.
    public init(_ configuration: Configuration, strict: Bool = false) throws(FanfareError) {
        self.strict = strict
        plan = try JobPlan(configuration, identity: JobIdentity(bits: 0))
        workers = configuration.engine.lanes ?? ProcessorCount.available
        progressBoard = JobProgress(lanes: workers)
        report =
            configuration.report.path == Self.noReport
            ? nil
            : ReportSink(
                try OutputFiles(
                    // Nothing is sent, so nothing is found dead and nothing is given up.
                    plan.outputs.filter { $0.kind == .report },
                    overwrites: configuration.report.overwrites),
                lanes: workers, waits: true, control: control)
    }

    /// Runs the rehearsal; returns when every row was looked at.
    /// - Throws: `FanfareError.Code.bug` when the system has no room for threads.
    public func run() throws(FanfareError) -> JobResult {
        ProcessSignal.ignoreBrokenPipe()
        let started = WallClock.milliseconds
        let rows = RowFlow(
            batches: Limits.batchCount(lanes: workers),
            slotCount: plan.preparation.schema.slotCount, control: control)
        do throws(LoopError) {
            try runThreads(rows)
        } catch {
            throw FanfareError(.bug, error.description)
        }
        return result(started: started)
    }

    /// Has it end early.
    ///
    /// Safe from any thread.
    public func interrupt() {
        stop(JobStop(.interrupted, "interrupted"))
    }

    /// The same for SIGTERM, which only the exit code tells apart.
    public func terminate() {
        stop(JobStop(.terminated, "terminated"))
    }

    private func stop(_ reason: JobStop) {
        control.interrupt(reason)
        // The workers wait for the reader, and the reader for an input that may never come.
        plan.source.cancellation.set()
    }

    /// How far it is.
    ///
    /// Safe from any thread.
    public var progress: ProgressSnapshot { progressBoard.snapshot }

    private func runThreads(_ rows: RowFlow) throws(LoopError) {
        let writer = try report.map { report throws(LoopError) in
            try WorkerThread(name: "report") { report.run() }
        }
        let reader = try WorkerThread(name: "rows") { [self] in rows.read(from: plan.source) }
        var threads: [WorkerThread] = []
        for number in 0..<workers {
            threads.append(
                try WorkerThread(name: "check \(number)") { [self] in check(rows, number) })
        }
        for thread in threads { thread.join() }
        rows.close()
        plan.source.cancellation.set()
        reader.join()
        report?.close()
        writer?.join()
    }

    /// One worker: batch after batch until there are none.
    private func check(_ rows: RowFlow, _ number: Int) {
        var inspector = RowInspector(plan.preparation, report: report)
        while let batch = rows.waitForBatch(), control.stop == nil {
            inspector.inspect(batch)
            rows.recycle(batch)
            var snapshot = ProgressSnapshot()
            snapshot.finished = inspector.tally.finished
            progressBoard.update(lane: number, snapshot)
        }
        inspector.finish()
        tallies.withLock { $0.append(inspector.tally) }
    }

    private func result(started: Int64) -> JobResult {
        var tally = Tally()
        for part in tallies.withLock({ $0 }) { tally.merge(part) }
        if control.stop == nil { tally.rowsRead = plan.source.rowCount }
        var stop = control.finalStop
        if let violation = tally.identityViolation() {
            stop = JobStop(.bug, "BUG: \(violation)")
        }
        var status = ExitStatus.of(
            tally: tally, strict: false, thresholdCrossed: false, stop: stop?.kind)
        // Nothing is accepted in a rehearsal: strict asks whether everything could be sent.
        if strict && status == .success && tally.count(.invalid) > 0 { status = .incomplete }
        let summary = Summary(
            jobID: plan.identity.text, startMilliseconds: started,
            endMilliseconds: WallClock.milliseconds, tally: tally, latency: LatencyHistogram(),
            exitStatus: status, stop: stop,
            reportPath: report == nil ? nil : plan.configuration.report.path)
        return JobResult(summary: summary, unreportedRows: report?.unreported.description ?? "")
    }
}

/// Looks at rows one by one, as a lane would before it sends them.
private struct RowInspector: ~Copyable {
    private(set) var tally = Tally()
    private var preparer: RowPreparer
    private var row = PreparedRow()
    private var format: ReportFormat
    private let report: ReportSink?
    private var block: ReportBlock?

    init(_ settings: PreparationSettings, report: ReportSink?) {
        preparer = RowPreparer(settings)
        format = settings.report
        self.report = report
    }

    mutating func inspect(_ batch: RowBatch) {
        var readyCount: UInt64 = 0
        for index in 0..<batch.rowCount {
            let isReady = preparer.prepare(batch, index, into: &row)
            if isReady {
                readyCount += 1
            } else {
                unsafe record(.invalid, preparer.problemKind.bytes, count: 1)
            }
            if report != nil { appendLine(isReady: isReady) }
        }
        tally.rowsRead += UInt64(batch.rowCount)
        if readyCount > 0 { unsafe record(.skipped, Self.valid.bytes, count: readyCount) }
    }

    private static let valid: StaticString = "valid"

    private mutating func record(
        _ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        unsafe tally.record(unsent: outcome, reason: reason, count: count)
    }

    private mutating func appendLine(isReady: Bool) {
        var result = unsafe RowResult(isReady ? .skipped : .invalid)
        if isReady {
            unsafe result.reason = Self.valid.bytes
        } else {
            unsafe result.reason = preparer.problem.bytes
        }
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
