import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2

/// The desk for attempts that end: what each one means, what becomes of its row, and the counts.
struct AttemptDesk: ~Copyable {
    /// The consequences of an attempt's end for connections.
    struct Consequences {
        /// The number of a credential that is no longer taken.
        var endedCredential: Int?
        /// True if the connection gets no further request.
        var retires = false
        /// True if the connection ends: it has nothing in flight.
        var closes = false
    }

    private let inPlace = InPlace()
    private var reader: AnswerReader
    private let credentials: (any CredentialSource)?
    private unowned let environment: any LaneEnvironment
    private var firstAnswers = FirstAnswers()
    private var wishes = WishRun()
    private(set) var latency = LatencyHistogram()
    /// The attempts that have ended, without provably unprocessed ones, by the meanings of their
    /// ends.
    private(set) var outcomes = OutcomeCounts()

    init(_ settings: ConnectionSettings, _ environment: any LaneEnvironment, _ wall: WallTime) {
        self.environment = environment
        reader = AnswerReader(settings.service, wall)
        credentials = settings.credentials
    }

    // MARK: Meaning

    /// Returns the meaning of a stream's end.
    ///
    /// An answer counts, even if the stream was reset behind it; without one the way it ended
    /// decides: see `AttemptCause`.
    @inline(__always)
    mutating func attempt<Session: HTTPSession & ~Copyable>(
        on session: borrowing Pinned<Session>, of connection: ClientConnection, _ index: Int,
        _ stream: StreamHandle,
        _ id: RequestID, _ code: HTTP2ErrorCode, _ books: inout LaneBooks, now: Instant
    ) -> Attempt {
        let response = session.withValue { $0.response(stream) }
        if let attempt = answered(response, to: id, on: connection, &books, now: now) {
            return attempt
        }
        if code == .refusedStream {
            let (isLeaving, written) = session.withValue { ($0.isLeaving, $0.written(stream)) }
            // If a request had not left when a GOAWAY came, the GOAWAY refused it, also up to the
            // id that it names.
            let isOfGoAway =
                stream.id > books.dispatcher.connections[index].lastGoAway ?? .max
                || isLeaving && written == .nothing
            return .unanswered(isOfGoAway ? .aboveGoAway : .refusedStream)
        }
        if books.dispatcher.hasTimedOut(id) {
            // A part that was made into frames may still leave; the rest will not.
            switch session.withValue({ $0.written(stream) }) {
            case .nothing: return .unanswered(.lateUnsent)
            // In HTTP/1.1 a server may act on a part.
            case .part: return .unanswered(Session.isSerial ? .late : .lateUnsent)
            case .whole: return .unanswered(.late)
            }
        }
        if let malformation = session.withValue({ $0.malformation(stream) }) {
            books.observer.malformed(malformation, on: index, now: now)
            return .unanswered(.malformed)
        }
        return .unanswered(.reset, because: code.name)
    }

    /// Returns the meaning of a connection's end for a request that was on it.
    mutating func attemptLost(
        _ id: RequestID, on connection: ClientConnection, _ index: Int,
        _ end: AttemptCause.ConnectionEnd, _ books: inout LaneBooks, now: Instant
    ) -> Attempt {
        let stream = books.rows[id].stream
        let response = connection.response(stream)
        if let attempt = answered(response, to: id, on: connection, &books, now: now) {
            return attempt
        }
        let last = books.dispatcher.connections[index].lastGoAway ?? .max
        let isBelowGoAway = last < .max && stream.id <= last
        return .unanswered(
            .of(
                connection.extent(of: books.rows[id]), connection: end,
                isBelowGoAway: isBelowGoAway, isText: connection.isSerial))
    }

    /// Returns the attempt that an answer ends, if its header list has come.
    @inline(__always)
    private mutating func answered(
        _ response: Response, to id: RequestID, on connection: ClientConnection,
        _ books: inout LaneBooks, now: Instant
    ) -> Attempt? {
        guard response.status >= 200 else { return nil }
        books.observer.heard(response)
        return reader.read(
            response, to: books.rows[id], with: connection.credential, now: now)
    }

    /// Returns the provider's words in a GOAWAY; `nil` if its debug data are something else.
    mutating func notice(
        inDebugData bytes: UnsafeBufferPointer<UInt8>, on connection: ClientConnection
    ) -> GoAwayNotice? {
        unsafe reader.notice(inDebugData: bytes, with: connection.credential)
    }

    // MARK: Ends

    /// Takes an attempt off its connection, and does what its end requires of the books.
    /// - Parameters:
    ///   - id: The request.
    ///   - attempt: Its attempt.
    ///   - connection: The connection with its credential; `nil` where it is lost.
    ///   - index: The number of the connection.
    ///   - books: The lane's books.
    ///   - supply: The supply of requests.
    ///   - now: The time.
    /// - Returns: The work that is left to do on connections.
    mutating func ended(
        _ id: RequestID, _ attempt: Attempt, on connection: ClientConnection?, _ index: Int,
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) -> Consequences {
        #if DEBUG
            books.rows[id].lend(false)
        #endif
        if let fellows = supply.takeFellows(of: id) {
            if attempt.isAnswer, reader.splits {
                return split([id] + fellows, attempt, &books, &supply, now: now)
            }
            books.dispatcher.drawOneWait(with: id)
            fellowsEnded(fellows, of: id, attempt, connection?.credential, &books, now: now)
        }
        let started = books.dispatcher.start(of: id)
        if attempt.isAnswer {
            latency.record(nanoseconds: now.nanoseconds(since: started))
            if case .answeredFinally = attempt.end {
                supply.answered(isRejection: attempt.status >= 400)
                wishes.judged(now: now)
            } else if let wish = attempt.end.wish {
                tellOthers(wish, attempt, started: started, now: now)
                books.hears(wish, in: attempt)
            }
        }
        if attempt.isCounted { outcomes.count(attempt.class.outcome) }
        if books.observer.isObserving {
            books.observer.ended(
                id, attempt, books.dispatcher.request(id), books.rows[id], now: now)
        }
        let action = books.dispatcher.attemptEnded(
            id, attempt.end, isOverload: attempt.isOverload,
            isTooMany: attempt.isTooMany, isForeign: attempt.isForeign,
            isCut: !attempt.isAnswer && attempt.ending.isCut,
            notAfter: books.lastStart(of: id, after: attempt), now: now)
        let stops = attempt.isAnswer && firstAnswers.heard(attempt.class.job)
        var consequences = Consequences()
        switch attempt.class.credential {
        case .keep: break
        case let verdict:
            consequences.endedCredential = judged(
                verdict, on: connection, index, &books, now: now)
        }
        books.settle(id, attempt, stops ? .stop : attempt.class.job, action.request, now: now)
        consequences.retires = attempt.retiresConnection
        if case .close = action.connection { consequences.closes = true }
        return consequences
    }

    /// Has others wait for as long as the provider asks for, if it means all rows: no lane has had a verdict since this
    /// one was sent.
    private mutating func tellOthers(
        _ wish: Duration, _ attempt: Attempt, started: Instant, now: Instant
    ) {
        guard [429, 503].contains(attempt.status), wishes.asked(afterStart: started),
            !environment.hasAnotherBeenJudged(
                within: .nanoseconds(now.nanoseconds(since: started)))
        else { return }
        environment.providerAsks(toWaitUntil: ProviderHold.end(after: wish, now: now))
    }

    /// Acts on the verdict of an answer or a GOAWAY about the credential.
    /// - Returns: The number of the credential if it is no longer taken.
    mutating func judged(
        _ verdict: ResponseClass.Credential, on connection: ClientConnection?, _ index: Int,
        _ books: inout LaneBooks, now: Instant
    ) -> Int? {
        switch verdict {
        case .keep, .refused: return nil
        case .renew:
            // Of all requests with the same token one is enough to say so.
            if books.observer.isLogging, !books.dispatcher.connections[index].isDraining {
                books.observer.note("provider_token_expired", .warning, on: index, now: now)
            }
        case .hold: books.observer.note("provider_token_held", .warning, on: index, now: now)
        }
        guard let credentials, let credential = connection?.credential else { return nil }
        switch credentials.judged(verdict, credential) {
        case .goOn: break
        case .replace: return credential.number
        case .pauseDials(let time):
            books.dispatcher.pauseDials(until: now.advanced(by: time))
        case .stop(let text): books.course.drain(JobStop(.refused, text))
        }
        return nil
    }

    // MARK: Shared requests

    /// Ends the attempts of a request's rows, but for its first one.
    private mutating func fellowsEnded(
        _ fellows: [RequestID], of id: RequestID, _ attempt: Attempt, _ credential: Credential?,
        _ books: inout LaneBooks, now: Instant
    ) {
        let started = books.dispatcher.start(of: id)
        var own = attempt
        var hasText = false
        for (place, fellow) in fellows.enumerated() {
            // Most answers say the same of all rows: it is read once, and its text in the report made once.
            let repeats = place > 0 && (!attempt.isAnswer || reader.repeats(place + 1))
            if attempt.isAnswer, !repeats {
                own = reader.readShared(
                    place + 1, like: attempt, books.rows[fellow], with: credential, now: now)
            }
            if own.isCounted { outcomes.count(own.class.outcome) }
            let action = books.dispatcher.sharedAttemptEnded(
                fellow, started: started, own.end,
                isTooMany: own.isTooMany, notAfter: books.lastStart(of: fellow, after: own),
                now: now)
            hasText = hasText && repeats
            books.settle(
                fellow, own, own.class.job, action, hasText ? .again : .first, now: now)
            if case .report = action { hasText = true }
        }
    }

    /// Sends rows again in two requests, which a refusal has proved not to have been sent.
    private func split(
        _ ids: [RequestID], _ attempt: Attempt, _ books: inout LaneBooks,
        _ supply: inout RowSupply, now: Instant
    ) -> Consequences {
        let action = books.dispatcher.attemptEnded(ids[0], .dismissed, now: now)
        books.dispatcher.patience.answered()
        books.dispatcher.board(ids[0])
        supply.split(ids, &books)
        var consequences = Consequences()
        consequences.retires = attempt.retiresConnection
        if case .close = action.connection { consequences.closes = true }
        return consequences
    }
}
