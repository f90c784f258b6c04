package import FanfareBase
import FanfareCore

/// A connection of HTTP/1.1 to a provider that a file describes: one request, its answer, and the next one.
package final class SimulatedTextConnection: SimulatedClient {
    private enum State {
        /// Waits for a request, or for the rest of it.
        case idle
        /// Has decided about one, whose answer is due at a time.
        case answering(GoogleDesk.Decision, due: Instant, retryAfter: [UInt8])
        /// Never answers, but reads.
        case stalled
        /// Writes its last bytes, and then ends.
        case ending
    }

    private let core: SimulatorCore
    private let desk: DescribedDesk
    private let number: UInt64
    private let openedAt: Instant
    private var reader = TextRequestReader()
    private var state = State.idle
    private var output = ByteBuffer()
    private var requests: UInt64 = 0
    /// The time of day of the last bytes, and when they came.
    private var clock: (unixMilliseconds: UInt64, at: Instant)
    private var isCut = false
    package private(set) var faults = ConnectionFaults()

    /// - Parameters:
    ///   - core: The state that the connections of this thread share.
    ///   - desk: The desk that answers.
    ///   - number: The connection's number, from 1 in order of arrival.
    ///   - now: The moment.
    package init(core: SimulatorCore, desk: DescribedDesk, number: UInt64, now: Instant) {
        self.core = core
        self.desk = desk
        self.number = number
        openedAt = now
        clock = (0, now)
    }

    package func receive(
        _ bytes: UnsafeRawBufferPointer, now: Instant, unixMilliseconds: UInt64
    ) {
        guard isReading, !isCut else { return }
        clock = (unixMilliseconds, now)
        unsafe reader.append(bytes)
        advance(now: now)
    }

    package func timerFired(now: Instant) {
        advance(now: now)
    }

    package var nextDeadline: Instant? {
        guard !isStalled, !isCut, case .answering(_, let due, _) = state else { return nil }
        return due
    }

    package func write(into buffer: inout ByteBuffer, limit: Int) {
        guard wantsWrite else { return }
        let count = min(output.count, max(limit - buffer.count, 0))
        unsafe buffer.append(UnsafeBufferPointer(rebasing: output.bytes[..<count]))
        output.removeFirst(count)
    }

    package var wantsWrite: Bool { !isStalled && !isCut && !output.isEmpty }

    package var wantsClose: Bool {
        guard !isCut, !isStalled else { return isCut }
        if case .ending = state { return output.isEmpty }
        return false
    }

    // MARK: Requests

    /// Does what can be done now.
    private func advance(now: Instant) {
        while !isCut, !isStalled {
            switch state {
            case .stalled, .ending: return
            case .answering(let decision, let due, let retryAfter):
                guard due <= now else { return }
                finish(decision, retryAfter)
            case .idle:
                switch reader.next() {
                case .needsMore: return
                case .request(let request): decide(request, now: now)
                case .fault(let status):
                    write(status: status, GoogleAnswer(status: status, body: []), [])
                    state = .ending
                }
            }
        }
    }

    private func decide(_ request: TextRequestReader.Request, now: Instant) {
        requests += 1
        let isForToken = desk.isTokenRequest(path: request.path)
        if !isForToken { core.counters.requests += 1 }
        let decision = unsafe desk.decide(
            DescribedDesk.Received(
                method: request.method, path: request.path, body: request.body,
                field: { request.field($0) }),
            core: core, unixMilliseconds: clock.unixMilliseconds
        ) { token, service, isFurtherRow in
            var request = ScenarioState.Request(
                connection: number, numberOnConnection: requests,
                connectionAge: now.nanoseconds(since: openedAt), now: now, service: service)
            request.isFurtherRow = isFurtherRow
            return unsafe core.scenario.rule(for: request, token: token)
        }
        var retryAfter: [UInt8] = []
        var latency = core.configuration.latency
        if decision.rule >= 0 {
            latency = core.configuration.scenario.rules[decision.rule].action.latency ?? latency
            let prepared = core.answers[PreparedAnswer.index(ofRule: decision.rule)]
            retryAfter = prepared.retryAfter
        }
        let wait = latency.nanoseconds(
            seed: core.configuration.seed, number: core.counters.requests)
        let delay = core.places?.delay(latency: wait, now: now) ?? wait
        if decision.rule >= 0,
            let later = core.answers[PreparedAnswer.index(ofRule: decision.rule)]
                .retryDateNanoseconds
        {
            let milliseconds = Int64(clock.unixMilliseconds) + (delay + later) / 1_000_000
            retryAfter = HTTPDateText.bytes(seconds: (milliseconds + 999) / 1000)
        }
        if core.configuration.logsRequests { log(decision, request) }
        state = .answering(
            decision, due: now.advanced(byNanoseconds: delay), retryAfter: retryAfter)
    }

    private func log(_ decision: GoogleDesk.Decision, _ request: TextRequestReader.Request) {
        var path = request.path
        let status = action(of: decision).stream.isAnswered ? decision.answer.status : 0
        path.withUTF8 { path in
            unsafe core.log.append(
                decision, path: path, connection: number, stream: 0,
                unixMilliseconds: clock.unixMilliseconds, status: status,
                bodyBytes: request.body.count)
        }
    }

    private func action(of decision: GoogleDesk.Decision) -> Scenario.Action {
        decision.rule >= 0
            ? core.configuration.scenario.rules[decision.rule].action : Scenario.Action()
    }

    // MARK: Answers

    private func finish(_ decision: GoogleDesk.Decision, _ retryAfter: [UInt8]) {
        let action = action(of: decision)
        state = .idle
        switch action.stream {
        case .accept, .answer, .outcome:
            core.counters.count(decision.answer, of: decision.service)
            // There is no other way to say that a connection ends.
            let isLast = action.goAway != nil || action.closesConnection
            write(status: decision.answer.status, decision.answer, retryAfter, isLast: isLast)
            if isLast { state = .ending }
        case .reset:
            if decision.service != .oauth { core.counters.reset += 1 }
            isCut = true
        case .stall:
            state = .stalled
            if action.closesConnection || action.goAway?.errorCode != nil { isCut = true }
        }
        faults.add(action)
        if action.leavesUnread {
            isCut = false
            state = .ending
        }
    }

    private func write(
        status: Int, _ answer: GoogleAnswer, _ retryAfter: [UInt8], isLast: Bool = false
    ) {
        output.append("HTTP/1.1 \(status) \(status < 300 ? "OK" : "Refused")\r\n")
        output.append("content-type: ")
        output.append(answer.content.type)
        output.append("\r\ncontent-length: ")
        output.append(decimal: UInt64(answer.body.count))
        if !retryAfter.isEmpty {
            output.append("\r\nretry-after: ")
            output.append(retryAfter)
        }
        if isLast { output.append("\r\nconnection: close") }
        output.append("\r\n\r\n")
        output.append(answer.body)
    }
}

extension Scenario.StreamAction {
    /// Returns true if a request has an answer.
    var isAnswered: Bool {
        switch self {
        case .reset, .stall: false
        case .accept, .answer, .outcome: true
        }
    }
}
