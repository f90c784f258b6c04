package import FanfareBase
package import FanfareCore
import FanfareSystem

/// A job without its network: reads, renders and validates all rows, and reports them.
///
/// A row that could be sent is reported as `skipped` with the reason `valid`, every other one exactly
/// as the job would.
package final class Rehearsal: Interruptible {
    /// The report path that stands for none.
    package static let noReport = ReportOptions.noFile

    let plan: PreparedJob
    private let control = JobControl()
    private let progressBoard: JobProgress
    let report: ReportSink?
    private let strict: Bool
    private let workers: Int
    private let pace: PaceSettings?
    private let rates: RouteRates
    private let samplesMax: Int
    /// The samples that the text shows.
    private let samplesShown: Int
    private let census: TokenCensus?
    /// The database that the report becomes at the end, if it becomes one.
    private let database: ReportDatabase?

    /// Checks a configuration and opens its files.
    /// - Parameters:
    ///   - configuration: The settings of the job to rehearse. Credentials are not needed.
    ///   - strict: True if a row that could not be sent makes the exit code 1.
    ///   - samples: The number of payloads to show, of the first rows that could be sent.
    ///   - previews: The number of such rows whose notifications the page shows.
    /// - Throws: `FanfareError` with code `configuration`, `input` or `output`.
    package init(
        _ configuration: Configuration, strict: Bool = false, samples: Int = 0, previews: Int = 0
    ) throws(FanfareError) {
        self.strict = strict
        var configuration = configuration.withoutSecrets()
        // Each row is looked at alone; a lane makes no request of those that go on the one of another row.
        for index in configuration.routes.indices where configuration.routes[index].declared != nil
        {
            configuration.routes[index].validatesOnly = true
        }
        database = try ReportDatabase(&configuration)
        samplesShown = min(max(samples, 0), Limits.samplesMax)
        samplesMax = min(max(samplesShown, previews), Limits.samplesMax)
        (rates, pace) = try PreparedJob.rates(configuration)
        plan = try PreparedJob(configuration, identity: JobIdentity(bits: 0))
        try plan.surveyEncodings()
        census =
            configuration.rows.deduplication == nil
            ? TokenCensus(RowTokens(of: plan.configuration, finder: plan.routing?.finder)) : nil
        workers = configuration.engine.lanes ?? ProcessorCount.available
        progressBoard = JobProgress(lanes: workers)
        report =
            configuration.report.path == Self.noReport
            ? nil
            : ReportSink(
                ReportJournal(try Self.files(plan)), lanes: workers,
                ordering: plan.ordering(control), waits: true, control: control)
    }

    private static func files(_ plan: PreparedJob) throws(FanfareError) -> OutputFiles {
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
        let crew = Crew(
            rows: rows, control: control, report: report, cancellation: plan.source.cancellation)
        // The job itself looks at what is there before it begins.
        let refusals = refusals
        let findings = crew.run(workers, "check") { [plan, census] in
            let past = RowHistory<MappedFile>(
                tokens: plan.tokenFilter, census: census, selection: plan.selection)
            rows.read(from: plan.source, past: past)
        } work: { [self] number in
            inspect(rows, number)
        }
        return result(started: started, findings, refusals)
    }

    /// The warning about rows with which a job would not begin.
    private var refusals: [String] {
        guard !plan.configuration.inputs.allSatisfy(\.isSequence),
            let found = plan.invalidRows()
        else { return [] }
        return ["a job with these rows does not begin: " + found.text(plan.configuration.naming)]
    }

    package func interrupt(_ reason: JobStop) {
        control.interrupt(reason)
        // The workers wait for the reader, and the reader for an input that may never come.
        plan.source.cancellation.set()
    }

    /// Notices for people about the reading of rows: columns under other names.
    package var notices: [Statement] { plan.notices }

    /// Warnings about probable mistakes in the payloads, in sentences; those about payloads that rows bring
    /// are in the result.
    package var warnings: [String] { plan.payloadWarnings(looksAtRows: false) }

    /// The progress of the rehearsal.
    ///
    /// Safe from any thread.
    package var progress: ProgressSnapshot {
        var snapshot = progressBoard.snapshot
        snapshot.isOrdering = control.isOrdering
        snapshot.inputShare = plan.inputShare(finished: snapshot.finished)
        return snapshot
    }

    /// One worker: batch after batch until there are none.
    private func inspect(_ rows: RowFlow, _ number: Int) -> RowInspector.Findings {
        var inspector = RowInspector(
            plan,
            figures: RehearsalFigures(
                valueCount: plan.templateSlots.count, routeCount: routeCount,
                samplesMax: samplesMax),
            report: report)
        while let batch = rows.queue.waitForBatch(), control.stop == nil {
            inspector.inspect(batch)
            rows.queue.recycle(batch)
            var snapshot = ProgressSnapshot()
            snapshot.counts.outcomes = inspector.tally.outcomes
            progressBoard.update(lane: number, snapshot)
        }
        return inspector.finish()
    }

    /// The providers, if there are several.
    private var routeCount: Int { plan.routes.count > 1 ? plan.routes.count : 0 }

    private func reportPath(_ stop: JobStop?) -> String {
        let log = plan.configuration.report.path
        return stop == nil ? database?.path ?? log : log
    }

    private func result(
        started: Int64, _ findings: [RowInspector.Findings], _ refusals: [String]
    ) -> JobResult {
        var tally = Tally()
        var figures = RehearsalFigures(
            valueCount: plan.templateSlots.count, routeCount: routeCount, samplesMax: samplesMax)
        var zones: [String: [UInt64]] = [:]
        for part in findings {
            tally.merge(part.tally)
            figures.merge(part.figures)
            zones.merge(part.zones) { zip($0, $1).map(+) }
            plan.wordCensus.words.merge(part.words)
        }
        var stop = control.finalStop
        if stop == nil { tally.rowsRead = plan.selection?.takenCount ?? plan.source.rowCount }
        if let violation = tally.identityViolation() {
            stop = JobStop(.bug, "BUG: \(violation)")
        }
        let ended = WallClock.milliseconds
        let failure =
            stop == nil ? report?.finish(lineCount: tally.finished) : report?.rest()
        stop = stop ?? failure
        if stop == nil, let database {
            stop = database.make(
                lines: tally.rowsRead, control: control,
                advice: "the lines are in \(database.logPath)")
            if stop == nil { database.removeLog() }
        }
        report?.letGo()
        let status = ExitStatus.of(
            tally: tally, strict: strict, onlyChecks: true,
            choseNone: plan.choseNone(tally), thresholdCrossed: false, stop: stop?.kind)
        var summary = Summary(
            jobID: plan.identity.text, startMilliseconds: started,
            endMilliseconds: ended, tally: tally, latency: LatencyHistogram(),
            exitStatus: status, stop: stop,
            reportPath: report == nil ? nil : reportPath(stop))
        summary.name = plan.configuration.name
        summary.note = plan.configuration.note
        plan.tellRows(in: &summary)
        summary.variants = plan.variants(tally.variants)
        if plan.configuration.report.splitBytes != nil { summary.reportParts = report?.reportParts }
        var shown = RehearsalFigures(
            valueCount: plan.templateSlots.count, routeCount: routeCount, samplesMax: samplesShown)
        shown.merge(figures)
        summary.rehearsal = RehearsalResult(
            figures: shown, values: plan.templateSlots.map { plan.preparation.schema.names[$0] },
            inputs: plan.configuration.inputs.map(\.name),
            rate: pace.map { ($0.count, $0.period) }, ramp: pace?.ramp ?? 0,
            connections: plan.configuration.engine.connections,
            census: census.map { ($0.rowCount, $0.duplicateCount) })
        summary.rehearsal?.atOnce = rates.atOnce
        summary.rehearsal?.filePaces = plan.configuration.filePaces
        if routeCount > 0 {
            summary.rehearsal?.routes = plan.routes.map(\.options.provider.rawValue)
            summary.rehearsal?.routeRates = rates.routes
        }
        let now = WallClock.milliseconds / 1000
        let hoursPlan = plan.terms.map { HoursPlan(zones, $0, rates: rates, now: now) }
        summary.rehearsal?.forecast = hoursPlan?.forecast(from: now)
        let rowWarnings = plan.warnings(about: figures.remarks) + refusals
        var result = JobResult(
            summary: summary, unreportedRows: report?.unreported.description ?? "",
            page: page(summary, samples: figures.samples, rowWarnings), failure: nil,
            isResumable: false, naming: plan.configuration.naming)
        result.rowWarnings = rowWarnings
        result.tell(plan)
        if let hoursPlan { result.tell(hoursPlan) }
        return result
    }
}

extension HoursPlan {
    /// Returns the time until the end, and the rows that do not fit.
    fileprivate func forecast(from now: Int64) -> RehearsalResult.Forecast {
        RehearsalResult.Forecast(
            milliseconds: end.map { max($0 - now, 0) * 1000 },
            unsent: unsent.reduce(0) { $0 + $1.rows })
    }
}

extension JobResult {
    /// Records when the rows would be sent.
    fileprivate mutating func tell(_ plan: HoursPlan) {
        windows = plan.lines
        plannedEnd = plan.end
        plannedUnsent = plan.unsent
    }
}
