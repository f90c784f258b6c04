import FanfareBase
import FanfareCore

/// One lane without its sockets, files and clock: rows in, requests out, answers in, report lines out.
///
/// The lane's driver tells it what has happened (`transportOpened`, `received`, …), then calls `turn`
/// once, and everything that follows from all of it is done there: callbacks record, the turn acts.
/// The deterministic simulation drives the same type with pipes in memory and a virtual clock.
///
/// ```
///  LaneBooks          requests, rows, report, log, course: lent to all the others
///    RowSupply        the next request: RowTaker, SharedRequests, LanePace
///    ConnectionKeeper connections, and what ends on them: AttemptDesk, ProviderWatch
///      RequestStarter puts the ones on the others
/// ```
///
/// Use only on its lane's thread. A value in its driver and not an object: as an object each of its
/// properties would cost an exclusivity check per access, 27 for a row. This way there is one check
/// per call of the driver's, which is also what proves that the environment does not call back.
struct LaneEngine: ~Copyable {
    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    /// True if the provider is asked about rows; otherwise they have their outcome without it.
    private let isAsked: Bool
    private let lanes: Int
    /// The host's name, where rows name it.
    private let hostName: String

    private(set) var books: LaneBooks
    private(set) var supply: RowSupply
    private(set) var connections: ConnectionKeeper
    private var starter: RequestStarter
    private(set) var limits: LimitClock
    /// The time of the last turn.
    private var lastTurn = Instant.distantPast

    /// - Parameters:
    ///   - settings: The settings of the lane.
    ///   - environment: Its driver.
    ///   - seed: The seed of its random numbers.
    ///   - buffers: The buffers of its connections, which hosts of one lane share.
    init(
        settings: LaneSettings, environment: any LaneEnvironment, seed: UInt64,
        buffers: SharedBuffers = SharedBuffers()
    ) {
        self.environment = environment
        isAsked = settings.connection.service.isAsked
        lanes = settings.dispatch.lanes
        hostName = settings.hostName
        books = LaneBooks(settings, environment, seed: seed)
        supply = RowSupply(settings, environment)
        connections = ConnectionKeeper(settings, environment, books, sharing: buffers)
        starter = RequestStarter(environment)
        limits = LimitClock(
            .connecting, now: environment.now, idle: environment.idleNanoseconds)
    }

    // MARK: Turns

    /// Acts on everything that has happened since the last turn.
    mutating func turn(now: Instant) {
        guard !books.course.isFinished else { return }
        lastTurn = now
        limits.count(now: now, idle: environment.idleNanoseconds)
        connections.drainAllEvents(&books, &supply, now: now)
        // This comes before the requests: a request that could not leave has no answer to wait for.
        connections.endBlocked(&books, &supply, now: now)
        connections.endOverdueRequests(&books, &supply, now: now)
        connections.endOverdueDials(&books, &supply, now: now)
        connections.watchSilence(&books, &supply, now: now)
        connections.endUseless(&books, &supply, now: now)
        connections.retireOld(&books, &supply, now: now)
        if environment.isInputAsleep, books.dispatcher.isIdle {
            connections.retireIdle(&books, &supply, now: now)
        }
        connections.watch.endPatience(&books, &supply, now: now)
        connections.watch.endRefusals(&books, &supply, now: now)
        supply.skipLateRows(&books, now: now)
        if !isAsked { supply.passRows(&books, now: now) }
        limits.hold(startRequests(now: now))
        connections.watch.lookForPause(&books, &supply, now: now)
        openConnections(now: now)
        connections.flushAll(&books, &supply, now: now)
        books.report.submitIfOld(now: now)
        handRowsBack(now: now)
        finishIfDone(now: now)
        if books.observer.isLogging { tellLog(now: now) }
    }

    /// Returns the time at which `turn` has to be called even if nothing happens until then.
    func nextDeadline(now: Instant) -> Instant? {
        guard !books.course.isFinished else { return nil }
        var next = books.dispatcher.nextDeadline(now: now) ?? .distantFuture
        if let end = books.course.deadline(now: now) { next = min(next, end) }
        if let end = connections.watch.deadline(books, now: now) { next = min(next, end) }
        if let due = supply.deadline(books.course, lastTurn: lastTurn, now: now) {
            next = min(next, due)
        }
        if let due = books.report.deadline { next = min(next, due) }
        return next == .distantFuture ? nil : next
    }

    /// - Returns: The cause that allowed no more.
    private mutating func startRequests(now: Instant) -> Limitation {
        guard books.course.mayStart(now: now) else {
            return books.course.isPaused ? .pause : .lastAnswers
        }
        books.report.lookAtWriter()
        guard isAsked else {
            return books.report.isBehind ? .output : supply.isAtEnd ? .lastAnswers : .input
        }
        return starter.start(&books, &supply, &connections, now: now)
    }

    private mutating func openConnections(now: Instant) {
        let isOfUse = isAsked && books.course.mayStart(now: now) && !hasNothingToSend
        connections.open(&books, isOfUse: isOfUse, limits.times, now: now)
    }

    /// True if there is no reason to dial: an input that is slow, or at its end.
    private var hasNothingToSend: Bool {
        (supply.isAtEnd || environment.isInputAsleep) && books.dispatcher.isIdle
    }

    /// Leaves rows that this lane cannot send to the others: it has no connection that answers.
    ///
    /// If a gateway takes fewer connections than there are lanes, the others finish the job. In
    /// good times another connection soon replaces the lost one, and the rows stay.
    private mutating func handRowsBack(now: Instant) {
        guard isAsked, lanes > 1,
            connections.answerCount == 0 || books.dispatcher.patience.since != nil,
            books.course.mayStart(now: now), supply.hasUntaken, !books.dispatcher.sendsRows
        else { return }
        supply.handBack()
    }

    private mutating func finishIfDone(now: Instant) {
        if books.course.stop != nil { supply.leaveWaitingRows(&books, now: now) }
        guard books.dispatcher.isIdle,
            books.course.stop != nil || supply.isAtEnd || supply.isOver(now: now)
        else { return }
        books.course.finish()
        books.observer.finished(now: now)
        for index in connections.indices {
            connections.sayGoodbye(index, &books, &supply, now: now)
            // One that is not up yet has no peer to say good-bye to.
            connections.end(index, .ours("finished"), &books, &supply, now: now)
        }
        books.report.submit()
    }

    /// Logs the events of a turn.
    private mutating func tellLog(now: Instant) {
        for index in connections.indices {
            books.observer.tellFrames(of: connections[index], index)
        }
        if let reason = books.course.takeUntold() {
            books.observer.note(
                "host_given_up", .warning, now: now,
                [.init("host", hostName), .init("reason", reason.logStatement)])
        }
        books.observer.turnEnded(isLast: books.course.isFinished, now: now)
        connections.watch.tellLog(&books, now: now)
    }

    // MARK: Orders

    /// Starts nothing new; requests in flight may still be answered.
    ///
    /// Where rows name the host, it alone is given up.
    mutating func drain(_ reason: JobStop, _ outcome: Outcome = .failed) {
        books.course.drain(reason, outcome)
    }

    /// Sets the most connections that it may want.
    mutating func boundConnections(to most: Int) {
        books.dispatcher.boundConnections(to: most)
    }

    /// Starts nothing new, because the whole job stops.
    mutating func stopStarting(_ reason: JobStop) { books.course.stopStarting(reason) }

    /// Gives a host up that rows name, for a reason that is known already.
    mutating func giveHostUp(_ fault: HostFault) { books.course.giveHostUp(fault) }

    /// Wants one connection less, of several.
    mutating func wantOneLess() { books.dispatcher.wantOneLess() }

    /// Starts nothing more until the host comes back; answers are waited for.
    mutating func beginToLeave() {
        books.course.sitOut(until: .distantFuture)
        // Its place in the line for the pace is for others.
        supply.settlePace()
    }

    /// Closes the connections, of which none has anything in flight, and starts nothing until the host comes back.
    mutating func sitOut(until end: Instant, now: Instant) {
        books.course.sitOut(until: end)
        supply.settlePace()
        connections.retireIdle(&books, &supply, now: now)
        books.dispatcher.beginConnectionsAnew()
    }

    /// Goes on after it has sat out.
    mutating func comeBack() { books.course.sitOut(until: nil) }

    /// Ends the connections of a host that was given up: requests in flight are in doubt.
    mutating func endConnections(_ failure: ConnectionFailure, now: Instant) {
        connections.drainAllEvents(&books, &supply, now: now)
        for index in connections.indices {
            connections.end(index, failure, &books, &supply, now: now)
        }
    }

    /// Hands the lines of this turn over: the hosts of a lane fill one block by turns.
    mutating func handLinesOver() { books.report.submit() }

    /// Starts nothing for now, or goes on.
    mutating func pause(_ isOn: Bool) { books.course.pause(isOn) }

    /// Ends at once: requests in flight are in doubt and reported so.
    mutating func abort(now: Instant) {
        guard !books.course.isFinished else { return }
        // Events that have arrived still count: answers are answers.
        connections.drainAllEvents(&books, &supply, now: now)
        books.observer.aborted()
        for index in connections.indices {
            connections.end(index, .ours("the job was aborted"), &books, &supply, now: now)
        }
        finishIfDone(now: now)
    }

    /// The process did not run for so many nanoseconds, in which the provider could not answer.
    mutating func stoodStill(for nanoseconds: Int64) {
        books.dispatcher.patience.stoodStill(for: nanoseconds)
        books.dispatcher.patience.isBlameless(until: environment.now)
        books.dispatcher.verdicts.stoodStill(for: nanoseconds)
    }

    // MARK: Facts from the transport

    /// A transport is up: TLS and HTTP begin.
    mutating func transportOpened(_ index: Int, now: Instant) {
        connections.transportOpened(index, &books, &supply, now: now)
    }

    /// Bytes have arrived: they are recorded, and `turn` acts on them.
    mutating func received(_ bytes: UnsafeRawBufferPointer, on index: Int, now: Instant) {
        unsafe connections.received(bytes, on: index, &books, &supply, now: now)
    }

    /// The transport takes bytes again.
    mutating func transportWritable(_ index: Int, now: Instant) {
        connections.transportWritable(index, &books, now: now)
    }

    /// The peer has ended a transport in good order; `transportClosed` follows.
    mutating func transportEnded(_ index: Int) {
        connections[index]?.transportEnded()
    }

    /// A transport could not be opened, or is gone.
    mutating func transportClosed(_ index: Int, _ failure: ConnectionFailure, now: Instant) {
        connections.transportClosed(index, failure, &books, &supply, now: now)
    }

    // MARK: What the driver tells others

    /// The reason why no new requests start, if there is one.
    var stop: JobStop? { books.course.stop }
    var isPaused: Bool { books.course.isPaused }
    var isFinished: Bool { books.course.isFinished }
    /// True if it has no row to send, and waits for no answer.
    var isResting: Bool { books.dispatcher.isIdle && !supply.hasUntaken }
    /// The time in which its rows wait, and nothing is under way; `nil` if anything is, or may be.
    func rest(now: Instant, isInput: Bool) -> Dispatcher.Rest? {
        books.dispatcher.rest(hasUntaken: isInput || supply.hasUntaken, now: now)
    }
    /// True if the pace keeps its rows.
    var waitsForPace: Bool { supply.waitsForPace }

    /// Hands over the events for the log; `nil` if there are none.
    mutating func takeEvents() -> (events: [LogEvent], dropped: UInt64)? {
        books.observer.takeEvents()
    }
}
