import FanfareBase

/// A clock of trouble, without the time that does not count against the provider.
struct TroubleClock: Sendable {
    /// The time when it began; later by each rest since then.
    var since: Instant
    private var restingSince: Instant?

    init(since: Instant) { self.since = since }

    /// True if there is nothing to send now.
    var isResting: Bool { restingSince != nil }

    /// Returns the time that it has lasted, rests left out.
    func lasted(now: Instant) -> Duration {
        .nanoseconds((restingSince ?? now).nanoseconds(since: since))
    }

    /// Notes that the process did not run for so many nanoseconds.
    mutating func stoodStill(for nanoseconds: Int64) {
        // A rest is not counted anyway.
        if restingSince == nil { since = since.advanced(byNanoseconds: nanoseconds) }
    }

    /// Notes that there is nothing to send from now on.
    mutating func rests(now: Instant) {
        if restingSince == nil { restingSince = now }
    }

    /// Notes that there is something to send.
    mutating func works(now: Instant) {
        guard let restingSince else { return }
        since = since.advanced(byNanoseconds: now.nanoseconds(since: restingSince))
        self.restingSince = nil
    }
}
