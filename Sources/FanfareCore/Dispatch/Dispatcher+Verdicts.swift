package import FanfareBase

/// The verdicts of answers on the provider as a whole.
extension Dispatcher {
    /// Notes whether an answer is a verdict on its row.
    /// - Parameters:
    ///   - end: The end of the attempt.
    ///   - isForeign: True if the answer does not look like the provider's.
    ///   - now: The time.
    mutating func judge(_ end: AttemptEnd, isForeign: Bool, now: Instant) {
        switch end {
        case .answeredFinally:
            verdicts.judged()
            doubts.judged()
        case .answeredAgain(let cause):
            switch cause {
            case .later, .elsewhere:
                verdicts.refused(wish: cause.wish, isForeign: isForeign, now: now)
            case .tooManyForDevice, .inDoubt:
                verdicts.judged()
                doubts.judged()
            }
        case .answeredInDoubt(let cause):
            // Where rows in doubt are not sent again, none waits for as long as it asks for.
            let wish = settings.resendsInDoubt ? cause.wish : nil
            verdicts.refused(wish: wish, isForeign: isForeign, now: now)
            // Rows that are sent again wait anyway, each for its own time.
            if settings.givesWay, !settings.resendsInDoubt {
                doubts.answeredInDoubt(wish: cause.wish, now: now)
            }
        case .unprocessed, .dismissed, .inDoubt:
            break
        }
    }

    /// True if a request may have one row only, which asks for all: answers have left one row after the other
    /// in doubt.
    package var asksWithOneRow: Bool { doubts.until != nil }

    /// True if no request may start now, because answers have left one row after the other in
    /// doubt.
    package func isHeldByDoubts(now: Instant) -> Bool { doubts.holds(now: now) }
}
