package import FanfareBase

/// The number of requests after which a server ends its connections without saying so, as learned from them.
///
/// Each such end costs the requests that were on their way, because nothing says whether they got there. So
/// a connection that is cut with requests on it counts by the answers that it had given. If the next one
/// ends in the same way, that is a habit: from then on a connection gets so many requests, and the next
/// one is dialed in time.
///
/// ```
///  unknown ──► the same number twice, or three times nearly ──► known: so many requests each
///     ▲                                                             │ from time to time
///     └── the trial is answered ◄── a trial: one request more ◄─────┘ (cut: ever more rarely)
/// ```
///
/// A connection that is cut behind fewer answers speaks against a habit: some row may be the reason, and the rows
/// between two of these looked like a number. If that happens too often, the habit is forgotten, and it takes twice
/// as many cuts to believe in the next one.
package struct ServingHabit: Sendable, Equatable {
    /// The requests that a connection gets; `nil` as long as no habit is known.
    package private(set) var limit: Int?
    /// The fewest and the most answers of the connections that were cut in a row, and their number.
    private var least = 0
    private var most = 0
    private var cuts = 0
    /// The time of the last cut that counts.
    private var cutAt = Instant.distantPast
    /// The connections that have kept to the limit since the last trial.
    private var kept = 0
    private var keptBeforeTrial = Limits.keptBeforeTrial
    /// The connections that have kept to the limit in all, and those that were cut before.
    private var keptInAll = 0
    private var early = 0
    /// The cuts behind the same number that make a habit.
    private var cutsWanted = 2

    package init() {}

    /// The requests that a connection which is up now gets; `.max` for any number.
    package mutating func allowance() -> Int {
        guard let limit else { return .max }
        guard kept >= keptBeforeTrial else { return limit }
        kept = 0
        return limit + 1
    }

    /// Notes that a server has cut a connection with requests on it.
    /// - Parameters:
    ///   - answers: The answers that it had given.
    ///   - dialled: The time when it was dialed: connections that are up together are cut together, and
    ///     that is one cut.
    ///   - now: The time.
    package mutating func cut(after answers: Int, dialled: Instant, now: Instant) {
        if let limit, answers >= limit {
            // That was a trial, or a connection that is older than the limit.
            if dialled >= cutAt { keptBeforeTrial = min(keptBeforeTrial * 2, .max / 4) }
            cutAt = now
            return
        }
        // One that is dialed at once has the same time.
        guard dialled >= cutAt else { return }
        cutAt = now
        defer { forgetIfWrong() }
        if limit != nil { early += 1 }
        guard answers > 0 else { return }
        let (low, high) = (min(least, answers), max(most, answers))
        if cuts > 0, high - low <= high / 8 {
            (least, most, cuts) = (low, high, cuts + 1)
        } else {
            (least, most, cuts) = (answers, answers, 1)
        }
        guard cuts >= (least == most ? cutsWanted : cutsWanted + 1) else { return }
        limit = least
        (cuts, kept, keptInAll, early) = (0, 0, 0, 0)
    }

    /// Forgets a habit that too many connections do not show.
    private mutating func forgetIfWrong() {
        guard early >= 3, early * Limits.keptPerEarlyCut > keptInAll else { return }
        let wanted = min(cutsWanted * 2, .max / 4)
        self = ServingHabit()
        cutsWanted = wanted
    }

    /// Notes that a connection has answered all requests that it was to get.
    /// - Parameter allowance: Their number.
    package mutating func kept(_ allowance: Int) {
        guard let limit else { return }
        kept += 1
        keptInAll += 1
        // It answers more than it was thought to do: it has no habit any more.
        if allowance > limit { self = ServingHabit() }
    }
}

extension Limits {
    /// The connections that keep to a server's habit before one of them gets a request more.
    ///
    /// If the server still has its habit, that costs a row. The number doubles each time, so that 20,000
    /// connections of one request cost eight.
    static let keptBeforeTrial = 64

    /// The connections that keep to a habit for each one that is cut before, at least.
    static let keptPerEarlyCut = 16
}
