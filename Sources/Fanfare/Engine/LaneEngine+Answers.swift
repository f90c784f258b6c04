import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2
import FanfareJSON

/// The handling of requests whose streams have ended.
extension LaneEngine {
    /// Handles the events that the sessions have recorded since the last turn.
    mutating func drainAllEvents(now: Instant) {
        for index in connections.indices where connections[index] != nil {
            drainEvents(index, now: now)
        }
    }

    mutating func drainEvents(_ index: Int, now: Instant) {
        guard let connection = connections[index] else { return }
        if connection.isSerial {
            switch connection.http1 {
            case .some(let session): drain(session, of: connection, index, now: now)
            case .none: preconditionFailure("BUG: HTTP/1.1 without its session")
            }
        } else {
            drain(connection.session, of: connection, index, now: now)
        }
        if settings.connection.session.quota != nil { heardQuota(of: connection, index, now: now) }
    }

    /// Takes up the provider's count of the requests that it still takes.
    private mutating func heardQuota(
        of connection: ClientConnection, _ index: Int, now: Instant
    ) {
        let notice = connection.takeQuota()
        guard let remaining = notice.remaining, let reset = notice.reset else { return }
        let wait = RequestQuota.wait(reset, now: wall.milliseconds(at: now))
        if dispatcher.heardQuota(remaining: remaining, for: wait, now: now) {
            observer.note("quota_used_up", .warning, on: index, now: now)
        }
    }

    // Always inlined: compiled once for each kind of session, without calls through a table.
    @inline(__always)
    private mutating func drain<Session: HTTPSession & ~Copyable>(
        _ session: borrowing Pinned<Session>, of connection: ClientConnection, _ index: Int,
        now: Instant
    ) {
        // An event may be the end of the connection, and of those behind it.
        while connections[index] != nil {
            rows.fetchAhead(of: session)
            guard let event = session.withValue({ $0.nextEvent() }) else { return }
            switch event {
            case .settings(let limit):
                observer.streamLimit(
                    limit, before: dispatcher.window(of: index).peerLimit, index, now: now)
                dispatcher.settingsReceived(on: index, maxConcurrentStreams: limit)
            case .streamClosed(let stream, let tag, let code):
                let id = RequestID(bitPattern: tag)
                if code.asksForCalm { dispatcher.calmed(on: index) }
                let attempt = attempt(on: session, index, stream, id, code, now: now)
                let isLeft = Session.isSerial && connection.isLeft(behind: rows[id])
                if !attempt.isAnswer {
                    troubled(
                        by: attempt, on: index, isCalm: code.asksForCalm, now: now)
                }
                attemptEnded(id, attempt, on: index, now: now)
                session.withValue { $0.release(stream) }
                if isLeft, connections[index] != nil { retire(index, because: "close", now: now) }
            case .goAway(let last, let code):
                dispatcher.connections[index].goAwayReceived(last: last)
                if code.asksForCalm { dispatcher.askedForLess(now: now) }
                goAwayReceived(connection, index, last: last, code: code, now: now)
            case .pingAcknowledged:
                break
            }
        }
    }

    /// Returns the meaning of a stream's end.
    ///
    /// An answer counts, even if the stream was reset behind it; without one the way it ended
    /// decides: see `AttemptEnding`.
    @inline(__always)
    private mutating func attempt<Session: HTTPSession & ~Copyable>(
        on session: borrowing Pinned<Session>, _ index: Int, _ stream: StreamHandle,
        _ id: RequestID, _ code: HTTP2ErrorCode, now: Instant
    ) -> Attempt {
        let response = session.withValue { $0.response(stream) }
        if let attempt = answered(response, to: id, now: now) { return attempt }
        if code == .refusedStream {
            let (isLeaving, written) = session.withValue { ($0.isLeaving, $0.written(stream)) }
            // If a request had not left when a GOAWAY came, the GOAWAY refused it, also up to the
            // id that it names.
            let isOfGoAway =
                stream.id > dispatcher.connections[index].lastGoAway ?? .max
                || isLeaving && written == .nothing
            return .unanswered(isOfGoAway ? .aboveGoAway : .refusedStream)
        }
        if dispatcher.request(id).hasTimedOut {
            // A part that was made into frames may still leave; the rest will not.
            switch session.withValue({ $0.written(stream) }) {
            case .nothing: return .unanswered(.lateUnsent)
            // In HTTP/1.1 a server may act on a part.
            case .part: return .unanswered(Session.isSerial ? .late : .lateUnsent)
            case .whole: return .unanswered(.late)
            }
        }
        if Session.isSerial { return .unanswered(.malformed) }
        return .unanswered(.reset, because: code.name)
    }

    /// Returns the meaning of a connection's end for a request that was on it.
    mutating func attemptLost(
        _ id: RequestID, on connection: ClientConnection, _ index: Int,
        _ end: AttemptEnding.ConnectionEnd, now: Instant
    ) -> Attempt {
        let stream = rows[id].stream
        if let attempt = answered(connection.response(stream), to: id, now: now) {
            return attempt
        }
        let last = dispatcher.connections[index].lastGoAway ?? .max
        let isBelowGoAway = last < .max && stream.id <= last
        return .unanswered(
            .of(
                connection.extent(of: rows[id]), connection: end,
                isBelowGoAway: isBelowGoAway, isText: connection.isSerial))
    }

    /// Returns the attempt that an answer ends, if its header list has come.
    @inline(__always)
    private mutating func answered(
        _ response: Response, to id: RequestID, now: Instant
    ) -> Attempt? {
        guard response.status >= 200 else { return nil }
        observer.heard(response)
        return reader.read(response, to: rows[id], now: now)
    }

    /// Returns true if the answer to a request has come as far as it counts, though its stream goes
    /// on.
    func isAnswering(_ id: RequestID, on connection: ClientConnection) -> Bool {
        let stream = rows[id].stream
        return connection.response(stream).status >= 200
    }

    /// Takes an attempt off its connection and does the work that its end requires.
    mutating func attemptEnded(_ id: RequestID, _ attempt: Attempt, on index: Int, now: Instant) {
        #if DEBUG
            rows[id].lend(false)
        #endif
        // This comes first: the end of the first row may end connections, and have other answers
        // read.
        if isSharing, fellowsEnded(of: id, attempt, on: index, now: now) { return }
        if attempt.isAnswer {
            let started = dispatcher.request(id).startedAt
            latency.record(nanoseconds: now.nanoseconds(since: started))
            if case .answeredFinally = attempt.end {
                intake.answered(isRejection: attempt.status >= 400)
            }
        }
        if attempt.isCounted { attemptOutcomes[attempt.class.outcome] += 1 }
        if observer.isLogging, attempt.isThrottled { observer.throttled(attempt) }
        if observer.wantsExchanges { showExchange(id, attempt, on: index, now: now) }
        if observer.isMetered {
            observer.ended(id, attempt, started: dispatcher.request(id).startedAt, now: now)
        }
        let action = dispatcher.attemptEnded(
            id, attempt.end, isOverload: attempt.isOverload, isForeign: attempt.isForeign,
            notAfter: lastStart(of: id, after: attempt), now: now)
        if dispatcher.verdicts.isOver { noteRefusal(attempt) }
        let stops = attempt.isAnswer && firstAnswers.heard(attempt.class.job)
        switch attempt.class.credential {
        case .keep: break
        case let verdict: credentialJudged(verdict, on: index, now: now)
        }
        settle(id, attempt, stops ? .stop : attempt.class.job, action.request, now: now)
        if attempt.isAnswer, case .retire = attempt.class.connection {
            retire(index, because: "answer", now: now)
        }
        if case .close = action.connection { sayGoodbye(index, now: now) }
    }

    /// Settles a row whose attempt has ended.
    /// - Parameters:
    ///   - id: The row.
    ///   - attempt: Its attempt.
    ///   - job: The meaning for the job.
    ///   - action: The action on the row.
    ///   - now: The time.
    @inline(__always)
    mutating func settle(
        _ id: RequestID, _ attempt: Attempt, _ job: ResponseClass.Job,
        _ action: Dispatcher.EndedAction, now: Instant
    ) {
        switch (job, action) {
        case (.stop, let action):
            unmark(id)
            refused(id, attempt)
            if case .report = action {
                dispatcher.finished(id)
                rowsLeft += 1
            }
        case (.goOn, .later), (.stopAtStart, .later):
            unmark(id)
            remember(attempt, of: id, now: now)
        case (.goOn, .report), (.stopAtStart, .report):
            reportEnded(id, attempt, now: now)
        }
    }

    /// Returns the latest start of another attempt: `--until`, or the notification's expiration.
    func lastStart(of id: RequestID, after attempt: Attempt) -> Instant {
        if case .answeredFinally = attempt.end { return .distantFuture }
        return min(until, expiration(of: rows[id]))
    }

    /// Acts on the verdict of an answer or a GOAWAY about the credential.
    mutating func credentialJudged(
        _ verdict: ResponseClass.Credential, on index: Int, now: Instant
    ) {
        switch verdict {
        case .keep, .refused: return
        case .renew: observer.note("provider_token_expired", .warning, on: index, now: now)
        case .hold: observer.note("provider_token_held", .warning, on: index, now: now)
        }
        guard let credentials = settings.connection.credentials,
            let credential = connections[index]?.credential
        else { return }
        switch credentials.judged(verdict, credential) {
        case .goOn: break
        case .replace: replaceCredential(credential.number, now: now)
        case .pauseDials(let time): dispatcher.pauseDials(until: now.advanced(by: time))
        case .stop(let text): drain(JobStop(.refused, text))
        }
    }

    /// Takes leave of the connections with a credential that is no longer taken.
    private mutating func replaceCredential(_ number: Int, now: Instant) {
        for index in connections.indices where connections[index]?.credential?.number == number {
            retire(index, because: "credential", now: now)
        }
    }

    /// Every other row would get the same answer: the job stops, and the row is left for later.
    mutating func refused(_ id: RequestID, _ attempt: Attempt) {
        unsafe drain(
            JobStop(
                refused: rows[id].number, status: attempt.status, reason: attempt.reason,
                by: settings.connection.service.provider))
    }
}
