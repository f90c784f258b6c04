package import FanfareBase

/// A watch that decides whether the peer of a connection still lives.
///
/// It asks only while requests are outstanding: providers count PINGs on idle connections (FCM
/// closes after three), and an idle connection that has died costs nothing. Any byte is a sign of
/// life.
///
/// ```
///  quiet ──► outstanding, silent for `Limits.silenceBeforePing` ──► PING sent
///    ▲                                                               │     │
///    └───────────── a byte, or nothing outstanding ◄─────────────────┘     └──► given up after
///                                                                               `Limits.pingPatience`
/// ```
package struct SilenceWatch: Equatable, Sendable {
    private var pingSentAt: Instant?

    package init() {}

    package enum Action: Equatable, Sendable {
        case wait
        /// Ask for a sign of life.
        case ping
        /// The peer is gone, also if TCP does not say so.
        case giveUp
    }

    /// Returns the action that is due now.
    /// - Parameters:
    ///   - oldest: The time when the oldest request in flight started; nil without one.
    ///   - received: The time when the last byte came.
    ///   - now: The time.
    /// - Returns: The action.
    package mutating func look(
        oldest: Instant?, received: Instant, now: Instant
    ) -> Action {
        if let sent = pingSentAt, oldest == nil || received >= sent { pingSentAt = nil }
        guard let deadline = deadline(oldest: oldest, received: received), now >= deadline else {
            return .wait
        }
        guard pingSentAt == nil else { return .giveUp }
        pingSentAt = now
        return .ping
    }

    /// Returns the time to look again; nil when there is nothing to wait for.
    package func deadline(oldest: Instant?, received: Instant) -> Instant? {
        guard let oldest else { return nil }
        if let sent = pingSentAt, received < sent {
            return sent.advanced(by: Limits.pingPatience)
        }
        return max(oldest, received).advanced(by: Limits.silenceBeforePing)
    }
}
