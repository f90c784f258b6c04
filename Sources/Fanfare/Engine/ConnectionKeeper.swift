import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2
import FanfareTLS

/// The connections of a lane: opened, heard, left and ended.
///
/// Requests come in through `RequestStarter`. Here they end: with their streams, or with their
/// connection. The end of one may be the end of others, by an answer about the credential that they
/// share; so what ends is all in one place.
struct ConnectionKeeper: ~Copyable {
    private let inPlace = InPlace()
    unowned let environment: any LaneEnvironment
    let settings: ConnectionSettings
    private let buffers: SharedBuffers
    private var connections: [ClientConnection?]
    private var attempts: AttemptDesk
    /// The watch over the provider behind them.
    var watch: ProviderWatch

    init(
        _ settings: LaneSettings, _ environment: any LaneEnvironment,
        _ books: borrowing LaneBooks, sharing buffers: SharedBuffers
    ) {
        self.environment = environment
        self.buffers = buffers
        self.settings = settings.connection
        connections = Array(repeating: nil, count: books.dispatcher.connectionPlaces)
        attempts = AttemptDesk(settings.connection, environment, books.wall)
        watch = ProviderWatch(settings, environment)
    }

    /// A connection, from the time when its transport is up; `nil` before and after.
    subscript(index: Int) -> ClientConnection? { connections[index] }

    /// The numbers of connections.
    var indices: Range<Int> { connections.indices }

    /// The number of answers.
    var answerCount: UInt64 { attempts.latency.count }

    /// The time that they took.
    var latency: LatencyHistogram { attempts.latency }

    /// The attempts that have ended, without provably unprocessed ones.
    var attemptOutcomes: OutcomeCounts { attempts.outcomes }

    /// Makes places for so many connections.
    mutating func makePlaces(_ count: Int) {
        while connections.count < count { connections.append(nil) }
    }

    /// Opens a connection.
    func dial(_ index: Int) { environment.openTransport(index) }

    // MARK: Facts from the transport

    /// A transport is up: TLS and HTTP begin.
    mutating func transportOpened(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        do throws(ConnectionError) {
            let connection = try ClientConnection(settings, sharing: buffers)
            connection.trace = books.observer.trace(of: index)
            connections[index] = connection
            try connection.begin()
            if connection.phase == .open { connected(connection, index, &books, now: now) }
        } catch {
            end(index, failure(of: error, books), &books, &supply, now: now)
        }
    }

    /// Bytes have arrived: they are recorded, and the lane's turn acts on them.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer, on index: Int, _ books: inout LaneBooks,
        _ supply: inout RowSupply, now: Instant
    ) {
        guard let connection = connections[index] else { return }
        let wasOpen = connection.phase == .open
        books.dispatcher.connections[index].received(now: now)
        do throws(ConnectionError) {
            unsafe try connection.receive(bytes, now: now)
        } catch {
            // Events from before the fault still count: answers are answers.
            drainEvents(index, &books, &supply, now: now)
            flush(index, &books, &supply, now: now)
            end(index, failure(of: error, books), &books, &supply, now: now)
            return
        }
        noteBlocked(connection, index, &books, now: now)
        if !wasOpen && connection.phase == .open { connected(connection, index, &books, now: now) }
    }

    /// The failure that an error is, with the setting that helps if there is one.
    private func failure(
        of error: ConnectionError, _ books: borrowing LaneBooks
    ) -> ConnectionFailure {
        var failure = error.failure
        // Each request that goes there ends in doubt: it is found out with one, and not with all of them. A
        // host that rows name is dialed again as always: it costs no rows but its own.
        if error.isForeign, !books.course.isHostOfRows,
            !books.dispatcher.patience.hasBeenAnswered, environment.lastAnswerElsewhere == nil
        {
            failure = .permanent(failure.text)
        }
        guard error.isOfVersion, let advice = settings.versionAdvice else { return failure }
        return failure.adding(advice)
    }

    private func connected(
        _ connection: ClientConnection, _ index: Int, _ books: inout LaneBooks, now: Instant
    ) {
        books.report.tally.connectionsOpened += 1
        books.observer.opened(index, connection.credential, now: now)
        let signed = connection.credential.map {
            books.wall.moment(unixMilliseconds: $0.issuedAt * 1000)
        }
        books.dispatcher.connected(
            index, tokenSigned: signed, tokenLife: connection.credential?.life,
            isSerial: connection.isSerial, now: now)
    }

    /// The transport takes bytes again.
    func transportWritable(_ index: Int, _ books: inout LaneBooks, now: Instant) {
        guard let connection = connections[index] else { return }
        connection.unblocked()
        noteBlocked(connection, index, &books, now: now)
    }

    /// A transport could not be opened, or is gone.
    mutating func transportClosed(
        _ index: Int, _ failure: ConnectionFailure, _ books: inout LaneBooks,
        _ supply: inout RowSupply, now: Instant
    ) {
        guard !books.dispatcher[connection: index].isUnused else { return }
        if connections[index] != nil { drainEvents(index, &books, &supply, now: now) }
        guard !books.dispatcher[connection: index].isUnused else { return }
        var failure = failure
        let wasServed = books.report.tally.connectionsOpened > 0 || environment.isReached
        if let connection = connections[index], connection.phase == .greeting {
            failure = .transient(
                "\(failure.text) before a word of HTTP/2"
                    + connection.adviceOnSilence(wasServed: wasServed))
        } else if connections[index] == nil, case .permanent(let text) = failure, wasServed {
            // Rules and passwords of a proxy that has opened tunnels before: it has come to another mind, and may
            // do so again.
            failure = .transient(text)
        }
        end(index, failure, closesTransport: false, &books, &supply, now: now)
    }

    /// Tells the dispatcher whether a connection takes anything now.
    private func noteBlocked(
        _ connection: ClientConnection, _ index: Int, _ books: inout LaneBooks, now: Instant
    ) {
        books.dispatcher.connections[index].blocked(
            isFull: connection.isFull, isHeld: connection.isHeld, now: now)
    }

    /// Makes frames, encrypts them, and hands them to the transport.
    mutating func flush(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard let connection = connections[index] else { return }
        // Bytes that are here already answer no request that has not left: they are read first.
        if connection.beginsRequest, environment.hasUnread(on: index) { return }
        var sent = 0
        defer { books.report.tally.bytesSent += UInt64(sent) }
        do throws(ConnectionError) {
            try unsafe connection.flush(now: now) { [environment] bytes in
                let taken = unsafe environment.send(bytes, on: index)
                sent += taken
                return taken
            }
            noteBlocked(connection, index, &books, now: now)
        } catch {
            end(index, failure(of: error, books), &books, &supply, now: now)
        }
    }

    // MARK: Events

    /// Handles the events that a session has recorded.
    mutating func drainEvents(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard let connection = connections[index] else { return }
        if connection.isSerial {
            switch connection.http1 {
            case .some(let session):
                drain(session, of: connection, index, &books, &supply, now: now)
            case .none: preconditionFailure("BUG: HTTP/1.1 without its session")
            }
        } else {
            drain(connection.session, of: connection, index, &books, &supply, now: now)
        }
        if settings.session.quota != nil { heardQuota(of: connection, index, &books, now: now) }
    }

    /// Takes up the provider's count of the requests that it still takes.
    private func heardQuota(
        of connection: ClientConnection, _ index: Int, _ books: inout LaneBooks, now: Instant
    ) {
        let notice = connection.takeQuota()
        guard let remaining = notice.remaining, let reset = notice.reset else { return }
        let wait = RequestQuota.wait(reset, now: books.wall.milliseconds(at: now))
        if books.dispatcher.heardQuota(remaining: remaining, for: wait, now: now) {
            books.observer.note("quota_used_up", .warning, on: index, now: now)
        }
    }

    // Always inlined: compiled once for each kind of session, without calls through a table.
    @inline(__always)
    private mutating func drain<Session: HTTPSession & ~Copyable>(
        _ session: borrowing Pinned<Session>, of connection: ClientConnection, _ index: Int,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        // An event may be the end of the connection, and of those behind it.
        while connections[index] != nil {
            books.rows.fetchAhead(of: session)
            guard let event = session.withValue({ $0.nextEvent() }) else { return }
            switch event {
            case .settings(let limit):
                books.observer.streamLimit(
                    limit, before: books.dispatcher.window(of: index).peerLimit, index, now: now)
                books.dispatcher.settingsReceived(on: index, maxConcurrentStreams: limit)
            case .streamClosed(let stream, let tag, let code):
                let id = RequestID(bitPattern: tag)
                let isCalm = code.asksForCalm
                if isCalm { books.dispatcher.calmed(on: index) }
                let attempt = attempts.attempt(
                    on: session, of: connection, index, stream, id, code, &books, now: now)
                let isLeft = Session.isSerial && connection.isLeft(behind: books.rows[id])
                // Not one that we have cut off, or that has come before the whole request had left.
                if isLeft, code == .noError, connection.extent(of: books.rows[id]) == .whole {
                    books.dispatcher.closedByPeer(index)
                }
                if !attempt.isAnswer,
                    watch.troubled(by: attempt, on: index, isCalm: isCalm, &books, now: now)
                {
                    leave(index, &books, &supply, now: now)
                }
                attemptEnded(id, attempt, on: connection, index, &books, &supply, now: now)
                session.withValue { $0.release(stream) }
                if isLeft, connections[index] != nil {
                    retire(index, because: "close", &books, &supply, now: now)
                }
            case .goAway(let last, let code):
                books.dispatcher.connections[index].goAwayReceived(last: last)
                if code.asksForCalm { books.dispatcher.askedForLess(now: now) }
                goAwayReceived(
                    connection, index, last: last, code: code, &books, &supply, now: now)
            case .pingAcknowledged:
                break
            }
        }
    }

    /// Does the work that an attempt's end requires: on the books, then on connections.
    private mutating func attemptEnded(
        _ id: RequestID, _ attempt: Attempt, on connection: ClientConnection?, _ index: Int,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        let consequences = attempts.ended(
            id, attempt, on: connection, index, &books, &supply, now: now)
        if attempt.isRefusal { watch.refused(attempt) }
        if books.dispatcher.verdicts.isOver { watch.noteRefusal(attempt, books) }
        if let number = consequences.endedCredential {
            replaceCredential(number, &books, &supply, now: now)
        }
        if consequences.retires {
            retire(index, because: "answer", &books, &supply, now: now)
        }
        if consequences.closes { sayGoodbye(index, &books, &supply, now: now) }
    }

    /// Takes leave of the connections with a credential that is no longer taken.
    private mutating func replaceCredential(
        _ number: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        for index in connections.indices where connections[index]?.credential?.number == number {
            retire(index, because: "credential", &books, &supply, now: now)
        }
    }

    /// The peer says that it takes no more requests on this connection.
    private mutating func goAwayReceived(
        _ connection: ClientConnection, _ index: Int, last: Int32, code: HTTP2ErrorCode,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        // A provider may explain itself in the debug data; its words about the credentials end the
        // job.
        let debugData = unsafe connection.session.withValue { unsafe $0.goAwayDebugData }
        let notice = unsafe attempts.notice(inDebugData: debugData, on: connection)
        unsafe books.observer.goAway(
            index, last: last, code: code, reason: notice?.reason, now: now)
        if let notice, let match = notice.class {
            let ended = attempts.judged(match.credential, on: connection, index, &books, now: now)
            if let ended { replaceCredential(ended, &books, &supply, now: now) }
            if match.job == .stop {
                let text = unsafe String(decoding: notice.reason, as: UTF8.self)
                let provider = settings.service.provider
                books.course.drain(
                    JobStop(
                        .refused, "the provider closed the connection: \(text)",
                        answer: .init(status: 0, reason: text, provider: provider)))
            }
        }
        retire(index, because: "goaway", &books, &supply, now: now)
    }

    // MARK: Ends

    /// A connection lives, and the server behind it does not answer.
    mutating func fellMute(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        watch.fellMute()
        let window = books.dispatcher.window(of: index)
        if !books.dispatcher[connection: index].isDraining, !window.isProbing {
            books.dispatcher.cutOff(
                lost: window.inFlight, of: books.dispatcher.inFlightCount,
                behind: books.dispatcher[connection: index].answerCount)
        }
        leave(index, &books, &supply, now: now)
    }

    /// A connection gets no further request, and those that it has keep their time.
    private mutating func leave(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard !books.dispatcher[connection: index].isDraining else { return }
        books.dispatcher.isLeft(now: now)
        retire(index, because: "mute", &books, &supply, now: now)
    }

    /// Retires a connection: it gets no more requests, and closes with its last answer.
    /// - Parameters:
    ///   - index: The connection.
    ///   - cause: The cause's word in the log.
    ///   - books: The lane's books.
    ///   - supply: The supply of requests.
    ///   - now: The time.
    mutating func retire(
        _ index: Int, because cause: StaticString, _ books: inout LaneBooks,
        _ supply: inout RowSupply, now: Instant
    ) {
        if books.observer.isLogging, !books.dispatcher[connection: index].isDraining {
            books.observer.note(
                "connection_retired", .info, on: index, now: now, [.init("cause", "\(cause)")])
        }
        switch books.dispatcher.retire(index) {
        case .close: sayGoodbye(index, &books, &supply, now: now)
        case .drain, .none: break
        }
    }

    /// Ends a connection that has nothing in flight, in good order.
    mutating func sayGoodbye(
        _ index: Int, _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard let connection = connections[index] else { return }
        unsafe connection.sayGoodbye(now: now) { [environment] bytes in
            unsafe environment.send(bytes, on: index)
        }
        end(index, .ours("finished"), &books, &supply, now: now)
    }

    /// Takes everything off a connection and forgets it.
    ///
    /// An HTTP/2 session that ends says nothing about its streams, so the dispatcher's list is swept. An
    /// answer that has begun counts; without one it depends on how much of the request had left.
    mutating func end(
        _ index: Int, _ failure: ConnectionFailure, closesTransport: Bool = true,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard !books.dispatcher[connection: index].isUnused else { return }
        let connection = connections[index]
        if books.observer.isLogging {
            books.observer.tellFrames(of: connection, index)
            let inFlight = books.dispatcher.window(of: index).inFlight
            books.observer.ended(index, failure, inFlight: inFlight, now: now)
        }
        // First, so that the end of its last request does not begin a good-bye.
        connections[index] = nil
        let inFlight = books.dispatcher.inFlightCount
        let oldest = books.dispatcher.oldestStart(on: index)
        // A request that went alone says nothing of how many are too many.
        let wasProbing = books.dispatcher.window(of: index).isProbing
        let (carriedSuspect, answers) = (
            books.dispatcher[connection: index].carriesSuspect,
            books.dispatcher[connection: index].answerCount
        )
        let lost = sweep(connection, index, failure.end, &books, &supply, now: now)
        if closesTransport { environment.closeTransport(index) }
        let isFailure = failure.end != .aborted
        if isFailure && lost > 0 && !carriedSuspect {
            if case .silent = failure, let oldest {
                books.dispatcher.patience.unanswered(since: oldest, now: now)
            } else {
                books.dispatcher.patience.troubled(now: now)
            }
            if !wasProbing {
                books.dispatcher.cutOff(lost: lost, of: inFlight, behind: answers)
            }
        }
        let isDismissed = books.dispatcher[connection: index].isDismissed
        let isCut = failure.end == .lost && lost > 0
        let action = books.dispatcher.lost(
            index, isFailure: isFailure, isCut: isCut, now: now)
        guard !books.course.isFinished else { return }
        watch.lost(failure, isDismissed: isDismissed, books)
        if case .permanent(let text) = failure {
            books.course.drain(watch.noConnection(text))
        } else if action == .giveUp, !environment.isReached {
            books.course.drain(watch.noConnection)
        }
    }

    /// Ends the attempts that are on a connection which has ended.
    /// - Returns: The number of those in doubt.
    private mutating func sweep(
        _ connection: ClientConnection?, _ index: Int, _ end: AttemptCause.ConnectionEnd,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) -> Int {
        var lost = 0
        while let id = books.dispatcher.oldest(on: index) {
            guard let connection else {
                preconditionFailure("BUG: a request on a connection that was never up")
            }
            let attempt = attempts.attemptLost(id, on: connection, index, end, &books, now: now)
            if case .inDoubt = attempt.end { lost += 1 }
            attemptEnded(id, attempt, on: nil, index, &books, &supply, now: now)
        }
        return lost
    }
}
