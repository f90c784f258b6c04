import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// What the log is told of a lane; nothing of it is done when there is none.
extension LaneEngine {
    mutating func note(
        _ name: StaticString, _ level: LogLevel, on index: Int? = nil, now: Instant,
        _ fields: [LogEvent.Field] = []
    ) {
        events.add(
            name, level, on: index, at: wall.milliseconds(at: now), fields)
    }

    mutating func tellThrottled(now: Instant) {
        // The last ones do not wait for their second.
        events.tellThrottled(
            now: isFinished ? .distantFuture : now, at: wall.milliseconds(at: now))
    }

    mutating func tellFrames() {
        for index in connections.indices where connections[index]?.trace != nil {
            tellFrames(of: index)
        }
    }

    /// Tells what frames a connection has made and received since the last time.
    ///
    /// A header's payload is compressed and stays so: of its values nothing is known here.
    mutating func tellFrames(of index: Int) {
        guard let (entries, dropped) = connections[index]?.trace?.take() else { return }
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

    /// More connections are wanted, or fewer.
    mutating func noteDemand(now: Instant) {
        let demand = dispatcher.connectionDemand
        guard events.hasChanged(connectionsWanted: demand.target) else { return }
        var fields = [LogEvent.Field("connections", demand.target)]
        if let cause = demand.cause { fields.append(.init("cause", "\(cause.name)")) }
        note("connections_wanted", .info, now: now, fields)
    }

    mutating func noteDial(_ index: Int, now: Instant) {
        events.dialled(index)
        note("connection_dialled", .info, on: index, now: now)
    }

    mutating func noteOpened(_ connection: ClientConnection, _ index: Int, now: Instant) {
        if let grant = connection.grant, grant.isNew {
            note(
                "provider_token_signed", .info, on: index, now: now,
                [.init("issued_at", grant.issuedAt)])
        }
        note("connection_opened", .info, on: index, now: now)
    }

    /// The peer's SETTINGS, when they allow another number of streams than before.
    mutating func noteSettings(_ limit: UInt32, _ index: Int, now: Instant) {
        guard dispatcher.window(of: index).peerLimit != limit else { return }
        note(
            "stream_limit_changed", .info, on: index, now: now,
            [limit < .max ? .init("streams", limit) : .init("streams", "unlimited")])
    }

    /// Of the debug data only a reason as APNs gives it: the rest may be anything.
    mutating func noteGoAway(
        _ connection: ClientConnection, _ index: Int, last: Int32, code: HTTP2ErrorCode,
        now: Instant
    ) {
        let debugData = unsafe connection.session.withValue { unsafe $0.goAwayDebugData }
        var fields: [LogEvent.Field] = [
            .init("last_stream_id", last), .init("error", "\(code.name)"),
        ]
        if let content = unsafe errorBody.parse(debugData) {
            fields.append(.init("reason", unsafe LogEvent.reason(errorBody.reason(content))))
        }
        note(
            "goaway_received", code == .noError && fields.count == 2 ? .info : .warning, on: index,
            now: now, fields)
    }

    /// A connection ends, or has not come about.
    mutating func noteEnd(of index: Int, _ failure: ConnectionFailure, now: Instant) {
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
                .init("in_flight", dispatcher.window(of: index).inFlight),
            ])
    }
}
