import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import Synchronization

/// The result of a lane.
struct LaneResult: Sendable {
    /// The lane's number among those of all routes.
    var number: Int
    var tally: Tally
    var latency: LatencyHistogram
    /// The course over time, if it was kept.
    var series: TimeSeries?
    /// Rows taken up that got no outcome because the job stopped.
    var rowsLeft: UInt64
    /// The lane's time by its limiting causes.
    var limits: LimitTimes
    /// The number of connections that it came to want, and the reasons.
    var demand: ConnectionDemand
}

/// A route's part of a worker: connections of its own, and the engine that they serve.
///
/// Shares nothing with other lanes but the loop's thread and the queues at both ends, which it meets once a
/// batch. Made, used and ended on its worker's thread.
final class Lane: LaneEnvironment, TransportOwner {
    private let loop: EventLoop
    private let timer: LoopTimer
    private let shared: SharedFlow
    private let route: Route
    /// Its number among the lanes of all routes.
    private let number: Int
    private var sleep: SleepAccount
    /// True if the other lanes know why this one stops.
    private var hasToldStop = false
    /// The time at which the timer fires, at the latest.
    private var timerDue = Instant.distantFuture
    private var nextProgress = Instant(nanoseconds: .min)
    /// The time of the next turn at the latest, if the process runs.
    private var plannedTurn = Instant.distantFuture
    /// Answers that other lanes were told of, and when; and verdicts on rows among them.
    private var toldAnswers: UInt64 = 0
    private var toldAnswersAt: Instant?
    private var toldVerdicts: UInt64 = 0
    private var toldVerdictsAt: Instant?
    private var sampler: SeriesSampler?
    /// True if the guard takes outcomes, and the number of this lane's outcomes that it knows.
    private var isGuarded: Bool
    private var guardedOutcomes: UInt64 = 0
    private let transports: LaneTransports<Lane>
    /// Made last in `init`, because it gets to know this object.
    private var engine: LaneEngine?

    /// The state that all lanes of a job share.
    struct SharedFlow: Sendable {
        let report: ReportSink
        let control: JobControl
        let progress: JobProgress
        var log: EventLog?
        /// UNIX time minus the loop's clock, in milliseconds: taken once, so that a clock that is set
        /// during the job does not disturb it.
        let unixOffsetMilliseconds: Int64
    }

    /// The state that the lanes of one route share.
    struct Route: Sendable {
        /// The provider, where a job has several; `nil` where there is only this one.
        let name: String?
        let rows: RowQueue
        /// Its place among the routes of the job.
        var place = 0
        let outcomeGuard: OutcomeGuard
        let endpoint: Endpoint
        let contact = RouteContact()
        /// The contacts with the providers of the job's other routes.
        var others: [RouteContact] = []
        /// The settings where rows name the hosts; `nil` for one address for all.
        var hosts: HostRoute?
    }

    /// - Parameters:
    ///   - number: Its number among the lanes of all routes.
    ///   - loop: The loop of its worker.
    ///   - settings: The settings of its engine.
    ///   - route: The state that it shares with the other lanes of its route.
    ///   - shared: The state that it shares with all lanes.
    ///   - seed: The seed of its random numbers.
    init(
        number: Int, on loop: EventLoop, settings: LaneSettings, route: Route,
        shared: SharedFlow, seed: UInt64
    ) {
        self.loop = loop
        timer = LoopTimer(loop: loop)
        self.shared = shared
        self.route = route
        self.number = number
        sleep = SleepAccount(now: loop.now)
        isGuarded = route.outcomeGuard.isWatching
        // Lanes begin at different addresses.
        transports = LaneTransports(
            to: route.endpoint.host, port: route.endpoint.port, proxy: settings.connection.proxy,
            firstDial: number, resolver: Resolver(loop: loop), on: loop)
        engine = LaneEngine(settings: settings, environment: self, seed: seed)
        if settings.keepsSeries { sampler = SeriesSampler(now: unixMilliseconds(at: loop.now)) }
        timer.onFire = { [unowned self] in
            timerDue = .distantFuture
            awake()
        }
    }

    /// True if it has no more work.
    var isFinished: Bool { withEngine { $0.isFinished } }

    /// The lane's result at its end.
    var result: LaneResult {
        withEngine { engine in
            LaneResult(
                number: number, tally: engine.books.report.tally,
                latency: engine.connections.latency,
                series: sampler?.series,
                rowsLeft: engine.books.rowsLeft, limits: engine.limits.times,
                demand: engine.books.dispatcher.connectionDemand)
        }
    }

    /// Ends the time of sleep, because something has happened.
    /// - Returns: The time.
    @discardableResult
    private func awake() -> Instant {
        let now = loop.now
        sleep.wake(now: now)
        return now
    }

    /// Rows, room in the report, a stop: all that other threads have changed comes with a wake-up.
    func wakenByOthers() {
        awake()
        let orders = shared.control.orders
        engine?.pause(
            orders.isPaused || route.contact.isHeld || shared.control.startsAreOver(now: loop.now))
        if let stop = orders.stop {
            engine?.drain(stop)
            hasToldStop = true
        }
        if orders.isAborted { engine?.abort(now: loop.now) }
    }

    /// Acts on the events of this iteration of the loop.
    ///
    /// The loop asks twice per iteration.
    func turn() {
        guard sleep.hasNews, !isFinished else { return }
        let now = loop.now
        if now >= plannedTurn.advanced(by: Limits.standstill) {
            // The process has stood still, or the whole machine: the provider had no part in that
            // time, and bytes that arrived meanwhile are read before anything ends by the clock.
            engine?.stoodStill(for: now.nanoseconds(since: plannedTurn))
            plannedTurn = now
            if !loop.isBehindPoll {
                timerDue = now
                timer.schedule(at: now)
                return
            }
        }
        sleep.turnBegins(now: now)
        defer { sleep.turnEnded(now: loop.now) }
        if shared.control.startsAreOver(now: now) { engine?.pause(true) }
        engine?.turn(now: now)
        if !hasToldStop, var stop = withEngine({ $0.stop }) {
            hasToldStop = true
            if let name = route.name { stop.statement = "\(name): " + stop.statement }
            shared.control.stop(stop)
        }
        if isGuarded { tellOutcomes() }
        if sampler != nil { sample(now) }
        if let log = shared.log { tellEvents(to: log) }
        // The last word counts, however short the job was, or however long nothing happens then.
        let isProgressDue = now >= nextProgress
        if isProgressDue || isFinished {
            var snapshot = withEngine { $0.snapshot }
            if shared.progress.isWatched {
                snapshot.counts.latency = withEngine { $0.connections.latency }
            }
            shared.progress.update(lane: number, snapshot)
            nextProgress = now.advanced(by: Limits.progressInterval)
            tellAnswers(now)
        }
        guard !isFinished else { return }
        var deadline = withEngine { $0.nextDeadline(now: now) } ?? .distantFuture
        if !isProgressDue { deadline = min(deadline, nextProgress) }
        plannedTurn = deadline
        if deadline < timerDue {
            // Deadlines mostly move away: a timer that fires too early costs less than one that is set
            // again in every turn.
            timerDue = deadline
            timer.schedule(at: deadline)
        }
    }

    /// Samples the changes since the last time, ten times a second.
    private func sample(_ now: Instant) {
        let moment = unixMilliseconds(at: now)
        guard let next = sampler?.next, moment >= next || isFinished else {
            return
        }
        withEngine { engine in
            sampler?.sample(
                at: moment, engine.books.report.tally, engine.connections.latency,
                levels: engine.levels)
        }
    }

    /// Hands the events of this turn over to the log.
    private func tellEvents(to log: EventLog) {
        guard let news = withEngine({ $0.takeEvents() }) else { return }
        log.submit(news.events, dropped: news.dropped)
    }

    /// Tells the other lanes that the provider can be reached, and that it answers.
    private func tellAnswers(_ now: Instant) {
        if !route.contact.isReached, withEngine({ $0.books.report.tally.connectionsOpened }) > 0 {
            route.contact.wasReached()
        }
        let answers = withEngine { $0.connections.answerCount }
        guard answers != toldAnswers else { return }
        toldAnswers = answers
        toldAnswersAt = now
        route.contact.wasAnswered(at: now)
        let verdicts = withEngine { $0.books.dispatcher.verdicts.count }
        guard verdicts != toldVerdicts else { return }
        toldVerdicts = verdicts
        toldVerdictsAt = now
        route.contact.wasJudged(at: now)
    }

    /// Shows new outcomes to the guard that may stop the job.
    private func tellOutcomes() {
        var outcomes = withEngine { $0.books.report.tally.judged }
        // Rows that an earlier run has left in doubt say nothing about this one.
        outcomes[.unknown] -= withEngine { $0.books.report.interruptedCount }
        // At its end the length of the job may be new, if nothing else is.
        guard outcomes.all != guardedOutcomes || isFinished else { return }
        guardedOutcomes = outcomes.all
        isGuarded = route.outcomeGuard.update(
            lane: number, outcomes, rowCount: route.rows.rowCount)
    }

    /// Lends the engine to look at it: a value that cannot be copied has to stay where it is.
    private func withEngine<Result>(_ body: (inout LaneEngine) -> Result) -> Result {
        guard let result = engine?.lend(to: body) else {
            preconditionFailure("BUG: a lane without its engine")
        }
        return result
    }

    // MARK: Transports

    func openTransport(_ connection: Int) {
        transports.open(connection, for: self)
    }

    func beginning(of connection: Int) -> Instant? { transports.beginning(of: connection) }

    func closeTransport(_ connection: Int) { transports.close(connection) }

    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        unsafe transports.send(bytes, on: connection)
    }

    func hasUnread(on connection: Int) -> Bool { transports.hasUnread(on: connection) }

    func transportOpened(_ connection: Int) {
        let now = awake()
        engine?.transportOpened(connection, now: now)
    }

    func transportFailed(_ connection: Int, _ failure: ConnectionFailure) {
        let now = awake()
        transports.forget(connection)
        engine?.transportClosed(connection, failure, now: now)
    }

    func transportEnded(_ connection: Int) {
        engine?.transportEnded(connection)
    }

    func transportWritable(_ connection: Int) {
        let now = awake()
        engine?.transportWritable(connection, now: now)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Int) {
        let now = awake()
        unsafe engine?.received(bytes, on: connection, now: now)
    }

    // MARK: Queues and clock

    var now: Instant { loop.now }

    var idleNanoseconds: Int64 { sleep.nanoseconds }

    func nextBatch() -> RowBatch? { route.rows.nextBatch() }

    func hasBatch(now: Instant) -> Bool { route.rows.hasBatch(now: now) }

    var isInputExhausted: Bool { route.rows.isExhausted }

    var isInputAsleep: Bool { route.rows.isAsleep }

    func recycle(_ batch: RowBatch) {
        route.rows.recycle(batch)
    }

    func handBack(_ batch: RowBatch) { route.rows.handBack(batch) }

    var isReached: Bool { route.contact.isReached }

    var lastAnswerElsewhere: Instant? {
        // Two lanes do not say so in the same nanosecond.
        let last = route.contact.lastAnswer
        return last == toldAnswersAt ? nil : last
    }

    func hasAnotherBeenJudged(within time: Duration) -> Bool {
        guard let last = route.contact.lastVerdict, last != toldVerdictsAt else { return false }
        return loop.now < last.advanced(by: time)
    }

    var lastAnswerOfOtherRoutes: Instant? {
        guard !route.others.isEmpty else { return nil }
        // Rows that wait for their hours are sent then, unless the job ends before.
        if shared.control.lastOpening != nil { return loop.now }
        return route.others.compactMap(\.lastAnswer).max()
    }

    func providerAsks(toWaitUntil moment: Instant) {
        route.contact.wasAsked(toWaitUntil: moment)
    }

    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave {
        let (leave, frees) = route.contact.withProof { [number] in
            $0.hear(news, from: number, now: now)
        }
        if frees { shared.control.wakeLanes() }
        return leave
    }

    func claimFirstRequest(now: Instant) -> Instant? {
        route.contact.withProof { [number] in $0.claim(by: number, now: now) }.result
    }

    func lendBatch() { route.rows.lend() }

    func discard(_ batch: RowBatch) { route.rows.discard(batch) }

    func emptyBlock() -> ReportBlock { shared.report.emptyBlock(ofRoute: route.place) }

    func submit(_ block: ReportBlock) {
        shared.report.submit(block)
    }

    var isReportBehind: Bool { shared.report.isBehind }

    func unixMilliseconds(at now: Instant) -> Int64 {
        shared.unixOffsetMilliseconds + now.nanoseconds / 1_000_000
    }
}

extension LaneEngine {
    fileprivate mutating func lend<Result>(to body: (inout LaneEngine) -> Result) -> Result {
        body(&self)
    }
}
