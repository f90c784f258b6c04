import FanfareBase

/// A provider as far as a window can tell, on a virtual clock.
///
/// It has some places. A request that finds one free has it for the time of its answer, others wait
/// for one in order of arrival: up to so many in flight latency is flat, and beyond it rises.
package struct ModelProvider {
    /// The time of an answer in milliseconds, and how it scatters.
    package var latency = 20.0
    /// The deviation of the latency's logarithm: 0 for none.
    package var sigma = 0.0
    package var places = Int.max
    /// Requests beyond so many in flight are refused.
    package var inFlightMax = Int.max
    /// Requests beyond so many a second are refused, but for a burst of a fiftieth.
    package var rateMax = Double.infinity
    /// The share that is refused in any case.
    package var refusedShare = 0.0
    /// The time of a refusal in milliseconds.
    package var refusalLatency = 20.0

    private var random: SplitMix64
    private var inFlight = 0
    /// The times when the taken places become free.
    private var freeAt = EventQueue<Void>()
    /// The time when the rate's bucket is full again.
    private var rateDue: Int64 = 0

    package init(seed: UInt64 = 1) {
        random = SplitMix64(seed: seed)
    }

    /// Takes a request.
    /// - Returns: The time of its answer, and whether that is a refusal.
    package mutating func answer(at now: Int64) -> (due: Int64, isRefused: Bool) {
        let isRefused = inFlight >= inFlightMax || isAboveRate(now) || chance < refusedShare
        guard !isRefused else { return (now + milliseconds(refusalLatency), true) }
        inFlight += 1
        let own = sigma == 0 ? 1 : exponential(sigma * normal)
        return (startsAt(now, takes: milliseconds(latency * own)), false)
    }

    /// An answer that is no refusal has gone out.
    package mutating func answered() { inFlight -= 1 }

    private mutating func startsAt(_ now: Int64, takes time: Int64) -> Int64 {
        guard places < Int.max else { return now + time }
        while let first = freeAt.nextDue?.nanoseconds, first <= now { _ = freeAt.popFirst() }
        // A place that was given up since is not waited for.
        var start = now
        while freeAt.count >= places, let next = freeAt.popFirst() { start = next.due.nanoseconds }
        freeAt.insert((), at: Instant(nanoseconds: start + time))
        return start + time
    }

    private mutating func isAboveRate(_ now: Int64) -> Bool {
        guard rateMax < .infinity else { return false }
        let due = max(rateDue, now)
        guard due - now <= 20_000_000 else { return true }
        rateDue = due + Int64(1e9 / rateMax)
        return false
    }

    private func milliseconds(_ value: Double) -> Int64 { max(Int64(value * 1e6), 1) }

    // MARK: Chance

    private var chance: Double {
        mutating get { Double(random.next() >> 11) * 0x1p-53 }
    }

    /// The sum of twelve uniform numbers: normal as far as three deviations.
    private var normal: Double {
        mutating get { (0..<12).reduce(-6.0) { sum, _ in sum + chance } }
    }

    /// The exponential function without a library: (1 + x/1024)^1024.
    private func exponential(_ x: Double) -> Double {
        var result = 1 + x / 1024
        for _ in 0..<10 { result *= result }
        return result
    }
}
