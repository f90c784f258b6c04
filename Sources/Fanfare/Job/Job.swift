package import FanfareBase
package import FanfareCore
import FanfareSystem
import Synchronization

/// One run over all rows: reads them, sends them, reports an outcome for each.
///
/// Opening and running it block the thread; `PushJob` gives it one.
package final class Job: Interruptible {
    let plan: PreparedJob
    /// The settings of all lanes of the first route, then of those of the next.
    let laneSettings: [LaneSettings]
    /// The settings of the routes whose rows name their hosts.
    private let hosts: [ProviderKind: HostRoute]
    private let openingNotices: [Statement]
    /// Warnings about a job of several workers, and about its server.
    private let clusterWarnings: [String]
    /// True if the run carries on with one that ended without a word.
    private let isRecovery: Bool
    private let history: RowHistory<MappedFile>
    /// The gate to the rows of a job of several workers; `nil` for a job of its own.
    private let cluster: ClusterWorkerJob?
    let control: JobControl
    private let progressBoard: JobProgress
    private let report: ReportSink
    private let seeds: SeedGate?
    private let strict: Bool
    private let resumeCommand: String?
    private let restCommand: String?
    private let retryCommand: String?
    private let deadTokensCommand: (@Sendable (_ report: String) -> String)?
    /// The database that the report becomes at the end, if the user wants one.
    let database: ReportDatabase?
    private let results = Mutex<[LaneResult]>([])

    /// Checks a configuration and opens its files, so that a job that cannot work sends nothing.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - strict: True if a row that was not accepted makes the exit code 1.
    ///   - resumeCommand: The command that resumes the job, if it can be resumed.
    ///   - restCommand: The command that sends the rows that `RowChoice.sample` and `RowChoice.limit` leave out.
    ///   - retryCommand: The command that sends `ReportOptions.retryRowsPath` again.
    ///   - deadTokensCommand: Makes the command that lists the dead tokens in a report.
    ///   - outcomes: A further receiver of the rows' outcomes; `nil` for none.
    ///   - onExchange: Called for each exchange, on a lane's thread; for a few rows that are shown.
    ///   - onEvents: Receives the events of the log at `LogLevel.info`, on the log's thread.
    /// - Throws: `FanfareError` with code `configuration`, `input` or `output`.
    package init(
        _ configuration: Configuration, strict: Bool = false, resumeCommand: String? = nil,
        restCommand: String? = nil, retryCommand: String? = nil,
        deadTokensCommand: (@Sendable (_ report: String) -> String)? = nil,
        outcomes: OutcomeFeed? = nil,
        onExchange: (@Sendable (Exchange) -> Void)? = nil,
        onEvents: (@Sendable ([LogEvent]) -> Void)? = nil
    ) throws(FanfareError) {
        var configuration = configuration
        configuration.report.areOutcomesWanted = outcomes != nil
        self.resumeCommand = resumeCommand
        self.restCommand = restCommand
        self.retryCommand = retryCommand
        self.deadTokensCommand = deadTokensCommand
        let log: EventLog? =
            configuration.log == nil && onEvents == nil
            ? nil : try EventLog(configuration.log, of: configuration, listener: onEvents)
        control = JobControl(log: log)
        var entrance = try ClusterEntrance(&configuration)
        database = try ReportDatabase(&configuration)
        let opening = try Self.open(&configuration, by: &entrance)
        if let refusal = entrance?.refusal {
            try DoubtfulLines.write(opening)
            throw refusal
        }
        plan = opening.plan
        openingNotices = opening.notices
        clusterWarnings = entrance?.warnings ?? []
        isRecovery = opening.isRecovery
        laneSettings = opening.laneSettings.enumerated().map { lane, settings in
            var settings = settings
            settings.marks = opening.journal.checkpoint?.marks
            settings.keepsSeries = configuration.report.keepsSeries
            if let log {
                let route = opening.plan.routes[lane / opening.plan.lanes]
                settings.events = log.buffer(lane: lane, of: route.name)
            }
            settings.onExchange = onExchange
            return settings
        }
        hosts = try plan.hostRoutes(laneSettings)
        cluster = try entrance?.join(opening)
        history = RowHistory(
            resumption: opening.resumption, checkpoint: opening.journal.checkpoint,
            tokens: opening.plan.tokenFilter, selection: opening.plan.selection,
            grants: cluster?.desk)
        progressBoard = JobProgress(lanes: laneSettings.count)
        self.strict = strict
        seeds = try SeedGate(opening.plan, opening.resumption, control: control)
        report = ReportSink(
            opening.journal, lanes: laneSettings.count, ordering: plan.ordering(control),
            seeds: seeds,
            outcomes: outcomes, cluster: cluster?.desk, control: control)
        outcomes?.carriedNames = plan.preparation.report.carriedNames
    }

    /// Opens the files of a job; a worker whose job another one makes in the same moment begins again, with that job.
    private static func open(
        _ configuration: inout Configuration, by entrance: inout ClusterEntrance?
    ) throws(FanfareError) -> JobOpening {
        do throws(FanfareError) {
            return try JobOpening.open(configuration)
        } catch {
            guard configuration.cluster?.beginning?.isOvertaken == true else { throw error }
        }
        // There is a job now.
        entrance = try ClusterEntrance(&configuration)
        return try JobOpening.open(configuration)
    }

    /// Runs the job; returns when every row has its outcome, or when it was stopped.
    ///
    /// If the system has no room for its threads and event loops, that stops it as a full disk does.
    /// - Throws: Never.
    package func run() throws(FanfareError) -> JobResult {
        let started = WallClock.milliseconds
        let rows = RowFlow(
            batches: Limits.batchCount(lanes: plan.lanes),
            slotCount: plan.preparation.schema.slotCount,
            control: control, paces: paces, routes: plan.routing)
        var routes = zip(rows.queues, plan.routes).map { queue, route in
            var guards = plan.configuration.guards
            // They hold for each host by itself.
            if let hosts = hosts[route.kind], !hosts.bounds.isEmpty { guards.stopIf = [] }
            var made = Lane.Route(
                name: route.name, rows: queue,
                outcomeGuard: OutcomeGuard(
                    guards, of: route.name, route.kind, lanes: laneSettings.count,
                    earlierRows: history.resumption?.tally.finished ?? 0,
                    toleratesInvalid: plan.toleratesInvalid, control: control),
                endpoint: route.options.endpoint)
            made.hosts = hosts[route.kind]
            return made
        }
        let contacts = routes.map(\.contact)
        for index in routes.indices {
            routes[index].place = index
            routes[index].others = contacts.filter { $0 !== contacts[index] }
        }
        let shared = Lane.SharedFlow(
            report: report, control: control, progress: progressBoard, log: control.log,
            unixOffsetMilliseconds: started - MachineClock.now.nanoseconds / 1_000_000)
        guard let log = control.log else {
            runThreads(rows, routes, shared)
            return result(started: started)
        }
        do throws(SystemError) {
            return try log.writing {
                log.started(plan)
                runThreads(rows, routes, shared)
                let result = result(started: started)
                log.ended(result)
                return result
            }
        } catch {
            control.stop(error.jobStop)
            return result(started: started)
        }
    }

    package func interrupt(_ reason: JobStop) { control.interrupt(reason) }

    /// Notices for people about the reading of rows: columns under other names, inputs that have
    /// changed.
    package var notices: [Statement] { openingNotices + plan.notices }

    /// Warnings about probable mistakes in the payloads, and about a shared job and its server, in sentences; read them
    /// before the job runs.
    package var warnings: [String] { plan.payloadWarnings() + clusterWarnings }

    /// The reason why the log lacks events, if a disk or a pipe is the cause; otherwise `nil`.
    package var logProblem: String? { control.log?.problem }

    /// The progress of the job.
    ///
    /// Safe from any thread.
    package var progress: ProgressSnapshot {
        var snapshot = progressBoard.snapshot
        let earlier = history.resumption?.tally.finished ?? 0
        if plan.routes.count > 1 {
            snapshot.routes = plan.routes.indices.map { index in
                let first = plan.number(ofLane: 0, route: index)
                let part = progressBoard.snapshot(ofLanes: first..<first + plan.lanes)
                return RouteProgress(
                    plan.routes[index].options.provider, counts: part.counts.ofRoutes,
                    gauges: part.gauges,
                    // A worker of several does not know what the others have read.
                    expectedRows: cluster == nil
                        ? plan.source.meter.expectedRows(ofRoute: index, earlier: earlier)
                            .map { $0 - Double(part.counts.routeless) } : nil)
            }
        }
        snapshot.variants = plan.variants(snapshot.counts.variants)
        snapshot.isPaused = control.isPaused
        snapshot.isOrdering = control.isOrdering
        if let waiting = control.waiting {
            snapshot.waitingRows = waiting.rows
            snapshot.waitsUntilMilliseconds = waiting.untilMilliseconds
        }
        snapshot.lastOpeningMilliseconds = control.lastOpening
        if let cluster {
            // The part of the input that this worker has read says nothing about the job.
            snapshot.wholeJob = cluster.desk.wholeJob
            snapshot.inputShare = snapshot.wholeJob?.share
        } else {
            snapshot.inputShare = plan.inputShare(finished: earlier + snapshot.finished)
        }
        return snapshot
    }

    /// The rows of all runs that have an outcome, and the finished share of the inputs.
    ///
    /// It costs the lanes nothing, as `progress` does once it was asked for. Safe from any thread.
    package var reach: (rows: UInt64, share: Double?) {
        let earlier = history.resumption?.tally.finished ?? 0
        let rows = earlier + progressBoard.finished
        return (rows, plan.inputShare(finished: rows))
    }

    /// The report's path, if a later run can carry on from it.
    package var resumableReport: String? {
        report.isResumable ? plan.configuration.report.path : nil
    }

    /// True if the job of a report has left a checkpoint to carry on from.
    package static func isUnfinished(report path: String) -> Bool {
        FileDescriptor.exists(path + CheckpointFile.suffix)
    }

    // MARK: Threads

    private func runThreads(
        _ rows: RowFlow, _ routes: [Lane.Route], _ shared: Lane.SharedFlow
    ) {
        let crew = Crew(
            rows: rows, control: control, report: report, cancellation: plan.source.cancellation,
            credentials: plan.routes.indices.compactMap {
                laneSettings[plan.number(ofLane: 0, route: $0)].connection.credentials
            })
        let outcomes: @Sendable () -> [UInt64] = { [history, progressBoard] in
            var outcomes = history.resumption?.tally.outcomes ?? OutcomeCounts()
            outcomes += progressBoard.outcomes
            return outcomes.inOrder
        }
        cluster?.begin(
            control, pace: paces.first, routes: routes, progress: progressBoard, outcomes: outcomes)
        defer { cluster?.end(history, outcomes: outcomes()) }
        let lanes = crew.run(plan.lanes, "lane") { [plan, history, seeds] in
            let gate = plan.windows.map { HoursGate($0) }
            rows.read(from: plan.source, past: history, gate: gate, seeds: seeds)
        } work: { [self] worker in
            let places = routes.enumerated().map { index, route in
                let number = plan.number(ofLane: worker, route: index)
                return Worker.Place(
                    settings: laneSettings[number], route: route, number: number)
            }
            return Worker.run(places, shared: shared, identity: plan.identity)
        }
        results.withLock { $0 = lanes.flatMap(\.self) }
    }

    // MARK: Result

    /// The course of the job in all lanes; `nil` if it was not kept.
    var series: TimeSeries? {
        let parts = results.withLock { $0 }.compactMap(\.series)
        guard var sum = parts.first else { return nil }
        for part in parts.dropFirst() { sum.merge(part) }
        return sum
    }

    /// Returns true if the job was stopped before any row had an outcome: resuming it would be a
    /// new start.
    ///
    /// Rows in doubt have an outcome, or a mark: with `Delivery.atLeastOnce` they are left to be
    /// repeated, and the next run has to know them, so that they keep their `apns-id`. While rows
    /// wait for their hours, their arrival matters: `ProviderOptions.expiresAfter` counts from it.
    ///
    /// A worker that has joined keeps its folder, and so does one whose job is lost: without it, it would begin the job anew
    /// when it is started again, and its server has lost the job by then.
    private func isUntouched(_ tally: Tally, _ stop: JobStop?) -> Bool {
        guard let stop, stop.kind != .bug, cluster == nil || !stop.needsOtherCommand else {
            return false
        }
        guard cluster?.desk.hasJoined != true else { return false }
        return tally.finished == 0 && history.resumption == nil
            && control.lastOpening == nil && history.checkpoint?.hasMarkedRows != true
    }

    /// Returns the outcomes of each provider's rows; empty for a single provider.
    private func routes(_ lanes: [LaneResult]) -> [Summary.Route] {
        guard plan.routes.count > 1 else { return [] }
        return plan.routes.enumerated().map { index, route in
            let own = lanes.filter { $0.number / plan.lanes == index }
            var tally = Tally()
            var latency = LatencyHistogram()
            for lane in own {
                tally.merge(lane.tally)
                latency.merge(lane.latency)
            }
            let limits = own.reduce(LimitTimes()) { $0 + $1.limits }.divided(by: max(own.count, 1))
            return Summary.Route(
                name: route.options.provider.rawValue, tally: tally.ofRoutes, latency: latency,
                limits: limits,
                connectionsChosen: plan.configuration.engine.connections == nil
                    ? own.reduce(0) { $0 + $1.demand.target } : nil)
        }
    }

    /// Records a job's providers, and the outcomes at each.
    private func tellRoutes(_ lanes: [LaneResult], in summary: inout Summary) {
        summary.routes = routes(lanes)
        if !summary.routes.isEmpty {
            var run = Tally()
            for lane in lanes { run.merge(lane.tally) }
            summary.ofNoRoute = run.ofNoRoute
        }
        let tallies = summary.routes.isEmpty ? [summary.tally] : summary.routes.map(\.tally)
        summary.doubtsDeadTokens = zip(plan.configuration.routes, tallies).contains {
            route, tally in
            route.declared != nil && tally.count(.unregistered) > tally.count(.accepted)
        }
        summary.onlyChecks = plan.configuration.validatesOnly
        summary.unasked = plan.routes.filter { !$0.service.isAsked }.map(\.kind)
        summary.proxy = plan.configuration.provider.proxy?.name
    }

    /// Records by which words people know the job, and whether the run before had a last word.
    private func tellWords(in summary: inout Summary) {
        summary.name = plan.configuration.name
        summary.note = plan.configuration.note
        summary.isRecovery = isRecovery
    }

    /// Records the commands for what is left to do, but for those that carry the job on.
    private func tellCommands(in summary: inout Summary) {
        summary.retryCommand = retryCommand
        summary.readsStandardInput = plan.configuration.inputs.contains(.standardInput)
        let options = plan.configuration.report
        guard summary.unregisteredPath == nil, options.token == .full, options.splitBytes == nil,
            let path = summary.reportPath, JobOpening.canBeResumed(path)
        else { return }
        summary.deadTokensCommand = deadTokensCommand?(path)
    }

    /// Records which rows were left out, which wait for their hours, and the outcomes of each payload.
    private func tellRows(in summary: inout Summary) {
        plan.tellRows(in: &summary)
        summary.variants = plan.variants(summary.tally.variants)
        summary.waiting = summary.stop == nil ? nil : control.keptBack
        summary.hours = plan.hours(now: summary.endMilliseconds / 1000)
    }

    /// Says of a job what held its lanes, and how many connections they wanted.
    private func tellEngine(_ lanes: [LaneResult], in summary: inout Summary) {
        summary.lateStarts = lateStarts
        summary.limits = lanes.reduce(LimitTimes()) { $0 + $1.limits }.divided(by: lanes.count)
        guard plan.configuration.engine.connections == nil else { return }
        summary.chosen = Summary.ChosenConnections(
            count: lanes.reduce(0) { $0 + $1.demand.target },
            cause: lanes.compactMap(\.demand.cause).first)
    }

    /// Records what earlier runs did, and into how many files the report is split.
    private func tellEarlier(in summary: inout Summary) {
        if plan.configuration.report.splitBytes != nil { summary.reportParts = report.reportParts }
        if let earlier = history.resumption?.tally {
            summary.earlier = .init(rows: earlier.finished, attempts: earlier.attempts)
        }
    }

    func result(started: Int64) -> JobResult {
        var tally = history.resumption?.tally ?? Tally()
        var latency = history.resumption?.latency ?? LatencyHistogram()
        var left: UInt64 = 0
        let lanes = results.withLock { $0 }
        for lane in lanes {
            tally.merge(lane.tally)
            latency.merge(lane.latency)
            left += lane.rowsLeft
        }
        var stop = control.finalStop
        // Rows that were handed out but left unsent when the job stopped are as if never read.
        tally.rowsRead -= left
        if stop == nil { tally.rowsRead = history.reportedRows(ofRead: plan.source.rowCount) }
        if let violation = tally.identityViolation() {
            stop = JobStop(.bug, "BUG: \(violation)")
        }
        let ended = WallClock.milliseconds
        if stop == nil, let database {
            // The job can be carried on then, and only that is left to do.
            stop = database.make(
                lines: tally.rowsRead, control: control,
                advice:
                    "all outcomes are in \(database.logPath), and \(.resumes) makes the database "
                    + "of them")
        }
        let isDiscarded = isUntouched(tally, stop) && report.discard()
        // The rows that are left out are for the run that carries the job on.
        let leavesRows = plan.leavesRows && report.isResumable
        if !isDiscarded {
            let isDone = stop == nil && !leavesRows
            let failure = isDone ? report.finish(lineCount: tally.finished) : report.rest()
            stop = stop ?? failure
        }
        let isDeadEnd = !isDiscarded && tellDeadEnd(&stop)
        report.letGo()
        if stop == nil && !leavesRows { database?.removeLog() }
        let crossed = plan.configuration.guards.failIf.map(\.threshold)
            .filter { $0.isCrossed(by: tally.judged) }
        if (stop == nil && !leavesRows) || isDiscarded { cluster?.desk.forget(isDiscarded) }
        let status = ExitStatus.of(
            tally: tally, strict: strict, onlyChecks: plan.configuration.validatesOnly,
            choseNone: plan.choseNone(tally),
            thresholdCrossed: !crossed.isEmpty, stop: stop?.kind)
        let path = plan.configuration.report.path
        let reportPath = path == ReportOptions.noFile || isDiscarded ? nil : path
        var summary = Summary(
            jobID: plan.identity.text, startMilliseconds: started,
            endMilliseconds: ended, tally: tally, latency: latency,
            exitStatus: status, stop: stop, thresholdsCrossed: crossed,
            reportPath: stop == nil ? database?.path ?? reportPath : reportPath,
            unregisteredPath: isDiscarded ? nil : plan.configuration.report.unregisteredPath,
            retryRowsPath: isDiscarded ? nil : plan.configuration.report.retryRowsPath,
            resumeCommand: command(after: stop, mayResume: !isDiscarded && !isDeadEnd))
        summary.leavesNothing = isDiscarded
        tellWords(in: &summary)
        tellRows(in: &summary)
        tellEarlier(in: &summary)
        tellCommands(in: &summary)
        tellEngine(lanes, in: &summary)
        tellRoutes(lanes, in: &summary)
        var result = JobResult(
            summary: summary, unreportedRows: report.unreported.description,
            page: page(summary, latency), failure: control.failure(of: stop),
            isResumable: (stop != nil || leavesRows) && report.isResumable && !isDeadEnd,
            naming: plan.configuration.naming)
        result.tell(plan)
        return result
    }

    /// The command that goes on after a run, where one does.
    private func command(after stop: JobStop?, mayResume: Bool) -> String? {
        guard report.isResumable, mayResume else { return nil }
        guard let stop else { return plan.leavesRows ? restCommand : nil }
        return stop.needsOtherCommand ? nil : resumeCommand
    }

    /// Adds advice to a stop after which no later run would get further.
    /// - Returns: True if that is so.
    private func tellDeadEnd(_ stop: inout JobStop?) -> Bool {
        guard control.stop == nil, stop?.kind == .inputOutput, report.isResumable,
            let advice = plan.adviceAtDeadEnd
        else { return false }
        stop?.statement +=
            "; the job cannot be carried on: \(.resumes) would stop there again, and takes no "
            + "other file. " + advice
        return true
    }
}
