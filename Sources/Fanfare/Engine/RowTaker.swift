import FanfareBase
import FanfareCore

/// Takes up rows: from the batch into a request's place.
struct RowTaker: ~Copyable {
    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    private var preparer: RowPreparer
    /// The rows that are taken up next.
    private var intake: RowIntake
    private let resendsInDoubt: Bool

    init(_ settings: LaneSettings, _ environment: any LaneEnvironment) {
        self.environment = environment
        preparer = RowPreparer(settings.preparation, settings.connection.service)
        intake = RowIntake(environment, streams: settings.dispatch.streamsPerConnection)
        resendsInDoubt = settings.dispatch.resendsInDoubt
    }

    /// The maker of requests as a whole; `nil` where they are a payload and header fields.
    var requestMaker: (any RequestMaker)? { preparer.requestMaker }

    /// True if any batch at hand has a row that was not taken up.
    var hasUntaken: Bool { intake.hasUntaken }

    /// True if every row of the input has been taken up.
    var isAtEnd: Bool { !intake.hasUntaken && environment.isInputExhausted }

    /// The batches that are kept, emptied ones included.
    var batchCount: Int { intake.batchCount }

    /// Looks for a row: see `RowIntake.hasRow`.
    mutating func hasRow(takesBatch: Bool, now: Instant) -> Bool {
        intake.hasRow(takesBatch: takesBatch, now: now)
    }

    /// Hears of an answer that was the last word about a row.
    mutating func answered(isRejection: Bool) { intake.answered(isRejection: isRejection) }

    /// Leaves the rows at hand to the lanes that can send them.
    mutating func handBack() { intake.handBack() }

    /// Gives all batches back; no lane needs the rows that are left in them.
    mutating func giveBack() { intake.giveBack() }

    /// Makes the request of a row anew that was on the wire before, where requests are made as a whole.
    func renewRequest(_ id: RequestID, _ books: inout LaneBooks) {
        guard let maker = preparer.requestMaker, books.dispatcher.wasSent(id) else { return }
        maker.renewRequest(of: &books.rows[id])
    }

    /// Prepares the next row that can be sent; rows that cannot are reported on the way.
    /// - Parameters:
    ///   - books: The lane's books.
    ///   - goesAlone: True if the row goes on a connection that has one stream. Most of those had a
    ///     rejection, and wait for a success.
    ///   - now: The time.
    /// - Returns: The request's number, or `nil` when there is no row now.
    mutating func take(
        _ books: inout LaneBooks, goesAlone: Bool = false, now: Instant
    ) -> RequestID? {
        guard intake.hasRow(now: now) else { return nil }
        let id = books.dispatcher.takeUp()
        books.rows.makePlace(for: id)
        while !books.report.isBehind {
            let place = intake.take(
                goesAlone: goesAlone, connections: books.dispatcher.connectionPlaces,
                inFlight: books.dispatcher.inFlightCount, now: now)
            let isTaken = place.batch.use { batch in
                batch.fetch(place.index + 4)
                return take(batch, place.index, as: id, &books, now: now)
            }
            if isTaken { return id }
            guard intake.hasRow(now: now) else { break }
        }
        books.dispatcher.finished(id)
        return nil
    }

    /// - Returns: True to send the row; if not, no work is left for it.
    private mutating func take(
        _ batch: RowBatch, _ index: Int, as id: RequestID, _ books: inout LaneBooks, now: Instant
    ) -> Bool {
        let verdict = batch.verdict(ofRow: index)
        // Its line is in the report already, and counted with the run that wrote it; or it comes again.
        if verdict == .finished || verdict == .waiting { return false }
        books.report.tally.rowsRead += 1
        // A row that must not be sent is prepared, too: its own fault is reported first, since the
        // user can correct that. A fault by the rules of another provider does not matter.
        let lacksRoute = verdict.lacksRoute
        guard
            preparer.prepare(batch, index, lacksRoute: lacksRoute, into: &books.rows[id])
                || lacksRoute
        else {
            books.report.invalid(books.rows[id], preparer, now: now)
            return false
        }
        switch verdict {
        case .none, .finished, .waiting: break
        case .inDoubt, .inDoubtHeld:
            return resumes(id, mayRepeat: verdict == .inDoubt, &books, now: now)
        case .workerLost:
            books.report.interrupted(books.rows[id], isOwn: false, now: now)
            return false
        case .zoneUnknown:
            preparer.failZone(batch, index)
            books.report.invalid(books.rows[id], preparer, now: now)
            return false
        case .providerUnknown, .providerNotInJob, .tokenOfNoProvider:
            if let problem = verdict.problem { preparer.failRoute(problem, batch, index) }
            books.report.invalid(books.rows[id], preparer, now: now)
            return false
        case .duplicate, .suppressed, .late, .outsideWindow:
            if let problem = verdict.problem {
                books.report.skipped(books.rows[id], problem, now: now)
            }
            return false
        }
        return books.isEndless(id) || isInTime(id, &books, now: now)
    }

    /// Returns true to send a row again that an earlier run may have sent; if not, it is reported.
    private func resumes(
        _ id: RequestID, mayRepeat: Bool, _ books: inout LaneBooks, now: Instant
    ) -> Bool {
        // A notification after its expiration is of no use, and would only be a second one.
        let notAfter = books.lastStart(of: id)
        if mayRepeat && resendsInDoubt && now < notAfter {
            books.dispatcher.wasTried(id, notAfter: notAfter)
            return true
        }
        books.report.interrupted(books.rows[id], now: now)
        return false
    }

    /// Returns true if a row may start before its notification expires; otherwise the row is
    /// reported.
    ///
    /// The provider would take the notification, accept it, and drop it.
    private func isInTime(_ id: RequestID, _ books: inout LaneBooks, now: Instant) -> Bool {
        let expiration = books.expiration(of: id)
        guard now < expiration || now >= books.course.until else {
            books.report.skipped(books.rows[id], .expirationPassed, now: now)
            return false
        }
        if expiration < .distantFuture { books.dispatcher.expires(id, at: expiration) }
        return true
    }
}
