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
    /// The rule of HTTP that the answer broke, and the name of the header field; empty for none.
    package var fault = ""
    /// The moment when the token became invalid, in milliseconds of UNIX time, if the provider
    /// named it.
    package var timestamp: Int64?
    /// True if another attempt follows.
    package var isTriedAgain = false

    /// Nothing yet.
    package init() {}
}

/// Puts exchanges together while a lane has their parts, and shows them.
struct ExchangeRecorder {
    private let show: @Sendable (Exchange) -> Void
    private let wall: WallTime
    private let service: any PushService
    private let hasCredentials: Bool
    private let attemptsMax: Int
    private let resendsInDoubt: Bool
    /// The answer that came last, for the attempt that ends next.
    private var heard = Exchange()
    /// The rule that an answer has broken whose attempt ends next; empty for none.
    private var fault = ""

    init(_ settings: LaneSettings, _ wall: WallTime, _ show: @escaping @Sendable (Exchange) -> Void)
    {
        self.show = show
        self.wall = wall
        service = settings.connection.service
        hasCredentials = settings.connection.credentials != nil
        attemptsMax = settings.dispatch.retry.attemptsMax
        resendsInDoubt = settings.dispatch.resendsInDoubt
    }

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

    /// An answer has broken HTTP; its attempt ends next.
    mutating func malformed(_ fault: MalformedAnswer, _ field: String?) {
        self.fault = fault.description + (field.map { ": \($0)" } ?? "")
    }

    /// Shows an attempt that has ended, with the last answer if it had one.
    mutating func ended(
        _ attempt: Attempt, _ request: Request, _ row: borrowing PreparedRow, now: Instant
    ) {
        var exchange = attempt.isAnswer ? heard : Exchange()
        heard = Exchange()
        exchange.fault = fault
        fault = ""
        exchange.row = row.number
        exchange.attempt = Int(request.attempts)
        exchange.sentAtMilliseconds = wall.milliseconds(at: request.startedAt)
        exchange.latency = .nanoseconds(max(now.nanoseconds(since: request.startedAt), 0))
        exchange.headers = shownHeaders(of: row)
        exchange.payload = shownPayload(of: row)
        exchange.provider = service.provider
        exchange.status = attempt.status
        exchange.reason = unsafe Self.text(attempt.reason)
        exchange.timestamp = attempt.timestamp
        exchange.isTriedAgain =
            switch attempt.end {
            case .answeredFinally: false
            case .answeredAgain: Int(request.attempts) < attemptsMax
            case .unprocessed, .dismissed: true
            case .inDoubt, .answeredInDoubt: resendsInDoubt
            }
        show(exchange)
    }

    /// A request's payload as it may be shown to a person: some providers have the device token in it.
    private func shownPayload(of row: borrowing PreparedRow) -> [UInt8] {
        unsafe Self.shown(Array(row.bytes.bytes(row.payload)), token: row.bytes.bytes(row.token))
    }

    /// Returns a payload with the beginning of a token in place of the token: as it is, and as a string of JSON has it.
    static func shown(_ payload: [UInt8], token: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard !token.isEmpty else { return payload }
        let shown = unsafe TerminalText.shown(text(token), max: 8).utf8
        var escaped = ByteBuffer(capacity: token.count)
        unsafe escaped.append(jsonEscaped: token)
        return unsafe payload.replacing(Array(token), with: shown)
            .replacing(Array(escaped.bytes), with: shown)
    }

    /// A request's header fields as they may be shown to a person.
    private func shownHeaders(of row: borrowing PreparedRow) -> [Exchange.Field] {
        let hidden = hasCredentials ? "(not shown)" : nil
        let fields = service.headerFields(credential: hidden)
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
            let own = unsafe Self.text(row.bytes.bytes(range))
            if field.source == .place {
                let text = range == row.token ? TerminalText.shown(own, max: 8) : own
                shown.append(.init(field.name, (field.value ?? "") + text))
            } else if let value = range.isEmpty ? field.value : own {
                shown.append(.init(field.name, value))
            }
        }
        return shown
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(decoding: bytes, as: UTF8.self)
    }
}
