import FanfareBase

/// Hosts that were given up lately, so that no new try is made for each of their rows.
///
/// It knows the last ones only: so memory has a bound, though a list may name any number.
struct GivenUpHosts {
    private struct Entry {
        var fault: HostFault
        var until: Instant
        /// The number of times in a row that it was given up for others.
        var timesGivenWay: Int
    }

    private var entries: [String: Entry] = [:]
    /// The order in which they were given up; some may be gone, or have come again.
    private var order: [String] = []
    private var first = 0
    private let most: Int

    init(most: Int = Limits.hostsGivenUpMax) {
        self.most = most
    }

    var count: Int { entries.count }

    /// Notes that a host was given up.
    mutating func add(
        _ origin: String, _ fault: HostFault, until: Instant, timesGivenWay: Int = 0
    ) {
        let entry = Entry(fault: fault, until: until, timesGivenWay: timesGivenWay)
        if entries.updateValue(entry, forKey: origin) == nil { order.append(origin) }
        while entries.count > most, first < order.count {
            entries[order[first]] = nil
            first += 1
        }
        if first > most {
            order.removeFirst(first)
            first = 0
        }
    }

    /// Notes that a host was closed that was not given up.
    mutating func hasDoneWell(_ origin: String) { entries[origin]?.timesGivenWay = 0 }

    /// Returns the number of times in a row that a host was given up for others.
    func timesGivenWay(_ origin: String) -> Int { entries[origin]?.timesGivenWay ?? 0 }

    /// Returns the reason why a host was given up, if that still counts, and until when.
    mutating func fault(of origin: String, now: Instant) -> (fault: HostFault, until: Instant)? {
        guard let entry = entries[origin] else { return nil }
        if now < entry.until { return (entry.fault, entry.until) }
        // Its place in the order stays: it goes at its turn, or stands for a later entry.
        return nil
    }
}
