/// What refusals ask for.
extension AdaptiveWindow {
    /// The share of refusals that is a signal: about 3 %.
    static let refusalsTolerated = 32

    /// The share that leaves no doubt, probe or not: a quarter.
    private static let refusalsMany = 256

    var refusalsWanted: Int {
        let share = probe == nil ? tolerated : Self.refusalsMany
        return max((stale + answersWanted) * share / 1024, 3)
    }

    mutating func cutForRefusals(now: Instant) {
        let before = limit
        let share = refusals * 1024 / max(heard - deaf, 1)
        let isSteady = !isStarting && probe == nil
        probe = nil
        if isStarting {
            // As many again have started while the first refusals were on their way.
            limit = max(limit / 2, 1)
            // While nothing but refusals comes, what comes after them is still to be found quickly.
            if refused < heard || heard == 0 { threshold = limit }
        } else if share < Self.refusalsMany && isSteady && isProbeDue(now: now) {
            beginProbe(seesLatency: false)
        } else {
            cutAgain(share: share)
        }
        ceiling = before
        limitBefore = nil
        beginRound(stale: before)
        deaf = before
    }

    private mutating func cutAgain(share: Int) {
        let first = limitRefused ?? limit
        limitRefused = first
        cuts += 1
        let isMany = share >= Self.refusalsMany
        // A few refusals may be none of our making: a probe will tell.
        let least = isMany ? 1 : min(limit, first / 4)
        limit = max(min(cuts == 1 ? limit * 9 / 10 : limit / 2, limit - 1), least, 1)
        threshold = isMany && cuts >= 3 ? max(limit, first / 2) : limit
    }

    /// What is refused with a fifth less in flight is refused whatever we do.
    mutating func judgeRefusals(share: Int) {
        tolerated = share * 3 / 2 + Self.refusalsTolerated
        if let limitRefused, share > Self.refusalsTolerated / 2 {
            threshold = max(threshold, limitRefused)
            ceiling = .max
        }
        limitRefused = nil
    }
}
