import FanfareBase
import FanfareCore

/// Requests of several rows: the service says which may go together, and how many.
///
/// To the dispatcher such a request is that of its first row. The others are held meanwhile, each in its own
/// place, and end with it: each has an outcome, a mark and an attempt of its own.
struct SharedRequests: ~Copyable {
    private let inPlace = InPlace()
    /// Rows that wait for each other, and those on the way; empty where each has a request of its own.
    private var groups: RowGroups
    private unowned let environment: any LaneEnvironment
    /// True if the pace counts requests and not the rows in them.
    private let pacesRequests: Bool
    /// Rows that went with others, and have not had their permit of the pace.
    private var owedPermits = 0

    /// True if rows share requests.
    let isOn: Bool

    init(_ sharing: RequestSharing?, _ settings: LaneSettings, _ environment: any LaneEnvironment) {
        isOn = sharing != nil
        groups = RowGroups(sharing ?? RequestSharing(rowsMax: 1, linger: .zero))
        pacesRequests = settings.pacesRequests
        self.environment = environment
    }

    /// True if rows wait for others to go with.
    var isHolding: Bool { isOn && groups.waitingCount > 0 }

    /// True if the pace has to give permits first to rows that are under way.
    var owesPermits: Bool { owedPermits > 0 }

    /// Pays for one of those rows.
    mutating func paid() { owedPermits -= 1 }

    /// Returns the time from which rows wait no longer for others: the first behind the last turn.
    func deadline(behind lastTurn: Instant) -> Instant? {
        groups.deadline(behind: lastTurn)
    }

    // MARK: Starting

    /// Makes the next request.
    /// - Parameters:
    ///   - taker: The source of rows.
    ///   - books: The lane's books.
    ///   - goesAlone: True if its connection has one stream, and none in use.
    ///   - now: The time.
    /// - Returns: Its first row, whose request it is; `nil` when there is none now.
    mutating func next(
        _ taker: inout RowTaker, _ books: inout LaneBooks, goesAlone: Bool, now: Instant
    ) -> RequestID? {
        while let ids = nextGroup(&taker, &books, goesAlone: goesAlone, now: now) {
            if let first = assemble(ids, taker.requestMaker, &books) { return first }
        }
        return nil
    }

    /// The rows of the next request.
    private mutating func nextGroup(
        _ taker: inout RowTaker, _ books: inout LaneBooks, goesAlone: Bool, now: Instant
    ) -> [RequestID]? {
        if books.dispatcher.asksWithOneRow {
            let row =
                groups.takeOne() ?? nextRow(&taker, &books, goesAlone: goesAlone, now: now)
            return row.map { [$0] }
        }
        if let rows = groups.takeClosed() { return rows }
        while groups.hasRoom {
            guard let id = nextRow(&taker, &books, goesAlone: goesAlone, now: now) else {
                return groups.takeOldest(
                    now: now, isLast: isLast(taker, books))
            }
            let key = unsafe books.rows[id].bytes.bytes(books.rows[id].shareKey)
            if let full = unsafe groups.add(id, key, now: now) { return full }
        }
        return groups.takeOldest(now: now, isLast: true)
    }

    /// True if rows need not wait, since no other one comes while they would.
    private func isLast(_ taker: borrowing RowTaker, _ books: borrowing LaneBooks) -> Bool {
        guard taker.isAtEnd || environment.isInputAsleep else { return false }
        guard let due = groups.deadline(behind: .distantPast) else { return true }
        return !books.dispatcher.hasRetry(before: due)
    }

    /// The next row, which is held until it goes.
    private func nextRow(
        _ taker: inout RowTaker, _ books: inout LaneBooks, goesAlone: Bool, now: Instant
    ) -> RequestID? {
        if let id = books.nextReady(now: now) {
            books.dispatcher.board(id)
            return id
        }
        return books.dispatcher.mayTakeUp
            ? taker.take(&books, goesAlone: goesAlone, now: now) : nil
    }

    /// Makes one request of rows.
    /// - Returns: The first one, whose request it is; `nil` when they go in two requests.
    private mutating func assemble(
        _ ids: [RequestID], _ maker: (any RequestMaker)?, _ books: inout LaneBooks
    ) -> RequestID? {
        // The same rows make the same request, however they have come back.
        let ids = Self.inOrder(ids, books)
        guard let first = ids.first, let maker else { return nil }
        let fellows = Array(ids.dropFirst())
        let others = fellows.map { id in
            unsafe FellowRow(
                number: books.rows[id].number,
                token: books.rows[id].bytes.bytes(books.rows[id].token),
                values: books.rows[id].bytes.bytes(books.rows[id].values))
        }
        guard maker.makeRequest(of: &books.rows[first], with: others) || fellows.isEmpty else {
            groups.halve(ids)
            return nil
        }
        guard !fellows.isEmpty else { return first }
        // Before a byte of it can leave, as that of the first one.
        for id in fellows { books.mark(id) }
        if !pacesRequests { owedPermits += fellows.count }
        groups.board(fellows, on: first)
        return first
    }

    /// The same rows in the order of the input, in which they mostly are.
    private static func inOrder(_ ids: [RequestID], _ books: borrowing LaneBooks) -> [RequestID] {
        var last: UInt64 = 0
        for id in ids {
            guard books.rows[id].number > last else {
                return ids.sorted { books.rows[$0].number < books.rows[$1].number }
            }
            last = books.rows[id].number
        }
        return ids
    }

    /// Lets the rows wait that were to go on another one's request, which has to wait for room.
    mutating func postponed(_ id: RequestID, _ books: inout LaneBooks) {
        guard isOn, let fellows = groups.takeFellows(of: id) else { return }
        for fellow in fellows {
            books.unmark(fellow)
            books.dispatcher.postponed(fellow)
        }
        if !pacesRequests { owedPermits = max(owedPermits - fellows.count, 0) }
    }

    /// Rows that wait for others do so no longer: nothing starts any more.
    mutating func unboardAll(_ books: inout LaneBooks) {
        guard isOn else { return }
        for id in groups.takeAll() { books.dispatcher.postponed(id) }
    }

    // MARK: Ends

    /// Takes the rows that went on another one's request; `nil` if it went alone.
    mutating func takeFellows(of id: RequestID) -> [RequestID]? {
        isOn ? groups.takeFellows(of: id) : nil
    }

    /// Has rows go again in two requests, which a refusal has proved not to have been sent.
    mutating func split(_ ids: [RequestID], _ books: inout LaneBooks) {
        for id in ids { books.unmark(id) }
        groups.halve(ids)
    }
}
