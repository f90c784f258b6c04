import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The observers of a lane: the log, the meter of a load test, a user who tries something out.
///
/// Most jobs have none, and then all of this costs a look at one byte: an object that is asked for
/// its interest would be counted as a reference each time.
struct LaneObserver: ~Copyable {
    private struct Interests: OptionSet {
        let rawValue: UInt8
        static let log = Interests(rawValue: 1)
        static let requests = Interests(rawValue: 2)
        static let exchanges = Interests(rawValue: 4)
    }

    private let inPlace = InPlace()
    private let interests: Interests
    /// The events for the log.
    private(set) var events: EventBuffer
    let meter: RequestMeter?
    private var exchanges: ExchangeRecorder?
    private let wall: WallTime

    init(_ settings: LaneSettings, _ wall: WallTime) {
        events = settings.events
        meter = settings.meter
        exchanges = settings.onExchange.map { ExchangeRecorder(settings, wall, $0) }
        self.wall = wall
        var interests = Interests()
        if settings.events.isOn { interests.insert(.log) }
        if settings.meter != nil { interests.insert(.requests) }
        if settings.onExchange != nil { interests.insert(.exchanges) }
        self.interests = interests
    }

    /// True if an observer looks at attempts.
    var isObserving: Bool { !interests.isEmpty }

    /// Notes that an attempt has ended.
    mutating func ended(
        _ id: RequestID, _ attempt: Attempt, _ request: Request, _ row: borrowing PreparedRow,
        now: Instant
    ) {
        if isLogging, attempt.isThrottled {
            // The provider wants the request later.
            unsafe events.throttled(attempt.status, attempt.reason)
        }
        exchanges?.ended(attempt, request, row, now: now)
        if !attempt.isDismissed {
            meter?.ended(id, attempt, started: request.startedAt, now: now)
        }
    }

    // MARK: The meter

    /// True if the requests are those of a load test.
    var isMetered: Bool { interests.contains(.requests) }

    /// A request of a load test went on the wire for the first time.
    func started(_ id: RequestID, due: Instant, now: Instant) {
        meter?.started(id, due: due, now: now)
    }

    /// A request is not sent any more; one that never was is none of a load test's.
    func leftUnfinished(_ id: RequestID, _ request: Request, now: Instant) {
        guard isMetered, request.isRepeated else { return }
        meter?.leftUnfinished(id, started: request.startedAt, now: now)
    }

    /// Notes that the lane has started as many requests as it could.
    func turned(isFull: Bool, now: Instant) {
        if isMetered { meter?.turned(isFull: isFull, now: now) }
    }

    func aborted() { meter?.aborted() }

    func finished(now: Instant) { meter?.finished(now: now) }

    // MARK: Exchanges

    /// An answer is being looked at; its attempt ends next.
    mutating func heard(_ response: Response) {
        if interests.contains(.exchanges) { exchanges?.heard(response) }
    }

    /// An answer has broken HTTP; its attempt ends next.
    mutating func malformed(_ malformation: Malformation, on index: Int, now: Instant) {
        guard let fault = malformation.fault, isObserving else { return }
        if interests.contains(.exchanges) { exchanges?.malformed(fault, malformation.field) }
        guard isLogging else { return }
        var fields = [LogEvent.Field("reason", fault.description)]
        if let field = malformation.field { fields.append(.init("field", field)) }
        note("answer_malformed", .warning, on: index, now: now, fields)
    }

    // MARK: The log

    /// True if the log takes events; read it before putting an event together.
    var isLogging: Bool { interests.contains(.log) }

    mutating func note(
        _ name: StaticString, _ level: LogLevel, on index: Int? = nil, now: Instant,
        _ fields: [LogEvent.Field] = []
    ) {
        guard isLogging else { return }
        events.add(name, level, on: index, at: wall.milliseconds(at: now), fields)
    }

    /// A connection is dialled.
    mutating func dialled(_ index: Int, now: Instant) {
        guard isLogging else { return }
        events.dialled(index)
        note("connection_dialled", .info, on: index, now: now)
    }

    /// More connections are wanted, or fewer.
    mutating func wanted(_ demand: ConnectionDemand, now: Instant) {
        guard events.hasChanged(connectionsWanted: demand.target) else { return }
        var fields = [LogEvent.Field("connections", demand.target)]
        if let cause = demand.cause { fields.append(.init("cause", "\(cause.name)")) }
        note("connections_wanted", .info, now: now, fields)
    }

    /// A connection is up.
    mutating func opened(_ index: Int, _ credential: Credential?, now: Instant) {
        guard isLogging else { return }
        if let credential, credential.isNew {
            note(
                "provider_token_signed", .info, on: index, now: now,
                [.init("issued_at", credential.issuedAt)])
        }
        note("connection_opened", .info, on: index, now: now)
    }

    /// The peer's SETTINGS have come, which the log wants to know if they allow another number of streams
    /// than before.
    mutating func streamLimit(_ limit: UInt32, before: UInt32?, _ index: Int, now: Instant) {
        guard isLogging, before != limit else { return }
        note(
            "stream_limit_changed", .info, on: index, now: now,
            [limit < .max ? .init("streams", limit) : .init("streams", "unlimited")])
    }

    /// Notes a GOAWAY of the peer.
    /// - Parameters:
    ///   - index: The connection.
    ///   - last: The last id that it names.
    ///   - code: Its error code.
    ///   - reason: Its debug data if they are the provider's words: other data may be anything.
    ///   - now: The time.
    mutating func goAway(
        _ index: Int, last: Int32, code: HTTP2ErrorCode, reason: UnsafeBufferPointer<UInt8>?,
        now: Instant
    ) {
        guard isLogging else { return }
        var fields: [LogEvent.Field] = [
            .init("last_stream_id", last), .init("error", "\(code.name)"),
        ]
        if let reason = unsafe reason {
            fields.append(.init("reason", unsafe LogEvent.reason(reason)))
        }
        note(
            "goaway_received", code == .noError && fields.count == 2 ? .info : .warning, on: index,
            now: now, fields)
    }

    /// A connection ends, or has not come about.
    mutating func ended(
        _ index: Int, _ failure: ConnectionFailure, inFlight: Int, now: Instant
    ) {
        guard isLogging else { return }
        let (cause, level): (String, LogLevel) =
            switch failure {
            case .ours: ("ours", .info)
            case .transient: ("lost", .warning)
            case .permanent: ("permanent", .error)
            case .silent: ("silent", .warning)
            }
        note(
            "connection_closed", level, on: index, now: now,
            [
                .init("cause", cause), .init("reason", failure.text),
                .init("in_flight", inFlight),
            ])
    }

    /// Returns the trace of a connection's frames, if the log takes them.
    func trace(of index: Int) -> ConnectionTrace? {
        isLogging && events.wantsFrames(on: index) ? ConnectionTrace() : nil
    }

    /// Logs the frames that a connection has made and received since the last time.
    ///
    /// A header's payload is compressed and stays so: its values are not known here.
    mutating func tellFrames(of connection: ClientConnection?, _ index: Int) {
        guard let (entries, dropped) = connection?.trace?.take() else { return }
        for entry in entries {
            events.addFrame(
                on: index, at: wall.milliseconds(at: entry.at),
                [
                    .init("direction", entry.isOutgoing ? "out" : "in"),
                    .init("type", entry.frame.name), .init("flags", entry.frame.flagNames),
                    .init("stream", entry.frame.stream), .init("length", entry.frame.length),
                ])
        }
        events.drop(dropped)
    }

    /// Ends a turn: logs the events that come too often to be logged each time.
    mutating func turnEnded(isLast: Bool, now: Instant) {
        // The last ones do not wait for their second.
        events.tellThrottled(now: isLast ? .distantFuture : now, at: wall.milliseconds(at: now))
    }

    /// Hands over the events for the log; `nil` if there are none.
    mutating func takeEvents() -> (events: [LogEvent], dropped: UInt64)? {
        events.isPending ? events.take() : nil
    }
}
