package import FanfareBase

/// The time for which a lane puts up with a provider that gives no answer.
///
/// Trouble begins with the first failure behind an answer: a connection that cannot be had or ends
/// unanswered, a request that is refused, reset or not answered in time. The next answer ends it.
/// While it lasts a new connection begins with one request, so that an outage costs few rows.
///
/// ```
///  calm ──► troubled, since then ──► over: the job stops
///   ▲            │
///   └── answer ──┘
/// ```
///
/// It is over with the next failure after that time, not when the time is over: an answer may be
/// slow, and no news is no trouble. Only a request that had no answer in its whole time, with none
/// to any other meanwhile, shows that nothing comes: then trouble has begun with that request, and
/// is over when the time is.
package struct Patience: Sendable {
    /// The longest time of trouble.
    private let later: Duration
    /// The same as long as the provider has never answered: a wrong address should be told soon.
    private let atStart: Duration
    /// The failures since the last answer.
    private struct Trouble {
        /// The clock with the beginning and the length of the trouble.
        var clock: TroubleClock
        /// The time of the last failure.
        var until: Instant
        /// The time that it had lasted when it showed, in nanoseconds.
        var hidden: Int64
        /// True if a request had no answer in its whole time, nor had any other meanwhile.
        var isMute = false
    }

    /// `nil` without trouble.
    private var trouble: Trouble?
    /// Silence before this moment cannot be held against the provider.
    private var blamelessUntil = Instant.distantPast
    /// True if the provider has ever answered this lane, or another one as far as this one was told.
    package private(set) var hasBeenAnswered = false
    /// Requests that the peer has reset since the last answer.
    private var resets = 0

    package init(_ later: Duration) {
        self.later = later
        atStart = min(later, Limits.patienceAtStart)
    }

    /// The time since which there has been no answer though there should have been; `nil` without
    /// trouble.
    package var since: Instant? { trouble?.clock.since }

    /// The longest time of trouble now.
    package var bound: Duration { hasBeenAnswered ? later : atStart }

    /// True if failures have gone on for `bound`, without an answer between them.
    package var isOver: Bool {
        guard let trouble else { return false }
        return trouble.until >= trouble.clock.since.advanced(by: bound)
    }

    /// The time at which it is over though nothing more goes wrong; `nil` if an answer may still be
    /// on its way, or nothing is to be sent.
    package var end: Instant? {
        guard let trouble, trouble.isMute, !trouble.clock.isResting else { return nil }
        return trouble.clock.since.advanced(by: bound)
    }

    /// True if it is over now, by a failure or by the clock.
    package func hasEnded(now: Instant) -> Bool {
        if isOver { return true }
        guard let end else { return false }
        return now >= end
    }

    /// True if requests fail one after another, or have failed for a while, so that the next ones
    /// should be few.
    package func isSerious(now: Instant) -> Bool {
        resets >= Limits.resetsBeforeProbes || isLasting(now: now)
    }

    /// True if failures have shown for a while.
    package func isLasting(now: Instant) -> Bool {
        guard let trouble, let lasted = lasted(now: now) else { return false }
        return lasted >= Duration.nanoseconds(trouble.hidden) + Limits.troubleBeforeProbes
    }

    /// Returns the time for which there has been no answer though there should have been, rests
    /// left out; `nil` without trouble.
    package func lasted(now: Instant) -> Duration? {
        trouble?.clock.lasted(now: now)
    }

    /// Notes a failure that would not have happened with a provider that answers.
    package mutating func troubled(now: Instant) {
        troubled(from: now, now: now)
    }

    /// Notes that a request had no answer in its whole time, or that its peer shows no sign of
    /// life.
    ///
    /// If nothing else was answered meanwhile, trouble has lasted since the request started.
    /// Otherwise the others may be answered soon, by a provider that is slow: that is trouble, and
    /// ends none.
    package mutating func unanswered(since started: Instant, now: Instant) {
        guard started >= blamelessUntil else {
            if trouble == nil { troubled(now: now) }
            return
        }
        troubled(from: started, now: now)
        trouble?.isMute = true
    }

    private mutating func troubled(from begin: Instant, now: Instant) {
        guard var trouble else {
            self.trouble = Trouble(
                clock: TroubleClock(since: begin), until: now,
                hidden: now.nanoseconds(since: begin))
            return
        }
        if begin < trouble.clock.since {
            trouble.hidden += trouble.clock.since.nanoseconds(since: begin)
            trouble.clock.since = begin
        }
        trouble.until = now
        self.trouble = trouble
    }

    /// Notes that the provider has answered, or could not have: a request from before this moment
    /// that gets no answer does not show that nothing comes.
    package mutating func isBlameless(until moment: Instant) {
        blamelessUntil = max(blamelessUntil, moment)
    }

    /// Notes that the peer has reset a request, which is in doubt.
    package mutating func reset(now: Instant) {
        resets += 1
        troubled(now: now)
    }

    package mutating func answered() {
        hasBeenAnswered = true
        guard trouble != nil else { return }
        trouble = nil
        resets = 0
    }

    /// Notes that the provider has answered another lane: this one may be silent for as long as one
    /// that was answered.
    package mutating func answeredElsewhere() {
        hasBeenAnswered = true
    }

    /// Notes that the process did not run for so many nanoseconds, which does not count against the
    /// provider.
    package mutating func stoodStill(for nanoseconds: Int64) {
        trouble?.clock.stoodStill(for: nanoseconds)
    }

    /// Notes that there is nothing to send from now on: that time does not count against the
    /// provider.
    package mutating func rests(now: Instant) {
        trouble?.clock.rests(now: now)
    }

    /// Notes that there is something to send.
    package mutating func works(now: Instant) {
        trouble?.clock.works(now: now)
    }
}
