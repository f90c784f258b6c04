import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server

/// One connection's knowledge of Google's services.
///
/// It is the access token of its requests, and the path, which is the same for all of them.
struct GoogleDesk: ~Copyable {
    /// The decision about a request.
    struct Decision {
        var answer: GoogleAnswer
        /// The scenario's rule that decided, or a negative number.
        var rule = -1
        var service: SimulatedService
        /// The target of the message; empty if the request was decided before.
        var target = ""
        /// The name of the message that the answer gives; empty for none.
        var name = ""
        /// The provider in the log.
        var label = ""
    }

    /// The time, by both clocks.
    struct Moment {
        var now: Instant
        var unixMilliseconds: UInt64
    }

    private var gate = AccessTokenGate()
    private var pathBytes = ByteBuffer(capacity: 64)
    private var path = FCMPath("")

    /// Decides about a request for FCM.
    /// - Parameters:
    ///   - stream: The request, with a path of FCM's.
    ///   - session: The connection.
    ///   - core: The state that connections share.
    ///   - moment: The time.
    ///   - rule: Finds the scenario's rule for the text of a target.
    /// - Returns: The answer, and its target.
    mutating func decide(
        message stream: StreamHandle, of session: borrowing ServerSession, core: SimulatorCore,
        moment: Moment, rule: (UnsafeBufferPointer<UInt8>) -> Int?
    ) -> Decision {
        let bytes = unsafe session.field(.path, of: stream)
        if unsafe !bytes.equals(pathBytes.bytes) {
            pathBytes.removeAll()
            unsafe pathBytes.append(bytes)
            path = unsafe FCMPath(String(decoding: bytes, as: UTF8.self))
        }
        var decision = Decision(
            answer: GoogleAnswer(status: 200, .object([]), isPretty: false), service: .fcm)
        do throws(FCMRefusal) {
            let message = try read(stream, of: session, core: core, moment: moment)
            decision.target = message.target.text
            var text = decision.target
            if !core.scenario.isEmpty, let index = text.withUTF8({ unsafe rule($0) }) {
                decision.rule = index
                let scenario = core.configuration.scenario.rules[index]
                if case .answer(let answer) = scenario.action.stream, answer.status != 200 {
                    throw FCMRefusal(
                        answer, scope: scenario.condition.rateLimit?.scope,
                        project: path.project, target: message.target)
                }
            }
            decision.name = name(of: message, core.makeID(), moment)
            decision.answer = GoogleAnswer(
                status: 200, .object([.init("name", decision.name)]), isPretty: path.isPretty)
        } catch {
            decision.answer = error.answer(isPretty: path.isPretty)
            if case .quotaExceeded(.project, _, .some) = error {
                decision.answer.retryAfter = core.project.secondsToQuota(now: moment.now)
            }
        }
        return decision
    }

    /// Checks a request for FCM in the simulator's order, which `FCMRefusal` tells.
    private mutating func read(
        _ stream: StreamHandle, of session: borrowing ServerSession, core: SimulatorCore,
        moment: Moment
    ) throws(FCMRefusal) -> FCMMessage {
        guard !path.project.isEmpty, unsafe session.field(.method, of: stream).equals("POST") else {
            throw .notServed(path: unsafe String(decoding: pathBytes.bytes, as: UTF8.self))
        }
        let fcm = core.configuration.fcm
        let grant = try unsafe gate.judge(
            session.field(.authorization, of: stream), unixMilliseconds: moment.unixMilliseconds,
            tokens: core.accessTokens,
            isAnonymous: core.configuration.acceptsAnonymous || fcm.acceptsAnonymous)
        // Without a credential there is no telling which project is the right one.
        guard grant == nil || path.project == fcm.projectID else { throw .projectNotFound }
        guard core.project.spend(now: moment.now) else {
            throw .quotaExceeded(
                .project, subject: "project:\(path.project)", value: fcm.quotaPerMinute)
        }
        if let name = path.unknownParameter { throw .unreadable([FCMMessage.unbound(name)]) }
        return try unsafe FCMMessage(
            session.body(of: stream), contentType: session.field(.contentType, of: stream))
    }

    /// The name of a message, in the forms that the service has for each target.
    private func name(of message: FCMMessage, _ id: GeneratedID, _ moment: Moment) -> String {
        let place = "projects/\(path.project)/messages/"
        guard !message.isRehearsal else { return place + "fake_message_id" }
        guard case .device = message.target else { return place + "\(id.digits)" }
        var buffer = ByteBuffer()
        buffer.appendHexadecimal(id.digits, digits: 16)
        let micros = moment.unixMilliseconds * 1000 + id.digits % 1000
        let digits = unsafe String(decoding: buffer.bytes, as: UTF8.self)
        return place + "0:\(micros)%\(digits)"
    }

    /// Decides about a request for an access token.
    /// - Parameters:
    ///   - stream: The request.
    ///   - session: The connection.
    ///   - core: The state that connections share.
    ///   - moment: The time.
    ///   - rule: Finds the scenario's rule.
    /// - Returns: The answer.
    func decide(
        tokenRequest stream: StreamHandle, of session: borrowing ServerSession,
        core: SimulatorCore, moment: Moment, rule: (UnsafeBufferPointer<UInt8>) -> Int?
    ) -> Decision {
        func text(_ field: RequestField) -> String {
            unsafe String(decoding: session.field(field, of: stream), as: UTF8.self)
        }
        guard text(.method) == "POST" else {
            return Decision(answer: .notServed(text(.path)), service: .oauth)
        }
        let index = core.scenario.isEmpty ? nil : unsafe rule(.empty)
        if let index,
            case .answer(let answer) = core.configuration.scenario.rules[index].action
                .stream, answer.status != 200
        {
            return Decision(answer: OAuthRefusal(answer).answer, rule: index, service: .oauth)
        }
        let endpoint = TokenEndpoint(
            account: core.project.account, tokens: core.accessTokens,
            configuration: core.configuration.fcm)
        let answer = unsafe endpoint.answer(
            session.body(of: stream), origin: "\(text(.scheme))://\(text(.authority))",
            unixMilliseconds: moment.unixMilliseconds, number: core.makeTokenNumber())
        return Decision(answer: answer, rule: index ?? -1, service: .oauth)
    }
}
