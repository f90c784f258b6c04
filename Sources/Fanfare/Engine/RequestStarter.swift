import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2

/// The start of requests: rows from the supply, on connections in turn.
struct RequestStarter: ~Copyable {
    /// The reason why a connection gets no further request.
    private enum Filled {
        /// There are no rows or permits for now.
        case noRequest
        case noRoom(Limitation)
    }

    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    /// The connection that is offered requests first; it moves on, so that all get their share.
    private var firstConnection = 0
    /// True if the first request of the route is one of this lane's.
    private var asksFirst = false

    init(_ environment: any LaneEnvironment) {
        self.environment = environment
    }

    /// Starts as many requests as connections, windows, rows and the pace allow.
    /// - Returns: The cause that allowed no more.
    mutating func start(
        _ books: inout LaneBooks, _ supply: inout RowSupply,
        _ connections: inout ConnectionKeeper, now: Instant
    ) -> Limitation {
        // Also where nothing may start: a lane that keeps its place at the pace would be woken for it.
        defer { supply.settlePace() }
        if books.dispatcher.isUnproven, !hasLeave(&books, answers: connections.answerCount, now) {
            books.observer.turned(isFull: false, now: now)
            return .connecting
        }
        if let limitation = books.dispatcher.standstill(now: now) {
            books.observer.turned(isFull: false, now: now)
            return limitation
        }
        let count = connections.indices.count
        let first = firstConnection
        firstConnection = (first + 1) % count
        var held: Limitation?
        for offset in 0..<count {
            let index = (first + offset) % count
            guard let connection = connections[index], connection.phase == .open else { continue }
            switch fill(connection, index, &books, &supply, &connections, now: now) {
            case .noRequest:
                books.observer.turned(isFull: false, now: now)
                return supply.whyNoRequest(books, now: now)
            // A connection that has to prove itself says nothing about the others.
            case .noRoom(.connecting): continue
            case .noRoom(let limitation): held = limitation
            }
        }
        books.observer.turned(isFull: true, now: now)
        if held == nil, environment.isInputAsleep, books.dispatcher.isIdle { return .window }
        return held ?? .connecting
    }

    /// Starts requests on one connection until it has no room.
    private mutating func fill(
        _ connection: ClientConnection, _ index: Int, _ books: inout LaneBooks,
        _ supply: inout RowSupply, _ connections: inout ConnectionKeeper, now: Instant
    ) -> Filled {
        var now = now
        let goesAlone = books.dispatcher.window(of: index).isCut
        // Once for all requests: a property that changes costs a check each time.
        let isSerial = connection.isSerial
        let isNew = !books.dispatcher[connection: index].hasAnswered
        while !connection.isBlocked && books.dispatcher.room(on: index) > 0 {
            guard let id = supply.next(&books, goesAlone: goesAlone, onNew: isNew, now: now)
            else {
                return .noRequest
            }
            guard isSerial || hasWindow(connection, index, for: id, books) else {
                supply.postponed(id, &books)
                return .noRoom(.flowControl)
            }
            guard !books.dispatcher.isUnproven || claimsFirst(&books, now: now) else {
                supply.postponed(id, &books)
                return .noRoom(.connecting)
            }
            books.mark(id)
            let refusal =
                isSerial
                ? submitSerial(id, on: connection, &books) : submit(id, on: connection, &books)
            guard refusal == nil else {
                books.unmark(id)
                supply.postponed(id, &books)
                refused(refusal, index, &books, &supply, &connections, now: now)
                return .noRoom(.connecting)
            }
            books.dispatcher.started(id, on: index, now: now)
            supply.started(id, books, now: now)
            if connection.isRecordFull {
                connections.flush(index, &books, &supply, now: now)
                // A burst takes time: requests are stamped when they go, not when the turn began.
                now = environment.now
            }
        }
        if connection.isBlocked { return .noRoom(.network) }
        guard books.dispatcher.window(of: index).isProven else { return .noRoom(.connecting) }
        return .noRoom(books.dispatcher.adaptiveHold ?? .streamLimit)
    }

    // MARK: Proof of the route

    /// Returns true if the lane may start requests, or the route's first one.
    private mutating func hasLeave(
        _ books: inout LaneBooks, answers: UInt64, _ now: Instant
    ) -> Bool {
        var news = RouteProof.News.none
        if answers > 0 {
            news = .answered
        } else if asksFirst, books.dispatcher.inFlightCount == 0 {
            news = .unanswered
            asksFirst = false
        }
        switch environment.leave(after: news, now: now) {
        case .any:
            books.dispatcher.routeIsProven()
            return true
        case .first:
            books.dispatcher.waitsForProof(until: nil)
            return true
        case .none(let until):
            books.dispatcher.waitsForProof(until: until)
            return false
        }
    }

    /// Returns true if the route's first request is this lane's, and starts now.
    private mutating func claimsFirst(_ books: inout LaneBooks, now: Instant) -> Bool {
        guard let until = environment.claimFirstRequest(now: now) else { return false }
        asksFirst = true
        books.dispatcher.waitsForProof(until: until)
        return true
    }

    // MARK: Room

    /// Returns true if the connection's flow-control window takes the whole body now.
    ///
    /// With nothing in flight a request starts in any case: a window smaller than the body is then
    /// filled piece by piece.
    private func hasWindow(
        _ connection: ClientConnection, _ index: Int, for id: RequestID,
        _ books: borrowing LaneBooks
    ) -> Bool {
        connection.hasWindow(forBody: Int(books.rows[id].payload.count))
            || books.dispatcher.window(of: index).inFlight == 0
    }

    // MARK: Connections that take no more

    /// An error with which a connection has refused a request.
    private enum Refusal {
        case http1(HTTP1Error)
        case http2(HTTP2Error)
    }

    @inline(__always)
    private func submit(
        _ id: RequestID, on connection: ClientConnection, _ books: inout LaneBooks
    ) -> Refusal? {
        do throws(HTTP2Error) {
            try connection.submit(&books.rows[id], tag: UInt32(bitPattern: id))
            return nil
        } catch {
            return .http2(error)
        }
    }

    private func submitSerial(
        _ id: RequestID, on connection: ClientConnection, _ books: inout LaneBooks
    ) -> Refusal? {
        do throws(HTTP1Error) {
            try connection.submitSerial(&books.rows[id], tag: UInt32(bitPattern: id))
            return nil
        } catch {
            return .http1(error)
        }
    }

    /// Leaves a connection that has refused a request.
    private func refused(
        _ refusal: Refusal?, _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply,
        _ connections: inout ConnectionKeeper, now: Instant
    ) {
        switch refusal {
        case nil: break
        case .http1(.noMoreRequests):
            connections.retire(index, because: "full", &books, &supply, now: now)
        case .http1(let error):
            let failure = ConnectionError.http1(error).failure
            connections.end(index, failure, &books, &supply, now: now)
        case .http2(let error):
            switch error.kind {
            case .noMoreStreams, .noFreeSlot:
                connections.retire(index, because: "full", &books, &supply, now: now)
            case .connectionFailed, .outOfMemory, .headersTooLarge:
                let failure = ConnectionFailure.transient(Statement(error.description))
                connections.end(index, failure, &books, &supply, now: now)
            }
        }
    }
}
