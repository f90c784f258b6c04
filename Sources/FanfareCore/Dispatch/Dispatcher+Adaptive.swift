/// The window that follows the provider.
extension Dispatcher {
    /// What all connections together may have in flight; `nil` if it does not follow the provider.
    package var adaptiveLimit: Int? { settings.isAdaptive ? adaptive.limit : nil }

    /// Why this window lets no request start; `nil` if it is not what holds the lane.
    package var adaptiveHold: Limitation? {
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
    }

    /// The peer has ended a whole connection for that.
    package mutating func askedForLess(now: Instant) {
        adaptive.askedForLess(now: now)
    }
}
