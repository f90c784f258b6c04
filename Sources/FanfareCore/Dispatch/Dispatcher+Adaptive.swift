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

    /// The peer has ended a stream of a connection because there are too many, and has not said what
    /// became of the request: ENHANCE_YOUR_CALM.
    package mutating func calmed(on connection: Int) {
        connections[connection].calmed()
        calmLimit = connections[connection].window.calm?.limit
    }

    /// The peer has refused a stream of a connection that its own limit allowed: REFUSED_STREAM.
    ///
    /// Fewer go there until it takes what comes. Nothing became of the request, so more connections may be
    /// tried: where each one takes some, they help.
    package mutating func refusedStream(on connection: Int) {
        if settings.givesWay { connections[connection].refused() }
    }

    /// Looks what is left of calm: the connections that come begin with as much as one has now.
    mutating func refreshCalm() {
        guard calmLimit != nil, connections.contains(where: \.takesRequests) else { return }
        calmLimit =
            connections.lazy.filter(\.takesRequests).compactMap(\.window.calm?.limit).max()
    }

    /// A connection was cut off with requests on it: of those that are in flight at the next cut fewer
    /// should be lost.
    /// - Parameters:
    ///   - lost: Requests on it that are in doubt.
    ///   - inFlight: Requests that were in flight on all connections.
    package mutating func cutOff(lost: Int, of inFlight: Int) {
        adaptive.cutOff(lost: lost, of: inFlight)
    }

    /// The peer has ended a whole connection for that.
    package mutating func askedForLess(now: Instant) {
        adaptive.askedForLess(now: now)
    }
}
