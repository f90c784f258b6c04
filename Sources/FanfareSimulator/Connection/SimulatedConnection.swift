package import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server
import FanfareJSON

/// One client's connection to the simulated provider: bytes in, bytes out.
///
/// Knows no socket and no clock. Call `receive` with what arrives and `timerFired` at
/// `nextDeadline`; after each, send what `write` gives, and close when `wantsClose` says so.
package final class SimulatedConnection: SimulatedClient {
    private let core: SimulatorCore
    private let number: UInt64
    private let openedAt: Instant
    private let isCertified: Bool

    private var session: ServerSession
    private var gate = ProviderTokenGate()
    private var google = GoogleDesk()
    /// True if a request was for one of Google's services.
    private var isGoogles = false
    private var streamLimit: StreamLimitRule
    private var queue = AnswerQueue()
    /// The decisions, by the slots of their streams.
    private var pending: [PendingAnswer] = []
    /// The answers of Google's services, in the same places: they have memory of their own.
    private var googleAnswers: [GoogleAnswer?] = []
    private var requests: UInt64 = 0
    private var hasNamedID = false

    /// The time of the second GOAWAY of a graceful end.
    private var drainsAt: Instant?
    private var hasAnnouncedEnd = false
    private var isEnding = false
    private var isCut = false
    package private(set) var faults = ConnectionFaults()

    /// Begins a connection; the first bytes are ready to be written.
    /// - Parameters:
    ///   - core: The state that the connections of this thread share.
    ///   - number: The connection's number, from 1 in order of arrival.
    ///   - isCertified: True if the client has shown a certificate.
    ///   - now: The moment.
    /// - Throws: `SimulatorError` if there is no memory.
    package init(
        core: SimulatorCore, number: UInt64, isCertified: Bool, now: Instant
    ) throws(SimulatorError) {
        let configuration = core.configuration
        let isCertified = isCertified || configuration.acceptsAnonymous
        let streamLimit = StreamLimitRule(
            highLimit: configuration.maxConcurrentStreams, startsAtOne: !isCertified,
            isFixed: configuration.fixedStreamLimit)
        do {
            session = try ServerSession(
                ServerSessionConfiguration(
                    maxConcurrentStreams: streamLimit.limit,
                    initialWindowSize: configuration.initialWindowSize,
                    connectionWindow: configuration.connectionWindow,
                    headerTableSize: configuration.headerTableSize,
                    maxHeaderListSize: configuration.maxHeaderListSize,
                    streamCapacity: Int(configuration.maxConcurrentStreams) + 64,
                    bodyBytes: configuration.described == nil
                        ? Limits.requestBodyBytes : Limits.simulatorBodyBytes))
        } catch {
            throw SimulatorError("", error.text)
        }
        self.core = core
        self.number = number
        self.isCertified = isCertified
        self.streamLimit = streamLimit
        openedAt = now
    }

    /// Takes bytes of the client, all of them.
    /// - Parameters:
    ///   - bytes: Lent for the call.
    ///   - now: The moment.
    ///   - unixMilliseconds: The time of day.
    package func receive(
        _ bytes: UnsafeRawBufferPointer, now: Instant, unixMilliseconds: UInt64
    ) {
        guard isReading, !isCut else { return }
        attempt { session throws(HTTP2Error) in try unsafe session.receive(bytes) }
        // Bytes behind a request that ends the reading count as if they had come later.
        while isReading, !isCut, let event = session.nextEvent() {
            switch event {
            case .requestReceived(let stream):
                // GOAWAY is about to say that nothing came of it, so nothing may.
                guard stream.id <= session.goAwayLastStreamID else { continue }
                requestReceived(stream, now: now, unixMilliseconds: unixMilliseconds)
            case .streamClosed(let stream, _):
                if Int(stream.slot) < pending.count { pending[Int(stream.slot)].streamID = 0 }
                session.release(stream)
            case .settings, .goAway, .pingAcknowledged: break
            }
        }
    }

    /// Gives the answers that are due.
    package func timerFired(now: Instant) {
        while let stream = queue.popDue(now: now) {
            // The client may have given the stream up meanwhile.
            if pending[Int(stream.slot)].streamID == stream.id { finish(stream, now: now) }
        }
        if let moment = drainsAt, moment <= now {
            drainsAt = nil
            goAway(lastStreamID: nil, code: .noError, reason: "")
        }
    }

    /// The time at which to call `timerFired`, or nil.
    package var nextDeadline: Instant? {
        if isStalled || isCut { return nil }
        guard let drainsAt else { return queue.nextDue }
        return min(drainsAt, queue.nextDue ?? .distantFuture)
    }

    /// Appends bytes for the client, until the buffer holds about `limit` or nothing is left.
    package func write(into buffer: inout ByteBuffer, limit: Int) {
        guard !isStalled, !isCut else { return }
        do {
            _ = try session.write(into: &buffer, limit: limit)
        } catch {
            isEnding = true
        }
    }

    /// True if `write` would return bytes now.
    package var wantsWrite: Bool { !isStalled && !isCut && session.wantsWrite }

    /// True if the connection is over, and all its bytes have been written.
    package var wantsClose: Bool {
        isCut || !isStalled && (isEnding || !session.wantsRead) && !session.wantsWrite
    }

    // MARK: Requests

    private func requestReceived(_ stream: StreamHandle, now: Instant, unixMilliseconds: UInt64) {
        requests += 1
        let service = service(of: stream)
        if service != .oauth { core.counters.requests += 1 }
        let moment = GoogleDesk.Moment(now: now, unixMilliseconds: unixMilliseconds)
        let decision =
            if let desk = core.configuration.described {
                decide(described: stream, desk, moment)
            } else if service == .apns {
                decide(stream, now: now, unixMilliseconds: unixMilliseconds)
            } else {
                decide(google: stream, service, moment)
            }

        let slot = Int(stream.slot)
        while pending.count <= slot { pending.append(PendingAnswer()) }
        pending[slot] = decision
        let latency = latency(of: decision.rule).nanoseconds(
            seed: core.configuration.seed, number: core.counters.requests)
        let delay = core.places?.delay(latency: latency, now: now) ?? latency
        if service != .apns {
            let milliseconds = Int64(unixMilliseconds) + delay / 1_000_000
            pending[slot].date = milliseconds / 1000
        }
        if let wait = core.answers[decision.answer].retryDateNanoseconds {
            // A date has whole seconds; rounded up, so that no client comes too early.
            let milliseconds = Int64(unixMilliseconds) + (delay + wait) / 1_000_000
            pending[slot].retryDate = (milliseconds + 999) / 1000
        }
        if delay == 0 {
            finish(stream, now: now)
        } else {
            queue.append(stream, due: now.advanced(byNanoseconds: delay))
        }
    }

    private func service(of stream: StreamHandle) -> SimulatedService {
        let path = unsafe session.field(.path, of: stream)
        guard let desk = core.configuration.described else {
            return unsafe SimulatedService(path: path)
        }
        return unsafe desk.isTokenRequest(path: String(decoding: path, as: UTF8.self))
            ? .oauth : .described
    }

    /// Decides about a request for APNs.
    private func decide(
        _ stream: StreamHandle, now: Instant, unixMilliseconds: UInt64
    ) -> PendingAnswer {
        var request = ReceivedRequest(stream, of: session)
        if unsafe request.authorization.baseAddress != nil && !isCertified {
            unsafe request.authorized(
                gate.judge(
                    request.authorization, unixSeconds: Int64(unixMilliseconds / 1000)
                ) { unsafe core.verify($0) })
        }
        let refusal = unsafe request.refusal(
            isJSON: core.validator.isValid(request.payload), isCertified: isCertified,
            topics: core.configuration.topics)

        var decision = PendingAnswer(streamID: stream.id)
        if let refusal {
            decision.answer = PreparedAnswer.index(of: refusal)
        } else if !core.scenario.isEmpty,
            let rule = unsafe rule(for: request.token, .apns, now: now)
        {
            decision.rule = rule
            decision.answer = PreparedAnswer.index(ofRule: rule)
        }
        let answer = core.answers[decision.answer]
        decision.timestamp = answer.timestamp ?? (answer.isStampedNow ? unixMilliseconds : 0)
        if unsafe request.messageID.isEmpty || refusal == .badMessageID {
            decision.generatedID = core.makeID()
        }
        if core.configuration.logsRequests {
            log(request, decision, stream, unixMilliseconds: unixMilliseconds)
        }
        return decision
    }

    /// Decides about a request for one of Google's services.
    private func decide(
        google stream: StreamHandle, _ service: SimulatedService, _ moment: GoogleDesk.Moment
    ) -> PendingAnswer {
        if !isGoogles {
            isGoogles = true
            let configuration = core.configuration
            announce(
                streamLimit.fix(
                    at: min(
                        configuration.maxConcurrentStreams,
                        configuration.fcm.maxConcurrentStreams)))
        }
        let rule = { (token: UnsafeBufferPointer<UInt8>) -> Int? in
            unsafe self.rule(for: token, service, now: moment.now)
        }
        let decision =
            unsafe service == .fcm
            ? google.decide(message: stream, of: session, core: core, moment: moment, rule: rule)
            : google.decide(
                tokenRequest: stream, of: session, core: core, moment: moment, rule: rule)
        return keep(decision, stream, moment)
    }

    /// Decides about a request for a provider that a file describes.
    private func decide(
        described stream: StreamHandle, _ desk: DescribedDesk, _ moment: GoogleDesk.Moment
    ) -> PendingAnswer {
        func text(_ field: RequestField) -> String? {
            let value = unsafe session.field(field, of: stream)
            guard unsafe value.baseAddress != nil else { return nil }
            return unsafe String(decoding: value, as: UTF8.self)
        }
        // Others are not kept.
        let authorization = text(.authorization)
        let received = DescribedDesk.Received(
            method: text(.method) ?? "", path: text(.path) ?? "",
            body: unsafe Array(session.body(of: stream)),
            field: { $0 == "authorization" ? authorization : nil })
        let decision = unsafe desk.decide(
            received, core: core, unixMilliseconds: moment.unixMilliseconds
        ) { unsafe self.rule(for: $0, $1, isFurtherRow: $2, now: moment.now) }
        return keep(decision, stream, moment)
    }

    /// Keeps a decision until its answer is due.
    private func keep(
        _ decision: GoogleDesk.Decision, _ stream: StreamHandle, _ moment: GoogleDesk.Moment
    ) -> PendingAnswer {
        if core.configuration.logsRequests {
            unsafe core.log.append(
                decision, path: session.field(.path, of: stream), connection: number,
                stream: stream.id, unixMilliseconds: moment.unixMilliseconds,
                status: isAnswered(decision.rule) ? decision.answer.status : 0,
                bodyBytes: session.body(of: stream).count)
        }
        var pending = PendingAnswer(streamID: stream.id)
        pending.rule = decision.rule
        if decision.rule >= 0 { pending.answer = PreparedAnswer.index(ofRule: decision.rule) }
        pending.service = decision.service
        let slot = Int(stream.slot)
        while googleAnswers.count <= slot { googleAnswers.append(nil) }
        googleAnswers[slot] = decision.answer
        return pending
    }

    private func rule(
        for token: UnsafeBufferPointer<UInt8>, _ service: SimulatedService,
        isFurtherRow: Bool = false, now: Instant
    ) -> Int? {
        var request = ScenarioState.Request(
            connection: number, numberOnConnection: requests,
            connectionAge: now.nanoseconds(since: openedAt), now: now, service: service)
        request.isFurtherRow = isFurtherRow
        return unsafe core.scenario.rule(for: request, token: token)
    }

    /// Returns true if a request that a rule was found for gets an answer at all.
    private func isAnswered(_ rule: Int) -> Bool {
        rule < 0 || core.configuration.scenario.rules[rule].action.stream.isAnswered
    }

    private func latency(of rule: Int) -> LatencyModel {
        guard rule >= 0, let latency = core.configuration.scenario.rules[rule].action.latency
        else { return core.configuration.latency }
        return latency
    }

    private func log(
        _ request: ReceivedRequest, _ decision: PendingAnswer, _ stream: StreamHandle,
        unixMilliseconds: UInt64
    ) {
        let status = isAnswered(decision.rule) ? core.answers[decision.answer].status : 0
        core.scratch.removeAll()
        decision.generatedID?.append(to: &core.scratch)
        unsafe core.log.append(
            request, id: decision.generatedID == nil ? request.messageID : core.scratch.bytes,
            connection: number, stream: stream.id, unixMilliseconds: unixMilliseconds,
            status: status, reason: core.answers[decision.answer].reason)
    }

    // MARK: Answers

    /// Carries out the decision about a request.
    private func finish(_ stream: StreamHandle, now: Instant) {
        guard stream.id <= session.goAwayLastStreamID else { return }
        let rule = pending[Int(stream.slot)].rule
        guard rule >= 0 else { return respond(stream) }
        let action = core.configuration.scenario.rules[rule].action
        switch action.stream {
        case .accept, .answer, .outcome: respond(stream)
        case .reset(let code):
            pending[Int(stream.slot)].streamID = 0
            if pending[Int(stream.slot)].service != .oauth { core.counters.reset += 1 }
            attempt { session throws(HTTP2Error) in
                try session.reset(stream, HTTP2ErrorCode(rawValue: code))
            }
        case .stall: pending[Int(stream.slot)].streamID = 0
        }
        if let limit = action.maxConcurrentStreams {
            announce(streamLimit.highLimitChanged(to: limit))
        }
        if let goAway = action.goAway { leave(goAway, stream, now: now) }
        faults.add(action)
        if action.leavesUnread {
            // Due answers go out first, and nothing more comes in.
            isEnding = true
        } else if action.closesConnection {
            // An answer goes out first; without one nothing does.
            if case .answer = action.stream { isEnding = true } else { isCut = true }
        }
    }

    private func respond(_ stream: StreamHandle) {
        let decision = pending[Int(stream.slot)]
        pending[Int(stream.slot)].streamID = 0
        if decision.service != .apns, let answer = googleAnswers[Int(stream.slot)].take() {
            return respond(stream, answer, decision)
        }
        let status = core.answers[decision.answer].status
        if status == 200 { core.counters.accepted += 1 } else { core.counters.refused += 1 }
        do {
            try AnswerWriter.respond(
                stream, decision, in: &session, scratch: &core.scratch,
                answer: core.answers[decision.answer], isFirst: !hasNamedID)
            hasNamedID = true
        } catch {
            isEnding = true
        }
        announce(streamLimit.answered(status: status))
    }

    private func respond(
        _ stream: StreamHandle, _ answer: GoogleAnswer, _ decision: PendingAnswer
    ) {
        core.counters.count(answer, of: decision.service)
        attempt { session throws(HTTP2Error) in
            try AnswerWriter.respond(
                stream, answer, decision, rule: core.answers[decision.answer],
                date: core.date(decision.date), in: &session)
        }
        announce(streamLimit.answered(status: answer.status))
    }

    private func announce(_ limit: UInt32?) {
        guard let limit else { return }
        attempt { session throws(HTTP2Error) in
            try session.updateSettings(maxConcurrentStreams: limit)
        }
    }

    // MARK: The end

    private func leave(_ order: Scenario.GoAway, _ stream: StreamHandle, now: Instant) {
        guard let code = order.errorCode else {
            // Rules that fire for each request ask for it again and again.
            guard !hasAnnouncedEnd else { return }
            hasAnnouncedEnd = true
            attempt { session throws(HTTP2Error) in try session.announceGoAway() }
            drainsAt = now.advanced(byNanoseconds: Limits.simulatorDrainNanoseconds)
            return
        }
        let last: Int32? =
            switch order.lastStream {
            case .received: nil
            case .beforeThis: max(stream.id - 2, 0)
            case .throughThis: stream.id
            case .id(let id): id
            }
        goAway(lastStreamID: last, code: HTTP2ErrorCode(rawValue: code), reason: order.reason)
        isEnding = true
    }

    private func goAway(lastStreamID: Int32?, code: HTTP2ErrorCode, reason: String) {
        // APNs puts the same JSON there as into the body of an answer.
        var debugData = reason.isEmpty ? "" : "{\"reason\":\"\(reason)\"}"
        debugData.withUTF8 { debugData in
            attempt { session throws(HTTP2Error) in
                try unsafe session.goAway(
                    lastStreamID: lastStreamID, code: code, debugData: debugData)
            }
        }
    }

    /// Works on the session; a failed session ends the connection once its last frames are out.
    private func attempt(_ body: (inout ServerSession) throws(HTTP2Error) -> Void) {
        do {
            try body(&session)
        } catch {
            isEnding = true
        }
    }
}
