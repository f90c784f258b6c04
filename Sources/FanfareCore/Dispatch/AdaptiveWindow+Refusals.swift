package import FanfareBase

/// The part of the window that follows refusals.
///
/// There are two kinds of refusals. Those that come of too many requests end when there are fewer.
/// The others, from a server for some of the devices that is down, come at every limit: a window
/// that gave way to them would end at one request in flight. So few refusals cut to a quarter at
/// most, and there the window finds out: if the provider refused less than half of the requests
/// before, then at half of that limit no request is one too many.
extension AdaptiveWindow {
    /// Cuts for refusals that follow one another.
    struct Cuts {
        /// The limit and the threshold before the first of them.
        let limit: Int
        let threshold: Int
        /// The limit that less than half was refused at.
        var reference: Int
        var count = 0

        /// The limit to which few refusals cut at most.
        var quarter: Int { max(reference / 4, 1) }
    }

    /// The share of answers of this round that are refusals, in 1024ths.
    var refusedShare: Int { refusals * 1024 / max(heard - deaf, 1) }

    /// The number of refusals that is a signal: they come on top of the answers that make a round.
    private var refusalsWanted: Int {
        let share = min(steadyShare * 3 / 2 + Limits.adaptiveRefusals, 768)
        return max((stale + answersWanted) * share / (1024 - share), 3)
    }

    /// Notes that the provider has refused a request because there are too many (429, 503), or has
    /// reset one without a reason.
    package mutating func refused(now: Instant) {
        heard &+= 1
        refused &+= 1
        guard heard > deaf else { return }
        refusals &+= 1
        excess = max(excess - (heard - lastRefusal - 1), 0) + 1
        lastRefusal = heard
        if excess >= Limits.adaptiveExcess {
            cutForRefusals(isMany: true)
        } else if let cuts, limit <= cuts.quarter {
            lookAtQuarter()
        } else if probe == nil && refusals >= refusalsWanted {
            fewRefused(now: now)
        }
    }

    /// Notes that the provider asks for less without refusing a request: GOAWAY with
    /// ENHANCE_YOUR_CALM.
    package mutating func askedForLess(now: Instant) {
        if heard >= deaf { cutForRefusals(isMany: true) }
    }

    private mutating func fewRefused(now: Instant) {
        let isLittle = refusedShare < 1024 / 8
        guard isLittle && !isStarting && limit > floor && isProbeDue(now: now) else {
            cutForRefusals(isMany: false)
            if let cuts, cuts.count > 1 { probeSoon(now: now) }
            return
        }
        // With a fifth less in flight there would be none of them.
        let before = limit
        beginProbe(seesLatency: false)
        ceiling = before
        beginRound(stale: before)
        deaf = before
    }

    private mutating func cutForRefusals(isMany: Bool) {
        let before = limit
        var cuts =
            cuts
            ?? Cuts(limit: max(limit, limitRefused), threshold: threshold, reference: limit)
        cuts.count += 1
        let isNothingElse = refused == heard && heard > 0
        if isStarting {
            // As many again have started while the first refusals were on their way.
            limit = max(limit / 2, 1)
            // While nothing but refusals comes, what comes after them is still to be found quickly.
            if !isNothingElse { threshold = limit }
            cuts.reference = limit
        } else {
            // A few refusals may be none of our making.
            let least = isMany ? 1 : min(limit, cuts.quarter)
            limit = max(min(cuts.count == 1 ? limit * 9 / 10 : limit / 2, limit - 1), least, 1)
            threshold = isMany && isNothingElse ? max(limit, cuts.limit / 2) : limit
            if isMany { cuts.reference = limit }
        }
        self.cuts = cuts
        probe = nil
        ceiling = before
        limitBefore = nil
        beginRound(stale: before)
        deaf = before
    }

    // MARK: Verdicts

    /// Looks whether fewer requests in flight have been of use, after cuts to a quarter.
    mutating func lookAtQuarter() {
        guard let cuts, limit <= cuts.quarter else { return }
        let answered = heard - max(deaf, stale)
        if answered - max(lastRefusal - max(deaf, stale), 0) >= Limits.adaptiveAnswers / 2 {
            probe = nil
            goBack()
        } else if answered >= Limits.adaptiveAnswers {
            probe = nil
            // With nearly a half there is none: too many would look like that.
            if refusedShare < 1024 * 9 / 20 { putUp(with: refusedShare) }
            beginRound(stale: 0)
        }
    }

    /// Ends a series of cuts after a round without refusals, or without more of them than usual;
    /// the next round begins a new series.
    mutating func roundEnded() {
        guard cuts != nil else { return }
        let share = refusedShare
        guard share <= steadyShare * 5 / 4 + Limits.adaptiveRefusals / 2 else { return }
        if share <= Limits.adaptiveRefusals / 2 { steadyShare = max(steadyShare, share) }
        goBack()
    }

    /// Judges refusals by their shares with a fifth less in flight, and before.
    mutating func judgeRefusals(share: Int, before: Int) {
        // With too many in flight as many are answered well as before, of fewer: a quarter more.
        if (1024 - share) * 8 > (1024 - before) * 9 {
            steadyShare = share / 2
        } else {
            putUp(with: share)
        }
    }

    /// Puts up with a share of refusals: a provider that refuses with so many fewer in flight
    /// refuses at every limit.
    private mutating func putUp(with share: Int) {
        steadyShare = share
        guard let cuts else { return }
        guard share > Limits.adaptiveRefusals / 2 else { return goBack() }
        threshold = max(threshold, cuts.threshold == .max ? .max : cuts.limit)
        ceiling = .max
        limitRefused = cuts.limit
        self.cuts = nil
    }

    /// Ends the cuts, which have helped, or whose trouble is over: the window finds half of the old
    /// limit quickly.
    private mutating func goBack() {
        guard let cuts else { return }
        threshold = max(threshold, cuts.limit / 2)
        limitRefused = 0
        self.cuts = nil
    }
}
