import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2

/// Putting requests on the wire.
extension LaneEngine {
    /// Starts as many requests as connections, windows, rows and the pace allow.
    /// - Returns: The cause that allowed no more.
    mutating func startRequests(now: Instant) -> Limitation {
        guard mayStart(now: now) else { return isPaused ? .pause : .lastAnswers }
        report.lookAtWriter()
        guard isAsked else {
            return report.isBehind ? .output : hasNoMoreRows ? .lastAnswers : .input
        }
        if let limitation = dispatcher.standstill(now: now) {
            observer.turned(isFull: false, now: now)
            return limitation
        }
        defer { pace.settle(now: environment.now) }
        let count = connections.count
        let first = firstConnection
        firstConnection = (first + 1) % count
        var held: Limitation?
        for offset in 0..<count {
            let index = (first + offset) % count
            guard let connection = connections[index], connection.phase == .open else { continue }
            switch fill(connection, index, now: now) {
            case .noRequest:
                observer.turned(isFull: false, now: now)
                return whyNoRequest(now: now)
            // A connection that has to prove itself says nothing about the others.
            case .noRoom(.connecting): continue
            case .noRoom(let limitation): held = limitation
            }
        }
        observer.turned(isFull: true, now: now)
        if held == nil, environment.isInputAsleep, dispatcher.isIdle { return .window }
        return held ?? .connecting
    }

    /// The reason why a connection gets no further request.
    private enum Filled {
        /// There are no rows or permits for now.
        case noRequest
        case noRoom(Limitation)
    }

    /// Starts requests on one connection until it has no room.
    private mutating func fill(
        _ connection: ClientConnection, _ index: Int, now: Instant
    ) -> Filled {
        var now = now
        let goesAlone = dispatcher.window(of: index).isCut
        // Once for all requests: a property that changes costs a check each time.
        let isSerial = connection.isSerial
        while !connection.isBlocked && dispatcher.room(on: index) > 0 {
            guard hasPermit(), let id = nextRequest(goesAlone: goesAlone, now: now) else {
                return .noRequest
            }
            guard isSerial || hasWindow(connection, index, for: id) else {
                postpone(id)
                return .noRoom(.flowControl)
            }
            guard start(id, on: connection, isSerial: isSerial, index, now: now) else {
                return .noRoom(.connecting)
            }
            if connection.isRecordFull {
                flush(index, now: now)
                // A burst takes time: requests are stamped when they go, not when the turn began.
                now = environment.now
            }
        }
        if connection.isBlocked { return .noRoom(.network) }
        guard dispatcher.window(of: index).isProven else { return .noRoom(.connecting) }
        return .noRoom(dispatcher.adaptiveHold ?? .streamLimit)
    }

    /// Returns the cause that keeps rows from a connection that has room.
    private mutating func whyNoRequest(now: Instant) -> Limitation {
        if report.isBehind { return .output }
        if pace.permits == 0, hasRowsWaiting(now: now) { return .pace }
        if dispatcher.waitingCount > 0, !dispatcher.mayTakeUp || hasNoMoreRows { return .retries }
        if environment.isInputAsleep { return .window }
        return hasNoMoreRows ? .lastAnswers : .input
    }

    /// Returns true if the connection's flow-control window takes the whole body now.
    ///
    /// With nothing in flight a request starts in any case: a window smaller than the body is then
    /// filled piece by piece.
    private func hasWindow(
        _ connection: ClientConnection, _ index: Int, for id: RequestID
    ) -> Bool {
        connection.hasWindow(forBody: Int(rows[id].payload.count))
            || dispatcher.window(of: index).inFlight == 0
    }

    /// - Returns: False when the connection takes no more requests now.
    private mutating func start(
        _ id: RequestID, on connection: ClientConnection, isSerial: Bool, _ index: Int,
        now: Instant
    ) -> Bool {
        // Before a byte of it can leave, so that a killed process never leaves less than the truth.
        marks?.set(rows[id].number)
        guard submit(id, on: connection, isSerial: isSerial, index, now: now) else { return false }
        dispatcher.started(id, on: index, now: now)
        if observer.isMetered { startedMeasured(id, now: now) } else { pace.started() }
        return true
    }

    @inline(__always)
    private mutating func submit(
        _ id: RequestID, on connection: ClientConnection, isSerial: Bool, _ index: Int,
        now: Instant
    ) -> Bool {
        let tag = UInt32(bitPattern: id)
        guard !isSerial else {
            do throws(HTTP1Error) {
                try connection.submitSerial(&rows[id], tag: tag)
                return true
            } catch {
                notSubmitted(id)
                submitFailed(error, index, now: now)
                return false
            }
        }
        do throws(HTTP2Error) {
            try connection.submit(&rows[id], tag: tag)
            return true
        } catch {
            notSubmitted(id)
            submitFailed(error, index, now: now)
            return false
        }
    }

    private mutating func notSubmitted(_ id: RequestID) {
        unmark(id)
        postpone(id)
    }

    /// A request of a load test went on the wire; one that did so before is the same request.
    private mutating func startedMeasured(_ id: RequestID, now: Instant) {
        guard !dispatcher.request(id).isRepeated else { return }
        // There is none for a row behind one that came back and was given up.
        if pace.permits > 0 { pace.started() }
        observer.started(id, due: pace.due, now: now)
    }

    /// Notes that the provider cannot have acted on a row's request, so that another run may send
    /// it.
    ///
    /// It does nothing if an earlier attempt is still in doubt.
    func unmark(_ id: RequestID) {
        if let marks, !dispatcher.request(id).wasInDoubt { marks.clear(rows[id].number) }
    }

    private mutating func submitFailed(_ error: HTTP1Error, _ index: Int, now: Instant) {
        if error == .noMoreRequests {
            retire(index, because: "full", now: now)
        } else {
            end(index, ConnectionError.http1(error).failure, now: now)
        }
    }

    private mutating func submitFailed(_ error: HTTP2Error, _ index: Int, now: Instant) {
        switch error.kind {
        case .noMoreStreams, .noFreeSlot:
            retire(index, because: "full", now: now)
        case .connectionFailed, .outOfMemory, .headersTooLarge:
            end(index, .transient(Statement(error.description)), now: now)
        }
    }

    /// Resets the requests whose time for an answer is over.
    mutating func endOverdueRequests(now: Instant) {
        for index in connections.indices {
            while let id = dispatcher.overdue(on: index, now: now) {
                guard let connection = connections[index] else { break }
                let started = dispatcher.request(id).startedAt
                if !dispatcher.connections[index].hasHeard(since: started) {
                    // Not a byte since the request started: the peer is gone, not slow.
                    end(index, .silent("no answer and no sign of life"), now: now)
                    break
                }
                if !isAnswering(id, on: connection) {
                    dispatcher.patience.unanswered(since: started, now: now)
                    if dispatcher.isMute(index, since: started) { fellMute(index, now: now) }
                }
                dispatcher.timedOut(id)
                connection.reset(rows[id].stream, now: now)
                drainEvents(index, now: now)
                if dispatcher.oldest(on: index) == id {
                    // It waits for a limit that the peer has lowered meanwhile.
                    end(index, .transient("a request cannot be taken back"), now: now)
                }
            }
        }
    }

    /// Makes frames, encrypts them, and hands them to the transport.
    mutating func flush(_ index: Int, now: Instant) {
        guard let connection = connections[index] else { return }
        var sent = 0
        defer { report.tally.bytesSent += UInt64(sent) }
        do throws(ConnectionError) {
            try unsafe connection.flush(now: now) { [environment] bytes in
                let taken = unsafe environment.send(bytes, on: index)
                sent += taken
                return taken
            }
            noteBlocked(connection, index, now: now)
        } catch {
            end(index, error.failure, now: now)
        }
    }

    mutating func flushAll(now: Instant) {
        for index in connections.indices where connections[index]?.wantsFlush == true {
            flush(index, now: now)
        }
    }
}
