import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// One host of a route whose rows name their hosts: its rows, its connections, and an engine for them.
///
/// A host that is slow or down has its own patience, its own pauses and its own end. It shares the thread,
/// the report's block and the buffers with the other hosts of its lane. Use only on its loop's thread.
final class HostLane: LaneEnvironment, TransportOwner {
    /// Scheme, host and port.
    let origin: String
    let rows: HostRows
    /// True if anything has happened since its last turn.
    var hasNews = true
    /// The time of its next turn, if nothing happens before.
    private(set) var due = Instant.distantPast
    /// The time of the last turn in which it had something to do.
    private(set) var lastUsed: Instant
    /// For a host that was given up the time at which it may be tried again.
    private(set) var restsUntil: Instant?
    /// True if it gets no further row.
    private(set) var isClosing = false
    /// For a host that sits out the time at which its rows go on.
    private(set) var sitsOutUntil: Instant?
    /// True if it sits out until its next dial, and not until a row's next attempt.
    private(set) var waitsForDial = false
    /// The number of times that it has sat out.
    private var timesOut = 0
    /// True if it leaves its place when it has answered.
    private var isLeaving = false
    /// The time since which it has its place.
    private var placedSince: Instant
    /// The time of its last answer, or since which it owes one if it owed none before.
    private var owesSince: Instant
    private var owesAnything = false
    private var answersSeen: UInt64 = 0
    /// The connections that it has or wants.
    private(set) var connections = 1
    /// Its work as its last turn has left it.
    private var workLeft = HostPlaces.Work.apart
    /// The number of times that it was given up for others and has shown nothing since: see `HostTable`.
    private(set) var timesGivenWay: Int
    private unowned let owner: HostLanes
    private let transports: LaneTransports<HostLane>
    private var outcomeGuard: HostGuard
    /// Made last in `init`, because it gets to know this object.
    private var engine: LaneEngine?

    /// - Parameters:
    ///   - url: A URL of the host.
    ///   - settings: The settings of its engine.
    ///   - owner: The lane that it is a part of.
    ///   - rows: Its rows.
    ///   - bounds: The bounds on its own outcomes.
    ///   - allowsPrivate: True if the host may have an address outside the public Internet.
    ///   - timesGivenWay: The number of times that it was given up for others lately.
    ///   - seed: The seed of its random numbers.
    init(
        _ url: DeclaredURL, settings: LaneSettings, owner: HostLanes, rows: HostRows,
        bounds: [Threshold], allowsPrivate: Bool, timesGivenWay: Int, seed: UInt64
    ) {
        origin = url.origin
        outcomeGuard = HostGuard(bounds)
        self.owner = owner
        self.rows = rows
        transports = LaneTransports(
            to: url.host, port: url.port, proxy: settings.connection.proxy,
            allowsPrivate: allowsPrivate, resolver: owner.resolver, on: owner.loop)
        lastUsed = owner.now
        placedSince = owner.now
        owesSince = owner.now
        self.timesGivenWay = timesGivenWay
        engine = LaneEngine(
            settings: settings, environment: self, seed: seed, buffers: owner.buffers)
    }

    // MARK: Turns

    var isFinished: Bool { with { $0.isFinished } }

    /// True if it has no row, and waits for no answer.
    var isIdle: Bool { rows.isEmpty && with { $0.isResting } }

    /// True if the job's pace keeps its rows.
    var waitsForPace: Bool { with { $0.waitsForPace } }

    /// The reason why the whole job stops, as far as this host knows.
    var stop: JobStop? { with { $0.stop } }

    /// Returns its work, as far as it may give way to another host.
    func work(now: Instant) -> HostPlaces.Work {
        if let sitsOutUntil { return .sittingOut(until: sitsOutUntil, times: timesOut) }
        if hasNews { return .apart }
        switch workLeft {
        case .idle, .givenUp, .sittingOut: return workLeft
        // Its work is another one when it has done what is due: it may have an answer, or a dial that has failed.
        case .waiting, .asked, .leaving: return due <= now ? .apart : workLeft
        // The end of a look-up is no news.
        case .apart, .lookedUp: return currentWork(now: now)
        }
    }

    private func currentWork(now: Instant) -> HostPlaces.Work {
        if isIdle { return .idle(since: lastUsed) }
        let isInput = !rows.isEmpty
        return with { engine in
            let owed = engine.books.dispatcher.owedSince(dialed: transports.dialTime)
            if !engine.books.course.hostFault.isEmpty, !engine.books.dispatcher.isUnderWay {
                return .givenUp
            }
            if let rest = engine.rest(now: now, isInput: isInput) {
                return .waiting(until: rest.until)
            }
            guard let owed else {
                return transports.lookedUpSince.map { .lookedUp(since: $0) } ?? .apart
            }
            let since = max(owed, owesSince)
            return isLeaving ? .leaving(since: since) : .asked(since: since, placed: placedSince)
        }
    }

    /// Returns true if others that wait for a place would get this one's: also those of rows that were not read.
    func hasHadItsTurn(now: Instant) -> Bool {
        sitsOutUntil == nil && placedSince.advanced(by: Limits.hostTurn) <= now
    }

    /// The reason why the host was given up.
    var fault: HostFault { with { $0.books.course.hostFault } }

    /// Acts on the events since the last turn.
    func turn(now: Instant) {
        hasNews = false
        if !isIdle { lastUsed = now }
        engine?.turn(now: now)
        engine?.handLinesOver()
        if restsUntil == nil, !fault.isEmpty { restsUntil = now.advanced(by: Limits.hostRest) }
        noteDebts(now: now)
        if sitsOutUntil != nil, !fault.isEmpty {
            sitsOutUntil = nil
            engine?.comeBack()
        }
        if isLeaving, with({ !$0.books.dispatcher.isUnderWay }) {
            isLeaving = false
            if fault.isEmpty, !isIdle { leaveBehindAnswers(now: now) } else { engine?.comeBack() }
        }
        due = with { $0.nextDeadline(now: now) } ?? .distantFuture
        // Then its rows wait for others.
        if let sitsOutUntil, sitsOutUntil > now { due = min(due, sitsOutUntil) }
        noteWork(now: now)
    }

    /// Notes since when it has owed something without a break.
    private func noteDebts(now: Instant) {
        let (owes, answers) = with { engine in
            (
                engine.books.dispatcher.owedSince(dialed: transports.dialTime) != nil,
                engine.connections.answerCount
            )
        }
        if answers != answersSeen || !owesAnything { owesSince = now }
        (owesAnything, answersSeen) = (owes, answers)
    }

    private func noteWork(now: Instant) {
        connections =
            sitsOutUntil == nil ? with { $0.books.dispatcher.connectionDemand.target } : 0
        workLeft = currentWork(now: now)
    }

    /// Takes no more rows, and ends when the present ones have their outcomes.
    func close(now: Instant) {
        isClosing = true
        turn(now: now)
        guard !isFinished else { return }
        // It was idle, so nothing is lost.
        engine?.abort(now: now)
        engine?.handLinesOver()
    }

    /// Fails its rows for a reason that is known from before.
    func giveUp(_ fault: HostFault, until end: Instant) {
        restsUntil = end
        engine?.giveHostUp(fault)
    }

    /// Leaves its connections to others as long as its rows wait.
    /// - Returns: False if they do not.
    func sitOut(now: Instant) -> Bool {
        let isInput = !rows.isEmpty
        guard let rest = with({ $0.rest(now: now, isInput: isInput) }) else { return false }
        waitsForDial = rest.isForDial
        leave(until: rest.until, now: now)
        return true
    }

    /// Leaves its connections to others when it has answered.
    func endTurn(now: Instant) {
        isLeaving = true
        engine?.beginToLeave()
        turn(now: now)
    }

    /// Waits for its name no longer; the look-up goes on, and may be of use when it tries again.
    func endLookup(now: Instant) {
        let time = NumberText.duration(
            milliseconds: Limits.hostLookupWanted.wholeNanoseconds / 1_000_000)
        engine?.endConnections(
            .transient(Statement("its name was not looked up within \(time), and others wait")),
            now: now)
        turn(now: now)
    }

    /// Leaves its place, as it has had it for long: its rows may go on at once, or wait besides.
    private func leaveBehindAnswers(now: Instant) {
        if !sitOut(now: now) { leave(until: now, now: now) }
    }

    private func leave(until end: Instant, now: Instant) {
        sitsOutUntil = end
        timesOut += 1
        engine?.sitOut(until: end, now: now)
        hasNews = true
        noteWork(now: now)
    }

    /// Goes on after it has sat out: there is a connection for it.
    func comeBack(now: Instant) {
        sitsOutUntil = nil
        waitsForDial = false
        placedSince = now
        owesAnything = false
        engine?.comeBack()
        hasNews = true
        noteWork(now: now)
    }

    /// Wants one connection less, of several.
    func wantOneLess(now: Instant) {
        engine?.wantOneLess()
        hasNews = true
        noteWork(now: now)
    }

    /// Gives the host up, and leaves its connections to others.
    ///
    /// It may be a good one, so that it gets another chance soon; later each time.
    /// - Parameters:
    ///   - reason: The reason.
    ///   - outcome: The outcome of its rows that were not sent.
    ///   - now: The time.
    func giveWay(_ reason: JobStop, _ outcome: Outcome, now: Instant) {
        sitsOutUntil = nil
        isLeaving = false
        restsUntil = now.advanced(by: Limits.hostRest(timesGivenWay: timesGivenWay))
        timesGivenWay += 1
        engine?.comeBack()
        engine?.drain(reason, outcome)
        engine?.endConnections(.silent(reason.statement), now: now)
        turn(now: now)
    }

    /// Lets it want as many connections more as there are, up to the most of a host.
    func bound(spare: Int, most: Int) {
        let wanted = connections + spare
        engine?.boundConnections(to: min(most, wanted))
    }

    /// Gives the host up if too many of its rows have an outcome that would stop a whole job.
    /// - Parameter rowCount: The rows of the route, when all have been read.
    func look(rowCount: UInt64?) {
        guard outcomeGuard.isWatching, fault.isEmpty else { return }
        let outcomes = with { engine in
            var outcomes = engine.books.report.tally.judged
            outcomes[.unknown] -= engine.books.report.interruptedCount
            return outcomes
        }
        guard let reason = outcomeGuard.check(outcomes, rowCount: rowCount) else { return }
        engine?.drain(reason)
        hasNews = true
    }

    func obey(isPaused: Bool, stop: JobStop?, isAborted: Bool) {
        hasNews = true
        engine?.pause(isPaused)
        if let stop { engine?.stopStarting(stop) }
        if isAborted {
            engine?.abort(now: owner.now)
            engine?.handLinesOver()
        }
    }

    func stoodStill(for nanoseconds: Int64) {
        engine?.stoodStill(for: nanoseconds)
        owesSince = owesSince.advanced(byNanoseconds: nanoseconds)
        placedSince = placedSince.advanced(byNanoseconds: nanoseconds)
        workLeft = .apart
    }

    /// Hands the host's events over to the log.
    func tellEvents(to log: EventLog?) {
        guard let log, let news = with({ $0.takeEvents() }) else { return }
        log.submit(news.events, dropped: news.dropped)
    }

    /// Lends the engine to look at it: a value that cannot be copied has to stay where it is.
    func with<Result>(_ body: (inout LaneEngine) -> Result) -> Result {
        guard let result = engine?.lend(to: body) else {
            preconditionFailure("BUG: a host without its engine")
        }
        return result
    }

    private func awake() -> Instant {
        hasNews = true
        return owner.awake()
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

    // MARK: Rows

    func nextBatch() -> RowBatch? { owner.next(of: rows) }

    func hasBatch(now: Instant) -> Bool { !rows.isEmpty }

    var isInputExhausted: Bool { rows.isEmpty && (isClosing || owner.hasNoMoreRows) }

    var isInputAsleep: Bool { rows.isEmpty && owner.isInputAsleep }

    func recycle(_ batch: RowBatch) {
        if batch.untaken.isEmpty { rows.recycle(batch) } else { owner.giveBack(batch) }
    }

    /// Rows of a host are for no other lane.
    func handBack(_ batch: RowBatch) { recycle(batch) }

    /// Its batches are its own, and come and go.
    func lendBatch() {}

    func discard(_ batch: RowBatch) { recycle(batch) }

    // MARK: Report and clock

    func emptyBlock() -> ReportBlock { owner.block(now: owner.now) }

    func submit(_ block: ReportBlock) { owner.keep(block) }

    var isReportBehind: Bool { owner.isReportBehind }

    var now: Instant { owner.now }

    var idleNanoseconds: Int64 { owner.idleNanoseconds }

    func unixMilliseconds(at now: Instant) -> Int64 { owner.unixMilliseconds(at: now) }

    // MARK: Others

    // The answers of other hosts prove nothing about this one.
    var isReached: Bool { false }

    var lastAnswerElsewhere: Instant? { nil }

    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }

    var lastAnswerOfOtherRoutes: Instant? { nil }

    /// Does nothing: each host that rows name speaks for itself.
    func providerAsks(toWaitUntil moment: Instant) {}

    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave { .any }

    func claimFirstRequest(now: Instant) -> Instant? { now }
}

extension LaneEngine {
    fileprivate mutating func lend<Result>(to body: (inout LaneEngine) -> Result) -> Result {
        body(&self)
    }
}
