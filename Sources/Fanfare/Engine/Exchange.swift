import FanfareBase
package import FanfareCore
import FanfareHTTP2

/// A request and its outcome, for a person who tries something out.
///
/// Without credentials, and with no more of a device token than tells it from others.
package struct Exchange: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The row, from 1.
    package var row: UInt64 = 0
    /// The number of the row's attempt, from 1.
    package var attempt = 1
    /// The start of the attempt, in milliseconds of UNIX time, and its duration.
    package var sentAtMilliseconds: Int64 = 0
    package var latency = Duration.zero
    /// The request's header fields, in the order in which they are sent.
    package var headers: [Field] = []
    package var payload: [UInt8] = []

    /// The provider that was asked; `nil` for any other server.
    package var provider: ProviderKind?
    /// The answer's status; 0 if there was none.
    package var status: UInt16 = 0
    /// The answer's fields that are of interest to people.
    package var answerHeaders: [Field] = []
    /// The first bytes of its body, and how many it had.
    package var body: [UInt8] = []
    package var bodyBytes: UInt64 = 0
    /// The reason in the answer's body, or else the way it ended.
    package var reason = ""
    /// The moment when the token became invalid, in milliseconds of UNIX time, if the provider
    /// named it.
    package var timestamp: Int64?
    /// True if another attempt follows.
    package var isTriedAgain = false

    /// Nothing yet.
    package init() {}
}

/// Puts exchanges together while a lane has their parts.
struct ExchangeRecorder {
    let show: @Sendable (Exchange) -> Void
    /// The answer that came last, for the attempt that ends next.
    private var heard = Exchange()

    init(_ show: @escaping @Sendable (Exchange) -> Void) { self.show = show }

    /// An answer is being looked at; its attempt ends next.
    mutating func heard(_ response: Response) {
        heard = Exchange()
        if unsafe !response.messageID.isEmpty {
            heard.answerHeaders.append(
                .init(Response.messageIDName, unsafe Self.text(response.messageID)))
        }
        if unsafe !response.retryAfter.isEmpty {
            heard.answerHeaders.append(.init("retry-after", unsafe Self.text(response.retryAfter)))
        }
        heard.body = unsafe Array(response.body)
        heard.bodyBytes = response.bodyBytes
    }

    /// Returns the last answer for an attempt that has had one; else an empty exchange.
    mutating func take(isAnswer: Bool) -> Exchange {
        defer { heard = Exchange() }
        return isAnswer ? heard : Exchange()
    }

    fileprivate static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(decoding: bytes, as: UTF8.self)
    }
}

extension LaneEngine {
    /// Shows an attempt that has ended.
    mutating func showExchange(_ id: RequestID, _ attempt: Attempt, on index: Int, now: Instant) {
        guard var exchange = observer.takeExchange(isAnswer: attempt.isAnswer) else { return }
        let request = dispatcher.request(id)
        exchange.row = rows[id].number
        exchange.attempt = Int(request.attempts)
        exchange.sentAtMilliseconds = wall.milliseconds(at: request.startedAt)
        exchange.latency = .nanoseconds(max(now.nanoseconds(since: request.startedAt), 0))
        exchange.headers = shownHeaders(of: rows[id])
        exchange.payload = shownPayload(of: rows[id])
        exchange.provider = settings.connection.service.provider
        exchange.status = attempt.status
        exchange.reason = unsafe ExchangeRecorder.text(attempt.reason)
        exchange.timestamp = attempt.timestamp
        exchange.isTriedAgain =
            switch attempt.end {
            case .answeredFinally: false
            case .answeredAgain: Int(request.attempts) < settings.dispatch.retry.attemptsMax
            case .unprocessed, .dismissed: true
            case .inDoubt, .answeredInDoubt: settings.dispatch.resendsInDoubt
            }
        observer.show(exchange)
    }

    /// A request's payload as it may be shown to a person: some providers have the device token in it.
    private func shownPayload(of row: borrowing PreparedRow) -> [UInt8] {
        let payload = unsafe ExchangeRecorder.text(row.bytes.bytes(row.payload))
        let token = unsafe ExchangeRecorder.text(row.bytes.bytes(row.token))
        let shown = TerminalText.shown(token, max: 8)
        return Array((token.isEmpty ? payload : payload.replacing(token, with: shown)).utf8)
    }

    /// A request's header fields as they may be shown to a person.
    private func shownHeaders(of row: borrowing PreparedRow) -> [Exchange.Field] {
        let hidden = settings.connection.credentials == nil ? nil : "(not shown)"
        let fields = settings.connection.service.headerFields(credential: hidden)
        var place = 0
        var shown: [Exchange.Field] = []
        for field in fields {
            guard field.source != .fixed else {
                let isSecret = field.indexing == .neverIndexed
                shown.append(.init(field.name, isSecret ? "(not shown)" : field.value ?? ""))
                continue
            }
            let range = row.field(place)
            place += 1
            let own = unsafe ExchangeRecorder.text(row.bytes.bytes(range))
            if field.source == .place {
                let text = range == row.token ? TerminalText.shown(own, max: 8) : own
                shown.append(.init(field.name, (field.value ?? "") + text))
            } else if let value = range.isEmpty ? field.value : own {
                shown.append(.init(field.name, value))
            }
        }
        return shown
    }
}
