import FanfareBase
import FanfareCore

/// The supply of requests: rows that come back, rows of the input, and the pace that lets them start.
struct RowSupply: ~Copyable {
    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    private var taker: RowTaker
    private var shared: SharedRequests
    private var pace: LanePace
    /// True if rows are left for the next turn, of those that the provider is not asked about.
    private(set) var hasRowsToPass = false

    init(_ settings: LaneSettings, _ environment: any LaneEnvironment) {
        self.environment = environment
        taker = RowTaker(settings, environment)
        shared = SharedRequests(taker.requestMaker?.sharing, settings, environment)
        pace = settings.pace
    }

    // MARK: Whether there are any

    /// True if every row of the input has been taken up.
    var isAtEnd: Bool { taker.isAtEnd }

    /// True if any batch at hand has a row that was not taken up.
    var hasUntaken: Bool { taker.hasUntaken }

    /// The batches that are kept, emptied ones included.
    var batchCount: Int { taker.batchCount }

    /// Returns true if a request would start now if a connection had room.
    /// - Parameters:
    ///   - books: The lane's books.
    ///   - takesBatch: True if rows may be taken for that: not where no connection has room for
    ///     them.
    ///   - now: The time.
    /// - Returns: True if one would.
    mutating func hasRow(
        _ books: borrowing LaneBooks, takesBatch: Bool = true, now: Instant
    ) -> Bool {
        guard books.course.mayStart(now: now) else { return false }
        if books.dispatcher.hasReady(now: now) || shared.isHolding { return true }
        return !books.report.isBehind && books.dispatcher.mayTakeUp
            && taker.hasRow(takesBatch: takesBatch, now: now)
    }

    /// True if the pace keeps rows.
    var waitsForPace: Bool { pace.next != nil }

    /// Returns true if rows wait that the pace does not hold.
    mutating func hasRowBeforePace(_ books: borrowing LaneBooks, now: Instant) -> Bool {
        pace.next == nil && hasRow(books, takesBatch: false, now: now)
    }

    /// Returns the cause that keeps rows from a connection that has room.
    mutating func whyNoRequest(_ books: borrowing LaneBooks, now: Instant) -> Limitation {
        if books.report.isBehind { return .output }
        if pace.permits == 0, hasRow(books, now: now) { return .pace }
        if books.dispatcher.waitingCount > 0, !books.dispatcher.mayTakeUp || isAtEnd {
            return .retries
        }
        if environment.isInputAsleep { return .window }
        return isAtEnd ? .lastAnswers : .input
    }

    /// Returns true if a load test starts nothing any more.
    func isOver(now: Instant) -> Bool { pace.isOver(now: now) }

    /// Returns the time at which a request may start though nothing happens until then.
    func deadline(_ course: borrowing LaneCourse, lastTurn: Instant, now: Instant) -> Instant? {
        var next = hasRowsToPass ? now : Instant.distantFuture
        if course.mayStart(now: now) {
            if let permit = pace.next { next = min(next, permit) }
            if shared.isOn, let due = shared.deadline(behind: lastTurn) { next = min(next, due) }
        }
        return next == .distantFuture ? nil : next
    }

    // MARK: Requests

    /// The next request to send, or `nil` when there is none now, or no permit for it.
    ///
    /// Those that were refused or have waited long enough come first, then the next good row, and last those
    /// that may be what ends connections.
    /// - Parameters:
    ///   - books: The lane's books.
    ///   - goesAlone: Its connection has one stream, and none in use.
    ///   - isNew: True if its connection has not answered any yet.
    ///   - now: The time.
    /// - Returns: Its number.
    mutating func next(
        _ books: inout LaneBooks, goesAlone: Bool, onNew isNew: Bool, now: Instant
    ) -> RequestID? {
        guard hasPermit(books) else { return nil }
        guard !shared.isOn else {
            guard paysForFellows(books) else { return nil }
            if let id = shared.next(&taker, &books, goesAlone: goesAlone, now: now) { return id }
            guard books.dispatcher.nextSuspect() != nil else { return nil }
            return shared.next(&taker, &books, goesAlone: goesAlone, now: now)
        }
        if let id = books.nextReady(now: now) {
            // One whose connection was cut may be the reason: another one shows first that this connection is
            // good.
            if isNew, books.dispatcher.wasCut(id), books.dispatcher.mayTakeUpFirst,
                let other = taker.take(&books, goesAlone: goesAlone, now: now)
            {
                return other
            }
            taker.renewRequest(id, &books)
            return id
        }
        if books.dispatcher.mayTakeUp,
            let id = taker.take(&books, goesAlone: goesAlone, now: now)
        {
            return id
        }
        guard books.dispatcher.nextSuspect() != nil, let id = books.nextReady(now: now) else {
            return nil
        }
        taker.renewRequest(id, &books)
        return id
    }

    /// Returns true if all rows that went with others have their permits of the pace.
    private mutating func paysForFellows(_ books: borrowing LaneBooks) -> Bool {
        while shared.owesPermits, hasPermit(books) {
            pace.started()
            shared.paid()
        }
        return !shared.owesPermits && hasPermit(books)
    }

    /// Returns true if the pace lets a request start, if there is one.
    private mutating func hasPermit(_ books: borrowing LaneBooks) -> Bool {
        if pace.permits > 0 { return true }
        guard books.dispatcher.inFlightCount < pace.inFlightMax else { return false }
        // A request that a load test has started has its permit, also when a GOAWAY sends it back.
        if books.observer.isMetered && books.dispatcher.isNextRepeated { return true }
        let now = environment.now
        return hasRow(books, now: now) && pace.ask(now: now)
    }

    /// A request has to wait for room, with all rows that were to go on it.
    mutating func postponed(_ id: RequestID, _ books: inout LaneBooks) {
        books.dispatcher.postponed(id)
        shared.postponed(id, &books)
    }

    /// A request went on the wire.
    mutating func started(_ id: RequestID, _ books: borrowing LaneBooks, now: Instant) {
        guard books.observer.isMetered else { return pace.started() }
        // One of a load test that went on the wire before is the same request.
        guard !books.dispatcher.isRepeated(id) else { return }
        // There is no permit for a row behind one that came back and was given up.
        if pace.permits > 0 { pace.started() }
        books.observer.started(id, due: pace.due, now: now)
    }

    /// The turn starts no further requests.
    mutating func settlePace() {
        pace.settle(now: environment.now)
    }

    // MARK: Ends

    /// Hears of an answer that was the last word about a row.
    mutating func answered(isRejection: Bool) { taker.answered(isRejection: isRejection) }

    /// Takes the rows that went on another one's request; `nil` if it went alone.
    mutating func takeFellows(of id: RequestID) -> [RequestID]? { shared.takeFellows(of: id) }

    /// Has rows go again in two requests, which a refusal has proved not to have been sent.
    mutating func split(_ ids: [RequestID], _ books: inout LaneBooks) {
        shared.split(ids, &books)
    }

    // MARK: Rows without a request

    /// Gives the rows that have not started by the deadline their outcome, and those that come.
    mutating func skipLateRows(_ books: inout LaneBooks, now: Instant) {
        guard books.course.stop == nil, now >= books.course.until else { return }
        books.report.lookAtWriter()
        shared.unboardAll(&books)
        while !books.report.isBehind, let id = books.dispatcher.giveUpNext() {
            books.reportGivenUp(id, now: now)
        }
        while !books.report.isBehind, let id = taker.take(&books, now: now) {
            books.reportSkipped(id, .deadlinePassed, now: now)
        }
    }

    /// Gives good rows their outcome where the provider is not asked about them.
    ///
    /// Some in each turn, because other lanes have the same thread.
    mutating func passRows(_ books: inout LaneBooks, now: Instant) {
        hasRowsToPass = false
        guard books.course.mayStart(now: now) else { return }
        books.report.lookAtWriter()
        for _ in 0..<Limits.rowsPassedAtOnce {
            guard !books.report.isBehind, let id = taker.take(&books, now: now) else { return }
            books.reportValid(id, now: now)
        }
        hasRowsToPass = true
    }

    /// Leaves the rows at hand to the lanes that can send them.
    mutating func handBack() { taker.handBack() }

    /// The job has stopped: rows that were not on the wire are left for another time.
    mutating func leaveWaitingRows(_ books: inout LaneBooks, now: Instant) {
        shared.unboardAll(&books)
        books.leaveWaitingRows(now: now)
        taker.giveBack()
    }
}
