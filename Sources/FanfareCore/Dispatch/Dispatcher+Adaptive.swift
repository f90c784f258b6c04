package import FanfareBase

/// The window that follows the provider.
extension Dispatcher {
    /// The most requests that all connections together may have in flight; `nil` if it does not
    /// follow the provider.
    package var adaptiveLimit: Int? { settings.isAdaptive ? adaptive.limit : nil }

    /// The reason why this window lets no request start; `nil` if it does not hold the lane.
    package var adaptiveHold: Limitation? {
        if calmLimit != nil || doubts.until != nil { return .inFlightRefusals }
        guard settings.isAdaptive, inFlightCount >= adaptive.limit,
            connections.contains(where: { $0.room > 0 })
        else { return nil }
        return switch adaptive.cause {
        case .growth: .inFlightGrowth
        case .latency: .inFlightLatency
        case .refusals: .inFlightRefusals
        }
    }

    /// Notes that the peer has ended a stream of a connection because there are too many, and has
    /// not said whether it processed the request: ENHANCE_YOUR_CALM.
    package mutating func calmed(on connection: Int) {
        connections[connection].calmed()
        calmLimit = connections[connection].window.calm?.limit
    }

    /// Notes that the peer has refused a stream of a connection that its own limit allowed:
    /// REFUSED_STREAM.
    ///
    /// The connection gets fewer requests until the peer takes all that come. The peer has not
    /// processed the request, so the lane may try more connections: where each one takes some, they
    /// help.
    package mutating func refusedStream(on connection: Int) {
        if settings.givesWay { connections[connection].refused() }
    }

    /// Looks at the rest of calm: new connections begin with as much as one has now.
    mutating func refreshCalm() {
        guard calmLimit != nil, connections.contains(where: \.takesRequests) else { return }
        calmLimit =
            connections.lazy.filter(\.takesRequests).compactMap(\.window.calm?.limit).max()
    }

    /// Notes that a connection was cut off with requests on it: the next cut should lose fewer of
    /// the requests in flight.
    /// - Parameters:
    ///   - lost: Requests on it that are in doubt.
    ///   - inFlight: Requests that were in flight on all connections.
    ///   - answers: The answers that it had given.
    package mutating func cutOff(lost: Int, of inFlight: Int, behind answers: Int) {
        adaptive.cutOff(lost: lost, of: inFlight, behind: answers)
    }

    /// Notes that the peer has ended a whole connection for that.
    package mutating func askedForLess(now: Instant) {
        adaptive.askedForLess(now: now)
    }
}
