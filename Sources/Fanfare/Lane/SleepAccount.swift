import FanfareBase

/// The time that a lane has slept between its turns, for want of news.
struct SleepAccount {
    /// True if anything has happened since the last turn.
    private(set) var hasNews = true
    /// The end of the last turn.
    private var since: Instant
    private(set) var nanoseconds: Int64 = 0

    init(now: Instant) { since = now }

    /// Ends the time of sleep, because something has happened.
    mutating func wake(now: Instant) {
        guard !hasNews else { return }
        hasNews = true
        nanoseconds += max(now.nanoseconds(since: since), 0)
    }

    /// Begins a turn: what happens from now on is news.
    mutating func turnBegins(now: Instant) {
        hasNews = false
        since = now
    }

    /// Ends a turn.
    mutating func turnEnded(now: Instant) { since = now }
}
