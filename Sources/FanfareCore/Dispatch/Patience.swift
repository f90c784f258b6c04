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
    /// The requests in doubt of those that started in trouble, without an answer in between.
    private let doubtsMax: Int

    /// The first and the last thing that went wrong since the last answer; `nil` without trouble.
    private var trouble: (since: Instant, until: Instant)?
    private var hasBeenAnswered = false
    private var doubts = 0

    package init(_ later: Duration, doubtsMax: Int = Limits.doubtsInTroubleMax) {
        self.later = later
        atStart = min(later, Limits.patienceAtStart)
        self.doubtsMax = doubtsMax
    }

    /// Since when there has been no answer though there should have been; `nil` without trouble.
    package var since: Instant? { trouble?.since }

    /// How long trouble may last now.
    package var bound: Duration { hasBeenAnswered ? later : atStart }

    package enum Verdict: Equatable, Sendable {
        case goOn
        /// There has been no answer for `bound`.
        case tooLong
        /// Request after request ended in doubt, and none was answered.
        case tooManyDoubts
    }

    /// What to make of it.
    package var verdict: Verdict {
        guard let trouble else { return .goOn }
        if doubts >= doubtsMax { return .tooManyDoubts }
        return trouble.until >= trouble.since.advanced(by: bound) ? .tooLong : .goOn
    }

    /// Something went wrong that would not have gone wrong with a provider that answers.
    package mutating func troubled(now: Instant) {
        trouble = (trouble?.since ?? now, now)
    }

    /// A request has ended in doubt.
    ///
    /// Those that were in flight when trouble began do not count: one fault ends them all.
    /// - Parameter started: When it went.
    package mutating func doubted(started: Instant) {
        if let trouble, started >= trouble.since { doubts += 1 }
    }

    package mutating func answered() {
        hasBeenAnswered = true
        guard trouble != nil else { return }
        rested()
    }

    /// Time passes in which nothing is to be sent: it is not held against the provider.
    package mutating func rested() {
        trouble = nil
        doubts = 0
    }
}
