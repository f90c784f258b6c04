/// The window that follows the provider.
extension Dispatcher {
    /// What all connections together may have in flight; `nil` if it does not follow the provider.
    package var adaptiveLimit: Int? { settings.isAdaptive ? adaptive.limit : nil }

    /// Whether it is this window, and not those of the connections, that lets no request start.
    package var isHeldByAdaptiveWindow: Bool {
        guard settings.isAdaptive, inFlightCount >= adaptive.limit else { return false }
        return connections.contains { $0.room > 0 }
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
