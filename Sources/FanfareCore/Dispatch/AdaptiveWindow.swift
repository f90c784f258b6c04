package import FanfareBase

/// The number of requests that a lane may have in flight: as many as the provider answers well.
///
/// Facts in (latencies, refusals, the time), a limit out. It has two published methods, each for
/// the signal that it was made for:
///
/// - **Latency**: TCP Vegas (Brakmo, Peterson 1994) with the multiplicative step of FAST TCP (Wei,
///   Jin, Low, Hegde 2006). Beyond the knee more requests in flight only wait for longer; the
///   difference between the latency now and the one without a queue says for how long. With a small
///   difference the limit grows, with a large one it shrinks until little is left, and in between
///   it stays.
/// - **Refusals** (429, 503, ENHANCE_YOUR_CALM): additive increase, multiplicative decrease (Chiu,
///   Jain 1989), at most one decrease for each flight, as RFC 5681 has it for lost segments.
///
/// It begins with slow start (RFC 5681 §3.1): the limit doubles with each round trip. A lane that does
/// not use its limit does not raise it (RFC 7661).
///
/// Latencies of a provider scatter by about their mean, so that neither the smallest one (Vegas)
/// nor the mean (Netflix's gradient) tells a queue from chance. This window compares the mean of
/// the least of each eight answers: a queue moves these as much as any, and they scatter little.
///
/// **A probe asks whether a signal is about us.** Now and then the limit gives way by a fifth
/// (BBR's ProbeRTT; Cardwell et al. 2016). If latency does not follow, there was no queue: another
/// route, a busy machine. If refusals do not follow, the window puts up with them. Until a probe
/// has told, no cut for latency or for a few refusals goes below a quarter.
///
/// A round judges one limit: it is a flight of answers to requests that started under the limit
/// before, then a flight that counts.
package struct AdaptiveWindow: Sendable {
    /// The requests that may be in flight.
    package internal(set) var limit: Int

    /// Below it the limit rises with each answer: slow start.
    var threshold = Int.max
    /// The limit at which refusals last began, or `Int.max` if that is long ago: just below it
    /// steps are small.
    var ceiling = Int.max
    /// True if the round before has passed without a step, near there.
    var hasWaited = false

    // The round.
    /// Answers since its beginning, refusals among them.
    var heard = 0
    /// The number of them that are to requests that started before, and say nothing about this
    /// limit.
    var stale: Int
    /// Latency alone never takes the limit below this.
    let floor: Int
    var answers = 0
    var answersWanted = Limits.adaptiveAnswers
    var latencySum: Int64 = 0
    /// The least latency of eight answers, and the sum of them.
    var least = Int64.max
    var leastSum: Int64 = 0
    var refused = 0
    /// Refusals that say something new.
    var refusals = 0
    /// True if there were as many in flight as allowed.
    var isUsed = false

    // The provider's latencies so far, in nanoseconds.
    /// The low latency without a queue; zero until it is known.
    var base: Int64 = 0
    /// The low latency of the last round: the mean of the least of each eight answers.
    var low: Int64 = 0
    /// The mean latency of the last round.
    var mean: Int64 = 0
    /// The limit before the first of the cuts for latency without a good round in between.
    var limitBefore: Int?
    var probe: Probe?
    /// The time of the next measurement of `base`; `nil` before the first moment is known.
    var probeDue: Instant?

    /// Rounds in which the limit only grows by one, because connections are cut off.
    var careful = 0
    /// The answers that connections which were cut off had given, on average.
    var answersPerCut = 0

    // Refusals.
    /// The number of answers of the round that come before refusals say anything new.
    var deaf = 0
    /// The surplus of refusals over other answers, of late, and the place of the last one in the
    /// round.
    var excess = 0
    var lastRefusal = 0
    /// Cuts for refusals without a round in between that was good.
    var cuts: Cuts?
    /// The limit before cuts that were of no use, until there is a good round; else zero.
    var limitRefused = 0
    /// The share that is refused at every limit, in 1024ths.
    var steadyShare = 0

    /// - Parameter lanes: The number of the job's lanes, which share the first limit and the least
    ///   one.
    package init(lanes: Int = 1) {
        limit = max(Limits.adaptiveStart / lanes, 4)
        stale = limit
        floor = max(Limits.adaptiveLeast / lanes, 2)
    }

    /// The reason why there are no more than `limit` in flight.
    package enum Cause: Equatable, Sendable {
        /// Nothing speaks against more: it rises with the answers.
        case growth
        /// More in flight makes answers later.
        case latency
        /// The provider refuses requests.
        case refusals
    }

    package var cause: Cause {
        if careful > 0 || cuts != nil || limit >= ceiling / 8 * 7 { return .refusals }
        return limitBefore != nil || queueing > queueingMax / 3 ? .latency : .growth
    }

    // MARK: Facts

    /// Notes that a request has started.
    /// - Parameter inFlight: Requests in flight, this one included.
    package mutating func started(inFlight: Int) {
        if inFlight >= limit { isUsed = true }
    }

    /// Notes that the provider has answered, and not because of too many requests.
    /// - Parameters:
    ///   - latency: The nanoseconds from the request to the answer.
    ///   - now: The time.
    package mutating func answered(after latency: Int64, now: Instant) {
        heard &+= 1
        if isUsed && limit < threshold { limit &+= 1 }
        guard heard > stale else { return }
        latencySum &+= latency
        least = min(least, latency)
        answers &+= 1
        guard answers & 7 == 0 else { return }
        leastSum &+= least
        least = .max
        if answers >= answersWanted { endRound(now: now) } else if cuts != nil { lookAtQuarter() }
    }

    /// Notes that a connection was cut off, and that its requests in flight are in doubt: with
    /// fewer in flight the next cut loses fewer.
    ///
    /// It shrinks the limit by half of the share that was lost. As the next cut may come as soon,
    /// the limit then grows by one in each round, for longer the larger that share was: one of a
    /// hundred connections is no reason to stay where the lane is.
    ///
    /// If cuts go on, the limit goes where they take no more than `Limits.adaptiveLossShare` of the rows.
    /// - Parameters:
    ///   - lost: The requests that are in doubt.
    ///   - inFlight: Those that were in flight on all connections.
    ///   - answers: The answers that the connection had given.
    package mutating func cutOff(lost: Int, of inFlight: Int, behind answers: Int = 0) {
        let inFlight = max(inFlight, 1)
        answersPerCut = careful > 0 ? (3 * answersPerCut + answers) / 4 : answers
        let cheap = answersPerCut * inFlight / (Limits.adaptiveLossShare * max(lost, 1))
        let least = careful > 0 ? min(2 * limit, cheap) : 1
        limit = max(limit - limit * lost / (2 * inFlight), least, 1)
        let rounds = Limits.adaptiveCarefulRounds * lost / inFlight
        guard rounds > 0 else { return }
        careful = min(careful + rounds, Limits.adaptiveCarefulRounds)
        threshold = limit
        probe = nil
        limitBefore = nil
        cuts = nil
        beginRound(stale: 0)
    }

    // MARK: Rounds

    mutating func beginRound(stale: Int) {
        heard = 0
        self.stale = stale
        answers = 0
        answersWanted = max(isStarting ? limit / 2 : limit, Limits.adaptiveAnswers)
        latencySum = 0
        least = .max
        leastSum = 0
        refused = 0
        refusals = 0
        isUsed = false
        deaf = 0
        excess = 0
        lastRefusal = 0
    }

    mutating func endRound(now: Instant) {
        mean = latencySum / Int64(answers)
        low = leastSum / Int64(answers / 8)
        if base == 0 { base = low }
        roundEnded()
        let before = limit
        decide(now: now)
        beginRound(stale: limit == before ? 0 : max(before, limit))
    }

    /// Decides by the round's latencies.
    mutating func decide(now: Instant) {
        if probe != nil { return endProbeRound() }
        if low < base { base += (low - base) / 4 }
        // Requests that did not use up the limit did not wait because of it.
        guard isUsed else { return }
        if !isStarting && isProbeDue(now: now) { return beginProbe(seesLatency: true) }
        if queueing > queueingMax { return slowDown() }
        limitBefore = nil
        if isStarting || queueing > queueingMax / 3 { return }
        limit += step()
        if limit > ceiling { ceiling = .max }
    }

    var isStarting: Bool { limit < threshold }

    var queueing: Int64 { low - base }

    /// The queueing above which the limit shrinks; below a third of it the limit grows.
    var queueingMax: Int64 { max(Limits.adaptiveQueueing.wholeNanoseconds, base / 4) }

    private mutating func step() -> Int {
        if careful > 0 {
            careful -= 1
            return 1
        }
        // About its root: the smaller of two lanes takes the larger part.
        let root = 1 << ((Int.bitWidth - limit.leadingZeroBitCount) / 2)
        let whole = root + limit / 32
        guard limit >= ceiling / 8 * 7 else { return whole }
        guard whole < 8 else { return whole / 8 }
        hasWaited.toggle()
        return hasWaited ? 0 : 1
    }
}
