import FanfareCore

/// Holds starts against the pace itself: in any window of W at most burst + rate × W of them.
///
/// Knows nothing of buckets and leases: it looks for the worst window that ends with each start.
struct PaceWatch {
    /// Starts as the engine sees them, and requests whose first frame the transport has taken.
    private var starts: Window
    private var sent: Window
    private var sentCount: Int
    /// True if a transport was ever full: then requests wait behind it, and the wire is no measure.
    private var hasBeenBlocked = false

    init(_ settings: PaceSettings, sentBefore: Int) {
        sentCount = sentBefore
        starts = Window(settings)
        sent = Window(settings)
    }

    mutating func started(at elapsed: Int) { starts.add(elapsed) }

    /// Notes how many requests have been sent by now.
    mutating func sent(_ count: Int, isBlocked: Bool, at elapsed: Int) {
        hasBeenBlocked = hasBeenBlocked || isBlocked
        for _ in sentCount..<count { sent.add(elapsed) }
        sentCount = count
    }

    var violation: String? {
        if starts.isBroken { return "more requests were started than the pace allows" }
        if sent.isBroken && !hasBeenBlocked {
            return "more requests were sent than the pace allows"
        }
        return nil
    }

    /// The worst window that ends with the last start.
    ///
    /// With i starts before the moment tᵢ, a window from start j to start i has i − j + 1 of them,
    /// which may be at most burst + rate × (tᵢ − tⱼ). So the worst j is the one with the least
    /// j − rate × tⱼ.
    private struct Window {
        let settings: PaceSettings
        private var least = Int128.max
        private var count: Int128 = 0
        private(set) var isBroken = false

        init(_ settings: PaceSettings) { self.settings = settings }

        mutating func add(_ elapsed: Int) {
            let earned = Int128(settings.count) * Int128(elapsed)
            least = min(least, count * Int128(settings.period) - earned)
            count += 1
            let allowed = Int128(settings.burst) * Int128(settings.period)
            if count * Int128(settings.period) - earned - least > allowed { isBroken = true }
        }
    }
}

extension SimulatedWorld {
    /// Invariant 3, as far as the pace is concerned.
    func checkPace() {
        paceWatch?.sent(
            ledger.requestsSent, isBlocked: links.contains { $0.clientIsBlocked }, at: elapsed)
        if let violation = paceWatch?.violation { ledger.violate("\(violation): \(state)") }
    }
}
