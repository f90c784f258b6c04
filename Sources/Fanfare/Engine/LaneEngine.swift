import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON
import FanfareTLS

/// One lane without its sockets, files and clock: rows in, requests out, answers in, report lines out.
///
/// The lane's driver tells it what has happened (`transportOpened`, `received`, …), then calls `turn`
/// once, and everything that follows from all of it is done there: callbacks record, the turn acts.
/// The deterministic simulation drives the same type with pipes in memory and a virtual clock.
///
/// Use only on its lane's thread. A value in its driver and not an object: as an object each of its
/// properties would cost an exclusivity check per access, 27 for a row. This way there is one check
/// per call of the driver's, which is also what proves that the environment does not call back.
struct LaneEngine: ~Copyable {
    private let inPlace = InPlace()
    let settings: LaneSettings
    unowned let environment: any LaneEnvironment
    let wall: WallTime

    var dispatcher: Dispatcher
    var pace: LanePace
    var limits: LimitClock
    var rows = PreparedRows()
    var preparer: RowPreparer
    var connections: [ClientConnection?]
    let buffers = SharedBuffers()
    var reader: AnswerReader
    /// Lines and tally.
    var report: ReportDesk
    var latency = LatencyHistogram()
    /// The attempts that have ended, without provably unprocessed ones, by the meanings of their
    /// ends.
    var attemptOutcomes = OutcomeCounts()
    /// Says which rows may be on the wire, for the run that carries the job on; `nil` if none will.
    let marks: StartMarks?

    /// The observer: the log, the meter of a load test, a user who tries something out.
    var observer: LaneObserver

    /// The rows that are taken up next.
    var intake: RowIntake
    /// The connection that is offered requests first; it moves on, so that all get their share.
    var firstConnection = 0

    /// The moment from which on no request starts.
    let until: Instant
    /// The job's own expiration, for rows that bring none.
    let jobExpiration: Instant

    var firstAnswers = FirstAnswers()
    /// The faults of the provider.
    var complaints = Complaints()

    /// The reason why no new requests start, if there is one.
    private(set) var stop: JobStop?
    /// True if no requests start for now; requests in flight are answered, and time goes on.
    var isPaused = false
    private(set) var isFinished = false

    /// Rows that share requests; empty where each has one of its own.
    var groups: RowGroups
    /// True if rows share requests.
    let isSharing: Bool
    /// Rows that went with others, and have not had their permit of the pace.
    var owedPermits = 0
    /// The time of the last turn.
    private var lastTurn = Instant.distantPast

    /// True if the provider is asked about rows; otherwise they have their outcome without it.
    let isAsked: Bool
    /// True if connections wait for a credential.
    var lacksCredential = false
    /// True if rows are left for the next turn, of those that the provider is not asked about.
    var hasRowsToPass = false

    /// Rows taken up that got no outcome because the job stopped: they are as if never read.
    var rowsLeft: UInt64 = 0

    init(settings: LaneSettings, environment: any LaneEnvironment, seed: UInt64) {
        self.settings = settings
        self.environment = environment
        dispatcher = Dispatcher(settings: settings.dispatch, seed: seed)
        pace = settings.pace
        limits = LimitClock(
            .connecting, now: environment.now, idle: environment.idleNanoseconds)
        marks = settings.marks
        preparer = RowPreparer(settings.preparation, settings.connection.service)
        intake = RowIntake(environment, streams: settings.dispatch.streamsPerConnection)
        connections = Array(repeating: nil, count: dispatcher.connectionPlaces)
        wall = WallTime(environment)
        observer = LaneObserver(settings, wall)
        reader = AnswerReader(settings.connection.service, wall)
        report = ReportDesk(settings.preparation, environment, wall)
        isAsked = settings.connection.service.isAsked
        let sharing = preparer.requestMaker?.sharing
        isSharing = sharing != nil
        groups = RowGroups(sharing ?? RequestSharing(rowsMax: 1, linger: .zero))
        until =
            settings.untilMilliseconds.map(wall.moment(unixMilliseconds:)) ?? .distantFuture
        jobExpiration = wall.expiration(
            unixSeconds: settings.connection.service.expiration)
    }

    /// Acts on everything that has happened since the last turn.
    mutating func turn(now: Instant) {
        guard !isFinished else { return }
        lastTurn = now
        limits.count(now: now, idle: environment.idleNanoseconds)
        drainAllEvents(now: now)
        // This comes before the requests: a request that could not leave has no answer to wait for.
        endBlockedConnections(now: now)
        endOverdueRequests(now: now)
        endOverdueDials(now: now)
        watchSilence(now: now)
        endUselessConnections(now: now)
        retireOldConnections(now: now)
        closeIdleConnections(now: now)
        endPatience(now: now)
        endRefusals(now: now)
        skipLateRows(now: now)
        if !isAsked { passRows(now: now) }
        limits.hold(startRequests(now: now))
        openConnections(now: now)
        flushAll(now: now)
        report.submitIfOld(now: now)
        handRowsBack(now: now)
        finishIfDone(now: now)
        if observer.isLogging { tellLog(now: now) }
    }

    /// Starts nothing new; requests in flight may still be answered.
    mutating func drain(_ reason: JobStop) {
        if stop == nil { stop = reason }
    }

    /// Ends at once: requests in flight are in doubt and reported so.
    mutating func abort(now: Instant) {
        guard !isFinished else { return }
        // Events that have arrived still count: answers are answers.
        drainAllEvents(now: now)
        observer.aborted()
        for connection in connections.indices {
            end(connection, .ours("the job was aborted"), now: now)
        }
        finishIfDone(now: now)
    }

    /// Returns the time at which `turn` has to be called even if nothing happens until then.
    func nextDeadline(now: Instant) -> Instant? {
        guard !isFinished else { return nil }
        var next = dispatcher.nextDeadline(now: now) ?? .distantFuture
        if now < until && stop == nil { next = min(next, until) }
        if let patienceEnd { next = min(next, patienceEnd) }
        if mayStart(now: now), let permit = pace.next { next = min(next, permit) }
        if let deadline = report.deadline { next = min(next, deadline) }
        if hasRowsToPass { next = min(next, now) }
        if isSharing, mayStart(now: now), let due = groups.deadline(behind: lastTurn) {
            next = min(next, due)
        }
        // The length of the trouble is shown, though nothing happens meanwhile.
        if lacksCredential { next = min(next, now.advanced(by: Limits.troubleBeforeProbes)) }
        return next == .distantFuture ? nil : next
    }

    private mutating func finishIfDone(now: Instant) {
        if stop != nil { leaveWaitingRows(now: now) }
        guard dispatcher.isIdle, stop != nil || hasNoMoreRows || pace.isOver(now: now) else {
            return
        }
        isFinished = true
        observer.finished(now: now)
        for connection in connections.indices {
            sayGoodbye(connection, now: now)
            // One that is not up yet has no peer to say good-bye to.
            end(connection, .ours("finished"), now: now)
        }
        report.submit()
    }

    /// Logs the events of a turn.
    private mutating func tellLog(now: Instant) {
        for index in connections.indices { observer.tellFrames(of: connections[index], index) }
        observer.turnEnded(isLast: isFinished, now: now)
        complaints.tell(lastingSilence, stop: stop, to: &observer, now: now)
        complaints.tell(credentialTrouble, stop: stop, to: &observer, now: now)
    }

    /// Rows that were not on the wire when the job stopped are left for another time.
    private mutating func leaveWaitingRows(now: Instant) {
        if isSharing { unboardAll() }
        while let id = dispatcher.giveUpNext() {
            observer.leftUnfinished(id, dispatcher.request(id), now: now)
            dispatcher.finished(id)
            rowsLeft += 1
        }
        intake.giveBack()
    }
}

/// The settings of a lane's engine.
struct LaneSettings: Sendable {
    var dispatch: DispatchSettings
    var preparation: PreparationSettings
    var connection: ConnectionSettings
    /// The pace that allows requests to start.
    var pace = LanePace()
    /// The marks of rows that are sent; `nil` for a job that cannot be resumed.
    var marks: StartMarks?
    /// True if the pace counts requests and not the rows in them.
    var pacesRequests = false
    /// The moment after which no request starts, in milliseconds of UNIX time; nil for none.
    var untilMilliseconds: Int64?
    /// The meter of a load test's requests.
    var meter: RequestMeter?
    /// True to keep the course over time.
    var keepsSeries = false
    /// The buffer of events for the log.
    var events = EventBuffer()
    /// Receives each exchange with the provider.
    var onExchange: (@Sendable (Exchange) -> Void)?
}

/// The reason why a connection ended.
enum ConnectionFailure: Equatable, Sendable {
    /// We ended it.
    case ours(Statement)
    /// The peer or the network ended it; another try may go better.
    case transient(Statement)
    /// It would fail in the same way every time: a certificate that is not trusted.
    case permanent(Statement)
    /// The peer shows no sign of life; another connection may.
    case silent(Statement)

    var text: Statement {
        switch self {
        case .ours(let text), .transient(let text), .permanent(let text), .silent(let text): text
        }
    }

    /// The meaning of the end for the requests on the connection.
    var end: AttemptEnding.ConnectionEnd {
        switch self {
        case .ours: .aborted
        case .transient, .permanent: .lost
        case .silent: .silent
        }
    }
}
