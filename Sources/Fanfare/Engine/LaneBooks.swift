import FanfareBase
import FanfareCore

/// The books of a lane: its requests, their rows, the report, the log, and whether it goes on.
///
/// The engine owns them and lends them to its other parts, which have only state of their own
/// beside them. Each of the books keeps its own state to itself; what is here is what concerns
/// several of them: a row that has its outcome leaves the rows, the dispatcher and the marks.
struct LaneBooks: ~Copyable {
    private let inPlace = InPlace()
    var dispatcher: Dispatcher
    var rows = PreparedRows()
    /// Lines and tally.
    var report: ReportDesk
    /// The observer: the log, the meter of a load test, a user who tries something out.
    var observer: LaneObserver
    var course: LaneCourse
    let wall: WallTime

    /// Says which rows may be on the wire, for the run that carries the job on; `nil` if none will.
    private let marks: StartMarks?
    /// The job's own expiration, for rows that bring none.
    private let jobExpiration: Instant
    private let provider: ProviderKind?
    /// Rows taken up that got no outcome because the job stopped: they are as if never read.
    private(set) var rowsLeft: UInt64 = 0

    init(_ settings: LaneSettings, _ environment: any LaneEnvironment, seed: UInt64) {
        wall = WallTime(environment)
        dispatcher = Dispatcher(settings: settings.dispatch, seed: seed)
        report = ReportDesk(settings.preparation, environment, wall)
        observer = LaneObserver(settings, wall)
        course = LaneCourse(
            until: settings.untilMilliseconds.map(wall.moment(unixMilliseconds:))
                ?? .distantFuture,
            isHostOfRows: settings.isHostOfRows)
        marks = settings.marks
        jobExpiration = wall.expiration(unixSeconds: settings.connection.service.expiration)
        provider = settings.connection.service.provider
    }

    // MARK: Times

    /// Returns true if a row's notification has no end, as most have none.
    func isEndless(_ id: RequestID) -> Bool {
        !rows[id].hasExpiration && jobExpiration == .distantFuture
    }

    /// Returns the moment from which on a row's notification is of no use.
    func expiration(of id: RequestID) -> Instant {
        rows[id].expiration.map(wall.expiration(unixSeconds:)) ?? jobExpiration
    }

    /// Returns the latest start of another attempt: the deadline, or the notification's expiration.
    func lastStart(of id: RequestID) -> Instant {
        min(course.until, expiration(of: id))
    }

    /// Returns the latest start of another attempt than the one that has ended.
    func lastStart(of id: RequestID, after attempt: Attempt) -> Instant {
        if case .answeredFinally = attempt.end { return .distantFuture }
        return lastStart(of: id)
    }

    // MARK: Marks

    /// Notes that a row's request may be on the wire, before a byte of it can be.
    ///
    /// So a killed process never leaves less than the truth.
    func mark(_ id: RequestID) {
        marks?.set(rows[id].number)
    }

    /// Notes that the provider cannot have acted on a row's request, so that another run may send
    /// it.
    ///
    /// It does nothing if an earlier attempt is still in doubt.
    func unmark(_ id: RequestID) {
        if let marks, !dispatcher.wasInDoubt(id) { marks.clear(rows[id].number) }
    }

    // MARK: Rows that wait

    /// The request that has been ready longest; those whose time is over are reported on the way.
    mutating func nextReady(now: Instant) -> RequestID? {
        while let id = dispatcher.nextReady(now: now) {
            guard now >= dispatcher.lastStart(of: id) else { return id }
            dispatcher.giveUp(id)
            reportGivenUp(id, now: now)
        }
        return nil
    }

    /// Leaves rows that were not on the wire when the job stopped for another time.
    mutating func leaveWaitingRows(now: Instant) {
        while let id = dispatcher.giveUpNext() {
            observer.leftUnfinished(id, dispatcher.request(id), now: now)
            leave(id)
        }
    }

    private mutating func leave(_ id: RequestID) {
        dispatcher.finished(id)
        rowsLeft += 1
    }

    // MARK: Outcomes

    /// Settles a row whose attempt has ended.
    /// - Parameters:
    ///   - id: The row.
    ///   - attempt: Its attempt.
    ///   - job: The meaning for the job.
    ///   - action: The action on the row.
    ///   - sharing: The row's place among those that one answer is about.
    ///   - now: The time.
    @inline(__always)
    mutating func settle(
        _ id: RequestID, _ attempt: Attempt, _ job: ResponseClass.Job,
        _ action: Dispatcher.EndedAction, _ sharing: SharedOutcome = .none, now: Instant
    ) {
        switch (job, action) {
        case (.stop, let action):
            // Left for later, a row that may have been sent would be sent again by a job that is carried on.
            guard !course.isHostOfRows, attempt.class.retry != .inDoubt else {
                return settleAndStop(id, attempt, action, now: now)
            }
            unmark(id)
            refused(id, attempt)
            if case .report = action { leave(id) }
        case (.goOn, .later), (.stopAtStart, .later):
            unmark(id)
            remember(attempt, of: id, now: now)
        case (.goOn, .report), (.stopAtStart, .report):
            report.ended(rows[id], dispatcher.request(id), attempt, sharing, now: now)
            dispatcher.finished(id)
        }
    }

    /// Settles a row whose answer would be the same for all others, and which has its outcome nevertheless.
    ///
    /// A host of rows speaks for itself alone: otherwise a single one in a list could stop the rows of all
    /// the others.
    private mutating func settleAndStop(
        _ id: RequestID, _ attempt: Attempt, _ action: Dispatcher.EndedAction, now: Instant
    ) {
        refused(id, attempt)
        if case .report = action {
            report.ended(rows[id], dispatcher.request(id), attempt, now: now)
            dispatcher.finished(id)
        } else {
            unmark(id)
            remember(attempt, of: id, now: now)
        }
    }

    /// Gives a host that rows name up, if it asks for a longer wait than such hosts are given.
    /// - Parameters:
    ///   - wish: The wait that an answer asks for.
    ///   - attempt: The attempt that the answer is to.
    mutating func hears(_ wish: Duration, in attempt: Attempt) {
        guard course.isHostOfRows, !dispatcher.settings.retry.grants(wish) else { return }
        let time = NumberText.duration(milliseconds: wish.wholeNanoseconds / 1_000_000)
        course.drain(
            JobStop(
                .refused, "it answers \(Int(attempt.status)) and asks for a wait of \(time)"),
            .throttled)
    }

    /// Every other row would get the same answer: the job stops, and the row is left for later.
    private mutating func refused(_ id: RequestID, _ attempt: Attempt) {
        unsafe course.drain(
            JobStop(
                refused: rows[id].number, status: attempt.status, reason: attempt.reason,
                by: provider))
    }

    /// Keeps the facts of an attempt, in case there is no other.
    private mutating func remember(_ attempt: Attempt, of id: RequestID, now: Instant) {
        guard attempt.isCounted else { return }
        var answer = PreparedRow.LastAnswer()
        answer.class = attempt.class
        answer.status = attempt.status
        answer.latencyNanoseconds = now.nanoseconds(since: dispatcher.start(of: id))
        unsafe rows[id].remember(answer, reason: attempt.reason, messageID: attempt.messageID)
    }

    /// Reports a row whose time is over, with the facts of its last attempt, and forgets it.
    mutating func reportGivenUp(_ id: RequestID, now: Instant) {
        let request = dispatcher.request(id)
        observer.leftUnfinished(id, request, now: now)
        guard request.attempts > 0 else {
            let isExpired = now < course.until
            return reportSkipped(id, isExpired ? .expirationPassed : .deadlinePassed, now: now)
        }
        let last = rows[id].lastAnswer
        var attempt = Attempt()
        attempt.class = last.class
        attempt.status = last.status
        unsafe attempt.reason = rows[id].bytes.bytes(last.reason)
        unsafe attempt.messageID = rows[id].bytes.bytes(last.messageID)
        let ended = request.startedAt.advanced(byNanoseconds: last.latencyNanoseconds)
        report.ended(rows[id], request, attempt, now: ended)
        dispatcher.finished(id)
    }

    /// Reports a row that was not started in time, and forgets it.
    mutating func reportSkipped(_ id: RequestID, _ problem: RowProblem, now: Instant) {
        if course.hostFault.isEmpty {
            report.skipped(rows[id], problem, now: now)
        } else {
            report.hostGivenUp(rows[id], course.hostFault, now: now)
        }
        dispatcher.finished(id)
    }

    /// Reports a good row that the provider is not asked about, and forgets it.
    mutating func reportValid(_ id: RequestID, now: Instant) {
        report.valid(rows[id], now: now)
        dispatcher.finished(id)
    }
}
