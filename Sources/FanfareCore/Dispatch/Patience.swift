/// How long a lane puts up with a provider that gives no answer.
///
/// Trouble begins with the first thing that goes wrong behind an answer: a connection that cannot be
/// had or ends unanswered, a request that is refused, reset or not answered in time. The next answer
/// ends it. While it lasts a new connection begins with one request, so that an outage costs few rows.
///
/// ```
///  calm ──► troubled, since then ──► over: the job stops
///   ▲            │
///   └── answer ──┘
/// ```
///
/// It is over when something goes wrong again after that time, not when the time is over: where little is
/// to be sent, no news is no trouble.
package struct Patience: Sendable {
    /// How long trouble may last.
    private let later: Duration
    /// The same as long as the provider has never answered: a wrong address should be told soon.
    private let atStart: Duration
    /// The first and the last thing that went wrong since the last answer; `nil` without trouble.
    private var trouble: (since: Instant, until: Instant)?
    private var restingSince: Instant?
    private var hasBeenAnswered = false
    /// Requests that the peer has reset since the last answer.
    private var resets = 0

    package init(_ later: Duration) {
        self.later = later
        atStart = min(later, Limits.patienceAtStart)
    }

    /// Since when there has been no answer though there should have been; `nil` without trouble.
    package var since: Instant? { trouble?.since }

    /// How long trouble may last now.
    package var bound: Duration { hasBeenAnswered ? later : atStart }

    /// Whether things have gone wrong for `bound`, without an answer between them.
    package var isOver: Bool {
        guard let trouble else { return false }
        return trouble.until >= trouble.since.advanced(by: bound)
    }

    /// Whether requests go wrong one after another, or have for a while, so that those that come should be
    /// few.
    package func isSerious(now: Instant) -> Bool {
        guard let lasted = lasted(now: now) else { return false }
        return resets >= Limits.resetsBeforeProbes || lasted >= Limits.troubleBeforeProbes
    }

    /// For how long there has been no answer though there should have been, rests left out; `nil` without
    /// trouble.
    package func lasted(now: Instant) -> Duration? {
        guard let since else { return nil }
        return .nanoseconds((restingSince ?? now).nanoseconds(since: since))
    }

    /// Something went wrong that would not have gone wrong with a provider that answers.
    package mutating func troubled(now: Instant) {
        trouble = (trouble?.since ?? now, now)
    }

    /// The peer has reset a request, which is in doubt.
    package mutating func reset(now: Instant) {
        resets += 1
        troubled(now: now)
    }

    package mutating func answered() {
        hasBeenAnswered = true
        guard trouble != nil else { return }
        trouble = nil
        restingSince = nil
        resets = 0
    }

    /// It has answered another lane: this one may be silent for as long as one that was answered.
    package mutating func answeredElsewhere() {
        hasBeenAnswered = true
    }

    /// The process did not run for so many nanoseconds: that is not held against the provider.
    package mutating func stoodStill(for nanoseconds: Int64) {
        // A rest is not counted anyway.
        guard let trouble, restingSince == nil else { return }
        self.trouble = (trouble.since.advanced(byNanoseconds: nanoseconds), trouble.until)
    }

    /// From now on nothing is to be sent: that time is not held against the provider.
    package mutating func rests(now: Instant) {
        if trouble != nil && restingSince == nil { restingSince = now }
    }

    /// There is something to send.
    package mutating func works(now: Instant) {
        guard let restingSince, let trouble else { return }
        let rest = now.nanoseconds(since: restingSince)
        self.trouble = (trouble.since.advanced(byNanoseconds: rest), trouble.until)
        self.restingSince = nil
    }
}
