package import FanfareBase

/// A time in which a lane starts nothing, because its provider has refused what it got.
package struct ProviderPause: Equatable, Sendable {
    /// The reason why nothing starts.
    package enum Cause: Equatable, Sendable {
        /// The provider answers this: a status, and its reason if that is a word.
        case answer(String)
        /// The count in its answers is used up.
        case quota
        /// Attempts have ended without an answer.
        case noAnswer

        /// The cause as what is said of a provider: `answers 503`.
        package var text: String {
            switch self {
            case .answer(let words): "answers \(words)"
            case .quota: "takes no more requests for now"
            case .noAnswer: "has not answered"
            }
        }
    }

    package var cause: Cause
    /// The time of the next try; past while there is one.
    package var until: Instant
    /// The rows that wait for their next attempt; 0 where rows wait for their first one.
    package var rows: Int

    package init(_ cause: Cause, until: Instant, rows: Int) {
        self.cause = cause
        self.until = until
        self.rows = rows
    }

    /// Adds the pause of another lane of the same provider: the next try is that of the first to try.
    package static func += (sum: inout ProviderPause, more: ProviderPause) {
        if more.until < sum.until { (sum.cause, sum.until) = (more.cause, more.until) }
        sum.rows += more.rows
    }
}

/// The watch that tells a lane's pauses, and their ends.
///
/// ```
///  sending ──► nothing in flight, the next start a second away ──► paused
///     ▲                                                              │
///     └──────────── a verdict, or nothing left to send ──────────────┘
/// ```
/// A try that is refused as well does not end the pause: else an outage would be told with each try.
package struct PauseWatch: Sendable {
    /// The rows that are held up.
    package struct Hold: Equatable, Sendable {
        /// The time before which none of them may start.
        package var until: Instant
        package var rows: Int
        package var isQuota: Bool
    }

    /// The news of a turn.
    package enum News: Equatable, Sendable {
        case none
        case began(ProviderPause)
        /// The provider takes rows again, after so many nanoseconds.
        case ended(Int64)
    }

    /// The pause, if there is one.
    package private(set) var pause: ProviderPause?
    private var since = Instant.distantPast
    private var verdicts: UInt64 = 0
    /// The last answer that was no verdict: its status, and its reason if that is a word.
    private var status: UInt16 = 0
    private var reason: [UInt8] = []

    package init() {}

    /// Notes an answer that was no verdict on its row.
    ///
    /// In an outage all answers are alike, and cost a comparison.
    package mutating func refused(_ status: UInt16, _ reason: UnsafeBufferPointer<UInt8>) {
        guard unsafe status != self.status || !reason.elementsEqual(self.reason) else { return }
        self.status = status
        self.reason = unsafe Array(reason.prefix(Limits.logReasonBytesMax + 1))
    }

    /// Looks at the lane at the end of a turn.
    /// - Parameters:
    ///   - hold: The reason why its rows wait; `nil` if something is in flight, may start, or nothing is to be sent.
    ///   - isAtRest: True if nothing is to be sent now, or may be.
    ///   - verdicts: The provider's verdicts so far.
    ///   - now: The time.
    /// - Returns: The news.
    package mutating func look(
        _ hold: Hold?, isAtRest: Bool, verdicts: UInt64, now: Instant
    ) -> News {
        if let hold, pause != nil, verdicts == self.verdicts {
            pause = ProviderPause(cause(of: hold), until: hold.until, rows: hold.rows)
            return .none
        }
        if pause != nil {
            guard isAtRest || verdicts != self.verdicts else { return .none }
            pause = nil
            if verdicts != self.verdicts { return .ended(now.nanoseconds(since: since)) }
        }
        guard let hold, hold.until >= now.advanced(by: Limits.troubleBeforeProbes) else {
            return .none
        }
        let pause = ProviderPause(cause(of: hold), until: hold.until, rows: hold.rows)
        (self.pause, since, self.verdicts) = (pause, now, verdicts)
        return .began(pause)
    }

    private func cause(of hold: Hold) -> ProviderPause.Cause {
        if hold.isQuota { return .quota }
        guard status > 0 else { return .noAnswer }
        // Any other text may be anything: a proxy in between might give back a token.
        let word = LogEvent.reason(reason)
        return .answer(word.isEmpty || word == "other" ? "\(status)" : "\(status) \(word)")
    }
}

extension Dispatcher {
    /// Returns what holds all rows of the lane up though nothing is in flight; `nil` if nothing does.
    /// - Parameters:
    ///   - hasRow: True if a row is at hand that would start.
    ///   - mayGetRow: True if rows may come that would start.
    ///   - now: The time.
    /// - Returns: The time of the next start, and the rows that wait for it.
    package func hold(hasRow: Bool, mayGetRow: Bool, now: Instant) -> PauseWatch.Hold? {
        guard inFlightCount == 0, hasRow || waitingCount > 0 else { return nil }
        if let until = doubts.until, until > now {
            return PauseWatch.Hold(until: until, rows: waitingCount, isQuota: false)
        }
        if quota.isUsedUp, let until = quota.until, until > now {
            return PauseWatch.Hold(until: until, rows: waitingCount, isQuota: true)
        }
        guard !hasRow, !mayGetRow, !hasReady(now: now) else { return nil }
        let next = [waiting.nextDue, waiting.nextToken(now: now)].compactMap(\.self).min()
        return next.map { PauseWatch.Hold(until: $0, rows: waitingCount, isQuota: false) }
    }
}
