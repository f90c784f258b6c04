import FanfareBase

/// The part of the window that follows latency.
extension AdaptiveWindow {
    /// Slows down to the limit that leaves a queue between the bounds; in slow start to half.
    ///
    /// It does not go below a quarter before a probe has shown that this helps.
    mutating func slowDown() {
        let before = limitBefore ?? limit
        limitBefore = before
        let least = min(limit, max(before / 4, floor))
        limit = max(isStarting ? limit / 2 : max(share(without: queueing), limit / 2), least)
        threshold = limit
    }

    /// Returns the limit with the smallest queue instead of this one: requests in flight are those
    /// in the queue and those that are being answered.
    private func share(without queueing: Int64) -> Int {
        let excess = max(queueing - queueingMax / 3, 0)
        return Int(Int64(limit) * max(mean - excess, 0) / max(mean, 1))
    }

    /// A look at base: less in flight for some rounds.
    struct Probe {
        var roundsLeft = Limits.adaptiveProbeRounds
        /// Limit and latencies before.
        var limit: Int
        var lowBefore: Int64
        var meanBefore: Int64
        /// The share of refusals before.
        var refusedShareBefore: Int
        /// True if they are those of this limit.
        var seesLatency: Bool
        /// The lowest latency of the rounds.
        var low = Int64.max
        /// Answers after the first round, and the refusals among them.
        var heard = 0
        var refusals = 0
    }

    /// True if it is time for a probe; all lanes of a job probe at the same time, since they share
    /// the queue.
    mutating func isProbeDue(now: Instant) -> Bool {
        if let probeDue, now < probeDue { return false }
        // A few in flight give too few answers to judge, so their latency is accepted.
        guard limit > floor || steadyShare > 0 else { return false }
        let isFirst = probeDue == nil
        probeDue = probeMoment(after: now, latencies: Limits.adaptiveProbeInterval)
        return !isFirst
    }

    /// Asks for an early probe, since cuts wait for its result.
    mutating func probeSoon(now: Instant) {
        let soon = probeMoment(after: now, latencies: Limits.adaptiveProbeInterval / 4)
        probeDue = min(probeDue ?? soon, soon)
    }

    private func probeMoment(after now: Instant, latencies: Int64) -> Instant {
        // A second for 128.
        var interval = latencies * 7_812_500
        while interval < mean * latencies { interval *= 2 }
        return Instant(nanoseconds: (now.nanoseconds / interval + 1) * interval)
    }

    mutating func beginProbe(seesLatency: Bool) {
        probe = Probe(
            limit: limit, lowBefore: low, meanBefore: mean, refusedShareBefore: refusedShare,
            seesLatency: seesLatency)
        limit = max(limit * 4 / 5, 1)
        // Slow start is for what is not known yet.
        threshold = min(threshold, limit)
    }

    mutating func endProbeRound() {
        guard var probe else { return }
        probe.low = min(probe.low, low)
        if probe.roundsLeft < Limits.adaptiveProbeRounds {
            probe.heard += heard
            probe.refusals += refusals
        }
        probe.roundsLeft -= 1
        guard probe.roundsLeft == 0 else {
            self.probe = probe
            return
        }
        self.probe = nil
        limitBefore = nil
        judgeRefusals(
            share: probe.refusals * 1024 / probe.heard, before: probe.refusedShareBefore)
        limit = probe.limit
        guard probe.seesLatency else { return }
        // With a queue it falls by a fifth of the mean; if by less than half of that, none is left, and
        // this is the latency without.
        let isDrained = isUsed && probe.low > probe.lowBefore - probe.meanBefore / 10
        if probe.low < base || isDrained { base = probe.low }
        mean = probe.meanBefore
        limit = max(share(without: probe.lowBefore - base), min(limit, floor))
    }
}
