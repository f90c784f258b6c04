import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON
import FanfareTLS

/// Connections: opened, used, retired, lost.
extension LaneEngine {
    /// Opens the connections that are missing, as fast as the dialler allows.
    mutating func openConnections(now: Instant) {
        lacksCredential = false
        // Nothing to send is no reason to dial: an input that is slow, or at its end.
        guard isAsked, mayStart(now: now) else { return }
        let hasNoRows = hasNoMoreRows || environment.isInputAsleep
        guard !(hasNoRows && dispatcher.isIdle) else { return }
        switch settings.connection.credentials?.supply {
        case nil, .ready: break
        case .wait:
            lacksCredential = true
            return
        case .refused(let text): return drain(JobStop(.refused, text))
        }
        dispatcher.reviewDemand(times: limits.times, answers: latency.count, now: now)
        if observer.isLogging { observer.wanted(dispatcher.connectionDemand, now: now) }
        while connections.count < dispatcher.connectionPlaces { connections.append(nil) }
        while let index = dispatcher.nextDial(now: now) {
            observer.dialled(index, now: now)
            environment.openTransport(index)
        }
    }

    /// Ends the connections that take too long to be set up.
    mutating func endOverdueDials(now: Instant) {
        while let index = dispatcher.overdueDial(now: now) {
            end(index, .transient(Statement(overdueText(index))), now: now)
        }
    }

    private func overdueText(_ index: Int) -> String {
        if connections[index]?.phase == .greeting { return "no word of HTTP/2 in time" }
        guard let proxy = settings.connection.proxy else { return "no connection in time" }
        return connections[index] == nil
            ? proxy.blaming("no tunnel to \(proxy.target) in time")
            : "no connection in time, through the proxy \(proxy.proxy.name)"
    }

    /// Ends the connections on which nothing could be sent for as long as an answer may take.
    mutating func endBlockedConnections(now: Instant) {
        for index in connections.indices {
            let deadline = dispatcher.connections[index].blockedEnd(
                timeoutNanoseconds: settings.dispatch.timeoutNanoseconds)
            guard let deadline, now >= deadline else { continue }
            let isHeld = connections[index]?.isHeld == true
            end(
                index,
                .silent(
                    isHeld
                        ? "the provider sends half a TLS message" : "the provider reads nothing"),
                now: now)
        }
    }

    /// Tells the dispatcher whether a connection takes anything now.
    mutating func noteBlocked(_ connection: ClientConnection, _ index: Int, now: Instant) {
        dispatcher.connections[index].blocked(
            isFull: connection.isFull, isHeld: connection.isHeld, now: now)
    }

    // MARK: Facts from the transport

    /// A transport is up: TLS and HTTP begin.
    mutating func transportOpened(_ index: Int, now: Instant) {
        do throws(ConnectionError) {
            let connection = try ClientConnection(settings.connection, sharing: buffers)
            connection.trace = observer.trace(of: index)
            connections[index] = connection
            try connection.begin()
            if connection.phase == .open { connected(connection, index, now: now) }
        } catch {
            end(index, error.failure, now: now)
        }
    }

    /// Bytes have arrived: they are recorded, and `turn` acts on them.
    mutating func received(_ bytes: UnsafeRawBufferPointer, on index: Int, now: Instant) {
        guard let connection = connections[index] else { return }
        let wasOpen = connection.phase == .open
        dispatcher.connections[index].received(now: now)
        do throws(ConnectionError) {
            unsafe try connection.receive(bytes, now: now)
        } catch {
            // Events from before the fault still count: answers are answers.
            drainEvents(index, now: now)
            flush(index, now: now)
            end(index, error.failure, now: now)
            return
        }
        noteBlocked(connection, index, now: now)
        if !wasOpen && connection.phase == .open { connected(connection, index, now: now) }
    }

    private mutating func connected(_ connection: ClientConnection, _ index: Int, now: Instant) {
        report.tally.connectionsOpened += 1
        observer.opened(index, connection.credential, now: now)
        let signed = connection.credential.map { wall.moment(unixMilliseconds: $0.issuedAt * 1000) }
        dispatcher.connected(
            index, tokenSigned: signed, tokenLife: connection.credential?.life,
            isSerial: connection.isSerial, now: now)
    }

    /// The transport takes bytes again.
    mutating func transportWritable(_ index: Int, now: Instant) {
        guard let connection = connections[index] else { return }
        connection.unblocked()
        noteBlocked(connection, index, now: now)
    }

    /// The peer has ended a transport in good order; `transportClosed` follows.
    mutating func transportEnded(_ index: Int) {
        connections[index]?.transportEnded()
    }

    /// A transport could not be opened, or is gone.
    mutating func transportClosed(_ index: Int, _ failure: ConnectionFailure, now: Instant) {
        guard !dispatcher.connections[index].isUnused else { return }
        if connections[index] != nil { drainEvents(index, now: now) }
        guard !dispatcher.connections[index].isUnused else { return }
        var failure = failure
        if let connection = connections[index], connection.phase == .greeting {
            failure = .transient(
                "\(failure.text) before a word of HTTP/2" + advice(onSilent: connection))
        } else if connections[index] == nil, case .permanent(let text) = failure, wasServed {
            // Rules and passwords of a proxy that has opened tunnels before: it has come to another mind, and may
            // do so again.
            failure = .transient(text)
        }
        end(index, failure, closesTransport: false, now: now)
    }

    /// Returns advice about a server that has closed without a word of HTTP/2.
    ///
    /// TLS servers do so when they receive something other than TLS, or when they miss a
    /// certificate.
    private func advice(onSilent connection: ClientConnection) -> Statement {
        if connection.isEncrypted {
            return " (it has asked for a client certificate: check \(.certificate))"
        }
        return wasServed ? "" : " (is it TLS? then use https://)"
    }

    /// True if the provider has ever spoken HTTP/2 with any lane.
    private var wasServed: Bool { report.tally.connectionsOpened > 0 || environment.isReached }

    // MARK: Ends

    /// The peer says that it takes no more requests on this connection.
    mutating func goAwayReceived(
        _ connection: ClientConnection, _ index: Int, last: Int32, code: HTTP2ErrorCode,
        now: Instant
    ) {
        // A provider may explain itself in the debug data; its words about the credentials end the
        // job.
        let debugData = unsafe connection.session.withValue { unsafe $0.goAwayDebugData }
        let notice = unsafe reader.notice(inDebugData: debugData)
        unsafe observer.goAway(index, last: last, code: code, reason: notice?.reason, now: now)
        if let notice, let match = notice.class {
            credentialJudged(match.credential, on: index, now: now)
            if match.job == .stop {
                let text = unsafe String(decoding: notice.reason, as: UTF8.self)
                drain(
                    JobStop(
                        .refused, "the provider closed the connection: \(text)",
                        answer: .init(
                            status: 0, reason: text, provider: settings.connection.service.provider)
                    ))
            }
        }
        retire(index, because: "goaway", now: now)
    }

    /// Retires a connection: it gets no more requests, and closes with its last answer.
    /// - Parameters:
    ///   - index: The connection.
    ///   - cause: The cause's word in the log.
    ///   - now: The time.
    mutating func retire(_ index: Int, because cause: StaticString, now: Instant) {
        if observer.isLogging, !dispatcher.connections[index].isDraining {
            observer.note(
                "connection_retired", .info, on: index, now: now, [.init("cause", "\(cause)")])
        }
        switch dispatcher.retire(index) {
        case .close: sayGoodbye(index, now: now)
        case .drain, .none: break
        }
    }

    /// Ends a connection that has nothing in flight, in good order.
    mutating func sayGoodbye(_ index: Int, now: Instant) {
        guard let connection = connections[index] else { return }
        unsafe connection.sayGoodbye(now: now) { [environment] bytes in
            unsafe environment.send(bytes, on: index)
        }
        end(index, .ours("finished"), now: now)
    }

    /// Takes everything off a connection and forgets it.
    ///
    /// An HTTP/2 session that ends says nothing about its streams, so the dispatcher's list is swept. An
    /// answer that has begun counts; without one it depends on how much of the request had left.
    mutating func end(
        _ index: Int, _ failure: ConnectionFailure, closesTransport: Bool = true, now: Instant
    ) {
        guard !dispatcher.connections[index].isUnused else { return }
        let connection = connections[index]
        if observer.isLogging {
            observer.tellFrames(of: connection, index)
            let inFlight = dispatcher.window(of: index).inFlight
            observer.ended(index, failure, inFlight: inFlight, now: now)
        }
        // First, so that the end of its last request does not begin a good-bye.
        connections[index] = nil
        let inFlight = dispatcher.inFlightCount
        let oldest = dispatcher.oldestStart(on: index)
        // A request that went alone says nothing of how many are too many.
        let wasProbing = dispatcher.window(of: index).isProbing
        var lost = 0
        while let id = dispatcher.oldest(on: index) {
            guard let connection else {
                preconditionFailure("BUG: a request on a connection that was never up")
            }
            let attempt = attemptLost(id, on: connection, index, failure.end, now: now)
            if case .inDoubt = attempt.end { lost += 1 }
            attemptEnded(id, attempt, on: index, now: now)
        }
        if closesTransport { environment.closeTransport(index) }
        let isFailure = failure.end != .aborted
        if isFailure && lost > 0 {
            if case .silent = failure, let oldest {
                dispatcher.patience.unanswered(since: oldest, now: now)
            } else {
                dispatcher.patience.troubled(now: now)
            }
            if !wasProbing { dispatcher.cutOff(lost: lost, of: inFlight) }
        }
        let isDismissed = dispatcher.connections[index].isDismissed
        let action = dispatcher.lost(index, isFailure: isFailure, now: now)
        guard !isFinished else { return }
        if dispatcher.patience.since != nil {
            if isFailure {
                complaints.heard(failure.text)
            } else if isDismissed {
                complaints.heard("it sends every connection away")
            }
        }
        if case .permanent(let text) = failure {
            drain(JobStop(.refused, "no connection to the provider: \(text)"))
        } else if action == .giveUp, !environment.isReached {
            drain(complaints.noConnection())
        }
    }
}
