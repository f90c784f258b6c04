import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The work on connections that time asks for: dials, requests and peers that take too long, age.
extension ConnectionKeeper {
    /// Opens the connections that are missing, as fast as the dialler allows.
    /// - Parameters:
    ///   - books: The lane's books.
    ///   - isOfUse: True if there is anything to send.
    ///   - times: The uses of the lane's time so far.
    ///   - now: The time.
    mutating func open(
        _ books: inout LaneBooks, isOfUse: Bool, _ times: LimitTimes, now: Instant
    ) {
        watch.forgetCredential()
        guard isOfUse, watch.hasCredential(&books.course) else { return }
        books.dispatcher.reviewDemand(times: times, answers: answerCount, now: now)
        if books.observer.isLogging {
            books.observer.wanted(books.dispatcher.connectionDemand, now: now)
        }
        makePlaces(books.dispatcher.connectionPlaces)
        while let index = books.dispatcher.nextDial(now: now) {
            books.observer.dialled(index, now: now)
            dial(index)
        }
    }

    /// Handles the events that the sessions have recorded since the last turn.
    mutating func drainAllEvents(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        for index in indices where self[index]?.mayHaveEvents == true {
            drainEvents(index, &books, &supply, now: now)
        }
    }

    mutating func flushAll(_ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant) {
        for index in indices where self[index]?.wantsFlush == true {
            flush(index, &books, &supply, now: now)
        }
    }

    /// Ends the connections that take too long to be set up.
    mutating func endOverdueDials(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        while let index = books.dispatcher.overdueDial(now: now) {
            // That its name waits in a line of ours is no fault of the host.
            let beginning = environment.beginning(of: index) ?? now
            if books.dispatcher.dialBegan(index, at: beginning) { continue }
            end(index, .transient(Statement(overdueText(index))), &books, &supply, now: now)
        }
    }

    private func overdueText(_ index: Int) -> String {
        if self[index]?.phase == .greeting { return "no word of HTTP/2 in time" }
        guard let proxy = settings.proxy else { return "no connection in time" }
        return self[index] == nil
            ? proxy.blaming("no tunnel to \(proxy.target) in time")
            : "no connection in time, through the proxy \(proxy.proxy.name)"
    }

    /// Ends the connections on which nothing could be sent for as long as an answer may take.
    mutating func endBlocked(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        var first = 0
        while let index = books.dispatcher.nextBlocked(from: first, now: now) {
            first = index + 1
            let isHeld = self[index]?.isHeld == true
            let text: Statement =
                isHeld ? "the provider sends half a TLS message" : "the provider reads nothing"
            end(index, .silent(text), &books, &supply, now: now)
        }
    }

    /// Resets the requests whose time for an answer is over.
    mutating func endOverdueRequests(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        var first = 0
        while let index = books.dispatcher.nextOverdue(from: first, now: now) {
            first = index + 1
            while let id = books.dispatcher.overdue(on: index, now: now) {
                guard let connection = self[index] else { break }
                let started = books.dispatcher.start(of: id)
                if !books.dispatcher[connection: index].hasHeard(since: started) {
                    // Not a byte since the request started: the peer is gone, not slow.
                    let failure = ConnectionFailure.silent("no answer and no sign of life")
                    end(index, failure, &books, &supply, now: now)
                    break
                }
                let stream = books.rows[id].stream
                // An answer that has come as far as it counts is one, though its stream goes on.
                if connection.response(stream).status < 200 {
                    books.dispatcher.patience.unanswered(since: started, now: now)
                    if books.dispatcher.isMute(index, since: started) {
                        fellMute(index, &books, &supply, now: now)
                    }
                }
                books.dispatcher.timedOut(id)
                connection.reset(stream, now: now)
                drainEvents(index, &books, &supply, now: now)
                if books.dispatcher.oldest(on: index) == id {
                    // It waits for a limit that the peer has lowered meanwhile.
                    let failure = ConnectionFailure.transient("a request cannot be taken back")
                    end(index, failure, &books, &supply, now: now)
                }
            }
        }
    }

    /// Asks silent peers for a sign of life, and gives up those that show none.
    mutating func watchSilence(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        var first = 0
        while let index = books.dispatcher.nextWatched(from: first) {
            first = index + 1
            guard let connection = self[index], connection.phase == .open else { continue }
            let oldest = books.dispatcher.oldestStart(on: index)
            switch books.dispatcher.connections[index].lookAtSilence(oldest: oldest, now: now) {
            case .wait:
                break
            case .ping:
                connection.ping()
                books.observer.note("ping_sent", .debug, on: index, now: now)
            case .giveUp:
                end(index, .silent("no sign of life"), &books, &supply, now: now)
            }
        }
    }

    /// Ends the connections whose peers allow no stream at all while rows wait.
    mutating func endUseless(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        var first = 0
        while let index = books.dispatcher.nextUseless(from: first) {
            first = index + 1
            let keepsRows =
                books.dispatcher[connection: index].isShut
                && supply.hasRow(books, takesBatch: false, now: now)
            if books.dispatcher.connections[index].isUseless(keepsRows: keepsRows, now: now) {
                // Where nothing may be asked no answer can come: the time counts as that of a request without one. A
                // new connection may do better than one that has answered.
                if let since = books.dispatcher[connection: index].uselessSince,
                    !books.dispatcher[connection: index].hasAnswered, !books.dispatcher.sendsRows
                {
                    books.dispatcher.patience.unanswered(since: since, now: now)
                }
                let failure = ConnectionFailure.transient("the provider allows no streams")
                end(index, failure, &books, &supply, now: now)
            }
        }
    }

    /// Replaces the connections that are old, or whose token is, and ends those that were tried for nothing.
    mutating func retireOld(_ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant) {
        while let index = books.dispatcher.surplus {
            retire(index, because: "surplus", &books, &supply, now: now)
        }
        let hasLoad =
            books.course.mayStart(now: now) && (supply.hasUntaken || !books.dispatcher.isIdle)
        while let index = books.dispatcher.nextToRetire(hasLoad: hasLoad, now: now) {
            retire(index, because: "age", &books, &supply, now: now)
        }
    }

    /// Ends the connections that have nothing to do until a window opens.
    mutating func retireIdle(_ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant) {
        for index in indices where self[index]?.phase == .open {
            retire(index, because: "idle", &books, &supply, now: now)
        }
    }
}
