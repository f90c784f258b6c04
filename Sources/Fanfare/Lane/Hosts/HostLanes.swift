import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// A worker's part of a route whose rows name their hosts: a bounded number of open hosts, and the rows that
/// go to them.
///
/// ```
///  RowQueue ──► pending batch ──► host ─► rows ─► engine ─► its connections
///                  a row at       host ─► rows ─► engine ─► its connections
///                  a time         …                           up to connectionsMax
/// ```
/// A row goes to its host's rows, of which some are in memory and the others in a file, so that a host that
/// is slow holds no others up. If its host is not open and all connections are in use, a host gives way that
/// does not need its own: see `HostPlaces`. If there is none, the row waits, and with it the rest of the input:
/// so many hosts are at work then.
///
/// Shares nothing with other lanes but the loop's thread and the queues at both ends. Made, used and ended on
/// its worker's thread.
final class HostLanes {
    let loop: EventLoop
    let resolver: Resolver
    let buffers = SharedBuffers()
    let number: Int
    let shared: Lane.SharedFlow
    let route: Lane.Route
    private let timer: LoopTimer
    private let settings: LaneSettings
    private let choice: HostChoice
    /// The most connections that were open at a time.
    private(set) var connectionsPeak = 0
    /// A batch of the input with rows that have no host yet.
    private var pending: RowBatch?
    /// True if the reader knows that rows are here.
    private var holdsRows = false
    private(set) var limits: LimitClock
    private var figures: HostFigures
    private var block: ReportBlock?
    private var blockStarted = Instant.distantPast
    private(set) var isPaused = false
    private(set) var stop: JobStop?
    private var hasToldStop = false
    /// True if the job is at its end, or was stopped, and all hosts are closed.
    private(set) var isFinished = false
    private var sleep: SleepAccount
    private var timerDue = Instant.distantFuture
    private var plannedTurn = Instant.distantFuture

    init(
        number: Int, on loop: EventLoop, settings: LaneSettings, hosts: HostRoute,
        route: Lane.Route, shared: Lane.SharedFlow, seed: UInt64
    ) {
        self.number = number
        self.loop = loop
        self.settings = settings
        choice = HostChoice(hosts, settings, seed: seed, log: shared.log)
        self.route = route
        self.shared = shared
        resolver = Resolver(loop: loop, places: hosts.lookups)
        timer = LoopTimer(loop: loop)
        sleep = SleepAccount(now: loop.now)
        limits = LimitClock(.input, now: loop.now, idle: 0)
        figures = HostFigures(
            settings, route,
            at: shared.unixOffsetMilliseconds + loop.now.nanoseconds / 1_000_000)
        timer.onFire = { [unowned self] in
            timerDue = .distantFuture
            awake()
        }
    }

    var now: Instant { loop.now }

    /// The open hosts, in the order in which they were opened.
    var lanes: [HostLane] { table.lanes }

    var table: HostTable { choice.table }

    var idleNanoseconds: Int64 { sleep.nanoseconds }

    func unixMilliseconds(at now: Instant) -> Int64 {
        shared.unixOffsetMilliseconds + now.nanoseconds / 1_000_000
    }

    // MARK: Waking

    /// Ends the time of sleep, because something has happened.
    @discardableResult
    func awake() -> Instant {
        let now = loop.now
        sleep.wake(now: now)
        return now
    }

    /// Rows, room in the report, a stop: all that other threads have changed comes with a wake-up.
    func wakenByOthers() {
        awake()
        let orders = shared.control.orders
        isPaused = orders.isPaused || shared.control.startsAreOver(now: loop.now)
        if let stop = orders.stop {
            self.stop = stop
            hasToldStop = true
        }
        for lane in lanes {
            lane.obey(isPaused: isPaused, stop: orders.stop, isAborted: orders.isAborted)
        }
    }

    // MARK: A turn

    /// Acts on the events of this iteration of the loop.
    func turn() {
        guard sleep.hasNews, !isFinished else { return }
        let now = loop.now
        if now >= plannedTurn.advanced(by: Limits.standstill) {
            let stood = now.nanoseconds(since: plannedTurn)
            for lane in lanes { lane.stoodStill(for: stood) }
            plannedTurn = now
            if !loop.isBehindPoll { return schedule(at: now) }
        }
        sleep.turnBegins(now: now)
        defer { sleep.turnEnded(now: loop.now) }
        if !isPaused, shared.control.startsAreOver(now: now) {
            isPaused = true
            for lane in lanes { lane.obey(isPaused: true, stop: nil, isAborted: false) }
        }
        limits.count(now: now, idle: idleNanoseconds)
        let isUnfinished = work(now: now)
        if now >= figures.due { lookAround(now: now) }
        finishIfDone()
        submitBlock(ifOldAt: now)
        figures.tell(self, now: now)
        guard !isFinished else { return }
        var next = isUnfinished ? now : min(figures.due, table.due, table.nextReturn(after: now))
        if block != nil {
            next = min(next, blockStarted.advanced(by: settings.preparation.reportDelay))
        }
        plannedTurn = next
        schedule(at: next)
    }

    /// Does what there is time for a few times a second.
    private func lookAround(now: Instant) {
        // Another lane may have ended a look-up.
        resolver.lookUpNext()
        choice.closeUnused(now: now)
        if holdsRows, table.areIdle { letGo() }
        limits.hold(limitation)
        connectionsPeak = max(connectionsPeak, table.levels.connections)
    }

    private func schedule(at moment: Instant) {
        guard moment < timerDue else { return }
        timerDue = moment
        timer.schedule(at: moment)
    }

    /// Hands rows out and has the hosts take them, until that leads to nothing more.
    /// - Returns: True if it might, and other lanes of the thread are due.
    private func work(now: Instant) -> Bool {
        for _ in 0..<Limits.hostRounds {
            let hasPlaced = distribute(now: now)
            // As long as a new host waits for a place, that sees to those that come back.
            if pending == nil, stop == nil, !isPaused { choice.bringBack(now: now) }
            let hadNews = turnLanes(now: now)
            // An answer may have made a host one that gives way.
            let isWanted = pending != nil || table.firstReturning(now: now) != nil
            guard hasPlaced || hadNews && isWanted else { return false }
        }
        return true
    }

    /// - Returns: True if any host had something to do.
    private func turnLanes(now: Instant) -> Bool {
        let isEnd = hasNoMoreRows
        var spare = table.spare
        var hadNews = false
        for lane in lanes where lane.hasNews || lane.due <= now || isEnd && lane.isIdle {
            hadNews = true
            let before = lane.connections
            lane.bound(spare: max(spare, 0), most: choice.connectionsPerHost)
            lane.turn(now: now)
            spare -= lane.connections - before
            if let stop = lane.stop, !hasToldStop { tell(stop) }
            if lane.isFinished { choice.remove(lane) }
        }
        return hadNews
    }

    private func tell(_ stop: JobStop) {
        hasToldStop = true
        var stop = stop
        if let name = route.name { stop.statement = "\(name): " + stop.statement }
        shared.control.stop(stop)
    }

    /// The thing that keeps the lane from going faster: of its hosts there is mostly one that waits for an answer.
    private var limitation: Limitation {
        if isPaused { return .pause }
        if isReportBehind { return .output }
        if lanes.contains(where: \.waitsForPace) { return .pace }
        if isInputAsleep, table.areIdle { return .window }
        if table.areIdle { return hasNoMoreRows ? .lastAnswers : .input }
        if lanes.allSatisfy(\.rows.isEmpty), hasNoMoreRows { return .lastAnswers }
        return table.levels.requestsInFlight > 0 ? .streamLimit : .connecting
    }

    // MARK: Rows in

    /// True if every row of the input is with its host, or has its outcome.
    var hasNoMoreRows: Bool { pending == nil && route.rows.isExhausted }

    var isInputAsleep: Bool { pending == nil && route.rows.isAsleep }

    /// Hands the rows of a batch to their hosts.
    /// - Returns: True if it has handed out any, so that there may be more to do.
    private func distribute(now: Instant) -> Bool {
        guard stop == nil, !isPaused, !isReportBehind else { return false }
        guard let batch = pending ?? takeBatch(now: now) else { return false }
        pending = batch
        var hasPlaced = false
        while let index = batch.untaken.first {
            let verdict = batch.verdict(ofRow: index)
            // Its line is in the report already, or it comes again.
            if verdict != .finished, verdict != .waiting {
                guard let lane = choice.lane(for: batch, index, of: self, now: now) else {
                    return hasPlaced
                }
                do throws(FileError) {
                    try lane.rows.put(batch, index, verdict: verdict)
                } catch {
                    shared.control.stop(JobStop(.inputOutput, Statement(error.sentence)))
                    return false
                }
                lane.hasNews = true
                hasPlaced = true
            }
            _ = batch.take(fromEnd: false)
        }
        pending = nil
        if hasPlaced, !holdsRows {
            // Before the reader can count the batch.
            holdsRows = true
            route.rows.hold()
        }
        route.rows.recycle(batch)
        return true
    }

    /// Takes a batch, if a host would be without work otherwise.
    private func takeBatch(now: Instant) -> RowBatch? {
        table.needsRows(now: now) ? route.rows.nextBatch() : nil
    }

    /// The next rows of a host.
    func next(of rows: HostRows) -> RowBatch? {
        do throws(FileError) {
            return try rows.next()
        } catch {
            shared.control.stop(JobStop(.inputOutput, Statement(error.sentence)))
            return nil
        }
    }

    /// Gives rows back whose window has closed; the reader looks at them again.
    func giveBack(_ batch: RowBatch) {
        if stop == nil { route.rows.adopt(batch) }
    }

    /// Tells the reader that no rows are here any more that may come back.
    private func letGo() {
        holdsRows = false
        route.rows.letGo()
    }

    private func finishIfDone() {
        guard lanes.isEmpty, stop != nil || hasNoMoreRows else { return }
        if let batch = pending { route.rows.recycle(batch) }
        pending = nil
        isFinished = true
        if holdsRows { letGo() }
        submitBlock(ifOldAt: .distantFuture)
    }

    // MARK: Report

    /// The block that the hosts fill by turns.
    func block(now: Instant) -> ReportBlock {
        if let block {
            self.block = nil
            return block
        }
        blockStarted = now
        return shared.report.emptyBlock(ofRoute: route.place)
    }

    /// Takes a block from a host, and hands it to the writer when it is full.
    func keep(_ block: ReportBlock) {
        if self.block == nil, block.lines.count < Limits.reportBlockBytes {
            self.block = block
        } else {
            shared.report.submit(block)
        }
    }

    var isReportBehind: Bool { shared.report.isBehind }

    private func submitBlock(ifOldAt now: Instant) {
        guard let block,
            isFinished || now >= blockStarted.advanced(by: settings.preparation.reportDelay)
        else { return }
        self.block = nil
        shared.report.submit(block)
    }

    // MARK: Figures

    /// The lane's result at its end.
    var result: LaneResult {
        let sums = sums
        let most = max(connectionsPeak, 1)
        return LaneResult(
            number: number, tally: sums.tally, latency: sums.latency, series: figures.series,
            rowsLeft: sums.rowsLeft, limits: limits.times,
            demand: ConnectionDemand(first: most, most: most))
    }

    /// The sums over all hosts, closed and open.
    var sums: HostSums {
        var sums = choice.closed
        for lane in lanes { lane.with { sums.add($0) } }
        return sums
    }
}
