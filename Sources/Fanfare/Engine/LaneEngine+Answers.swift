import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// What becomes of a request whose stream has ended.
extension LaneEngine {
    /// Handles what the sessions have recorded since the last turn.
    mutating func drainAllEvents(now: Instant) {
        for index in connections.indices where connections[index] != nil {
            drainEvents(index, now: now)
        }
    }

    mutating func drainEvents(_ index: Int, now: Instant) {
        while let connection = connections[index] {
            guard let event = connection.session.withValue({ $0.nextEvent() }) else { return }
            switch event {
            case .settings(let limit):
                dispatcher.settingsReceived(on: index, maxConcurrentStreams: limit)
            case .streamClosed(let stream, let tag, let code):
                let id = RequestID(bitPattern: tag)
                let attempt = attempt(on: connection, stream, id, code)
                attemptEnded(id, attempt, on: index, now: now)
                connection.session.withValue { $0.release(stream) }
            case .goAway:
                goAwayReceived(connection, index, now: now)
            case .pingAcknowledged:
                break
            }
        }
    }

    /// Tells what the end of a stream means.
    ///
    /// An answer says what it says, even if the stream was reset behind it; without one a refused
    /// stream is proof that nothing happened, and everything else is in doubt.
    private mutating func attempt(
        on connection: ClientConnection, _ stream: StreamHandle, _ id: RequestID,
        _ code: HTTP2ErrorCode
    ) -> Attempt {
        let response = connection.session.withValue { $0.response(stream) }
        if response.status >= 200 { return answered(response, id) }
        if code == .refusedStream {
            return .unanswered(.unprocessed, because: "REFUSED_STREAM")
        }
        if unsafe rows[id].pointee.hasTimedOut {
            return .unanswered(.inDoubt, because: "no answer in time")
        }
        return .unanswered(.inDoubt, because: code.name)
    }

    /// Finds an answer's place in the provider's table.
    private mutating func answered(_ response: Response, _ id: RequestID) -> Attempt {
        var attempt = Attempt()
        attempt.status = response.status
        unsafe attempt.apnsID = response.apnsID
        // Half an answer is like one from something in between: no verdict on token or credential.
        var isJSON = response.isComplete
        if response.status != 200, unsafe !response.body.isEmpty {
            if let content = unsafe errorBody.parse(response.body) {
                unsafe attempt.reason = errorBody.reason(content)
                attempt.timestamp = content.timestamp
            } else {
                isJSON = false
            }
        }
        attempt.class = unsafe ResponseClass.of(
            status: response.status, reason: attempt.reason, bodyIsJSON: isJSON)
        if let column = attempt.class.blamedColumn,
            unsafe rows[id].pointee.overrides.gives(column)
        {
            attempt.class = attempt.class.ownFault
        }
        switch attempt.class.retry {
        case .never:
            attempt.end = .answeredFinally
        case .afterDelay:
            attempt.end = .answeredLater(retryAfter: unsafe RetryAfter.parse(response.retryAfter))
        case .elsewhereAtOnce:
            attempt.end = .answeredElsewhere
        }
        return attempt
    }

    /// Takes an attempt off its connection and does what its end asks for.
    mutating func attemptEnded(_ id: RequestID, _ attempt: Attempt, on index: Int, now: Instant) {
        if attempt.isAnswer {
            let started = dispatcher.request(id).startedAt
            latency.record(nanoseconds: now.nanoseconds(since: started))
        }
        let action = dispatcher.attemptEnded(id, attempt.end, now: now)
        if attempt.end == .inDoubt { unsafe rows[id].pointee.wasInDoubt = true }
        if action.request == .later || attempt.class.job == .stop { unmark(id) }
        if attempt.class.credential == .renew { providerTokenExpired(on: index) }
        if attempt.class.job == .stop {
            refused(id, attempt)
            if action.request == .report {
                dispatcher.finished(id)
                rowsLeft += 1
            }
        } else if action.request == .report {
            report(id, attempt, now: now)
        }
        if attempt.class.connection == .retire && attempt.isAnswer { retire(index, now: now) }
        if action.connection == .close { sayGoodbye(index, now: now) }
    }

    /// The next connection gets a new token, unless the old one was young: then a clock is wrong.
    private mutating func providerTokenExpired(on index: Int) {
        guard let tokens = settings.connection.tokens, let grant = connections[index]?.grant else {
            return
        }
        guard !tokens.mayRenew(afterExpiryOf: grant) else { return }
        drain(
            JobStop(
                .refused,
                "the provider calls a token expired that was signed less than half an hour ago: "
                    + "is the clock of this machine right?"))
    }

    /// Every other row would get the same answer: the job stops, and the row is left for later.
    private mutating func refused(_ id: RequestID, _ attempt: Attempt) {
        let reason = unsafe String(decoding: attempt.reason, as: UTF8.self)
        let row = unsafe rows[id].pointee.number
        drain(
            JobStop(.refused, "the provider answered \(attempt.status) \(reason) to row \(row)"))
    }
}
