import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS
import Synchronization

/// One step of a load test: lanes with new connections, from beginning to end.
///
/// The connections are new, so that requests left in the server's queues do not spoil the next
/// step.
final class LoadRun: Interruptible {
    private let plan: LoadPlan
    private let schedule: LoadSchedule
    private let clock: LoadClock
    private let meters: [RequestMeter]
    private let board: JobProgress
    private let control = JobControl()
    private let stoppedAt = Mutex<Instant?>(nil)

    /// - Parameters:
    ///   - plan: The plan of the test.
    ///   - schedule: The load of the step.
    ///   - requests: The file for each request; `nil` for none.
    ///   - step: The number of the step, from 1.
    init(
        _ plan: LoadPlan, _ schedule: LoadSchedule, requests: RequestFile? = nil, step: Int = 1
    ) {
        self.plan = plan
        self.schedule = schedule
        let clock = LoadClock(schedule)
        self.clock = clock
        let offset = WallClock.milliseconds - MachineClock.now.nanoseconds / 1_000_000
        meters = (0..<plan.lanes).map { _ in
            let trail = requests.map {
                RequestTrail($0, step: step, unixOffsetMilliseconds: offset)
            }
            return RequestMeter(clock, trail: trail) { ThreadClock.nanoseconds }
        }
        board = JobProgress(lanes: plan.lanes)
    }

    func interrupt(_ reason: JobStop) {
        stoppedAt.withLock { if $0 == nil { $0 = MachineClock.now } }
        control.interrupt(reason)
    }

    var progress: ProgressSnapshot { board.snapshot }

    /// The reason why the run ended early, if it did.
    var stop: JobStop? { control.finalStop }

    /// Runs to the end.
    func run() throws(FanfareError) -> LoadStep {
        let rows = RowFlow(
            batches: Limits.batchCount(lanes: plan.lanes), slotCount: plan.schema.slotCount,
            control: control)
        let report = ReportSink(
            ReportJournal(try OutputFiles([], overwrites: true)), lanes: plan.lanes,
            control: control)
        let route = Lane.Route(
            name: nil, rows: rows.queue,
            outcomeGuard: OutcomeGuard(
                plan.configuration.guards, lanes: plan.lanes, control: control),
            endpoint: plan.configuration.provider.endpoint)
        let shared = Lane.SharedFlow(
            report: report, control: control, progress: board,
            unixOffsetMilliseconds: WallClock.milliseconds - MachineClock.now.nanoseconds
                / 1_000_000)
        // Nothing is reported, so that no thread has to write.
        let crew = Crew(
            rows: rows, control: control,
            credentials: [plan.laneSettings.first?.connection.credentials].compactMap(\.self))
        let lanes = crew.run(plan.lanes, "lane") { [plan] in
            rows.read(from: plan.source)
        } work: { [self] number in
            let place = Worker.Place(settings: settings(number), route: route, number: number)
            return Worker.run([place], shared: shared, identity: plan.identity)
        }
        return step(lanes.flatMap(\.self))
    }

    private func settings(_ lane: Int) -> LaneSettings {
        var settings = plan.laneSettings[lane]
        settings.meter = meters[lane]
        settings.pace = LanePace(clock, inFlightMax: plan.inFlight(ofLane: lane) ?? .max)
        return settings
    }

    // MARK: Result

    private func step(_ lanes: [LaneResult]) -> LoadStep {
        var figures = LoadFigures()
        for meter in meters { figures.merge(meter.figures) }
        let end = end
        figures.leftUnstarted(schedule, due: due(by: end), until: end)
        let inFlight: Int? =
            if case .inFlight(let count) = plan.options.pattern { count } else { nil }
        return LoadStep(
            schedule.load, inFlight: inFlight, measuredNanoseconds: max(end - schedule.warmUp, 0),
            figures: figures,
            processorNanoseconds: meters.reduce(0) { $0 + $1.processorNanoseconds },
            busyShare: meters.reduce(0) { max($0, $1.busyShare) },
            connections: lanes.reduce(0) { $0 + $1.tally.connectionsOpened })
    }

    /// The end of the measurement, counted from the beginning.
    private var end: Int64 {
        // A lane that stops because nothing works has no end planned.
        let ended = max(0, meters.reduce(0) { max($0, $1.endedAt) })
        if stop != nil {
            let stopped = stoppedAt.withLock { $0 }.map { clock.elapsed($0) } ?? .max
            return max(0, min(schedule.length, stopped, ended))
        }
        return schedule.length < .max
            ? schedule.length : meters.reduce(0) { max($0, $1.lastAnswer) }
    }

    /// Returns the number of requests of an open loop that were due by the end.
    private func due(by end: Int64) -> Int64 {
        guard case .open = schedule.load else { return 0 }
        return schedule.count(before: schedule.length < .max || stop != nil ? end : .max)
    }
}
