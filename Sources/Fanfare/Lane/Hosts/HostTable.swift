import FanfareBase
import FanfareCore

/// The open hosts of a lane, and the reasons for which others were given up.
struct HostTable {
    /// The open hosts, by their origins, and the one for rows that name none that may be asked.
    private var open: [String: HostLane] = [:]
    private(set) var nowhere: HostLane?
    /// All of them, in the order in which they were opened.
    private(set) var lanes: [HostLane] = []
    private var givenUp = GivenUpHosts()
    private let openMax: Int

    /// - Parameter openMax: The hosts that are open at a time.
    init(openMax: Int) {
        self.openMax = openMax
    }

    // MARK: Hosts

    /// The open host of an origin.
    subscript(origin: String) -> HostLane? { open[origin] }

    /// True if another host takes the place of an open one.
    var isFull: Bool { open.count >= openMax }

    /// The host that has had nothing to do for the longest time.
    var idleLongest: HostLane? {
        open.values.filter(\.isIdle).min { $0.lastUsed < $1.lastUsed }
    }

    /// The hosts that have had nothing to do for a while.
    func unused(now: Instant) -> [HostLane] {
        lanes.filter { lane in
            lane !== nowhere && lane.lastUsed.advanced(by: Limits.hostIdleTime) <= now
                && lane.isIdle
        }
    }

    /// Adds a host.
    /// - Parameters:
    ///   - lane: The host.
    ///   - isNowhere: True for the one of rows that name none.
    mutating func add(_ lane: HostLane, isNowhere: Bool = false) {
        lanes.append(lane)
        if isNowhere { nowhere = lane } else { open[lane.origin] = lane }
    }

    /// Takes a host out, and remembers if it was given up.
    mutating func remove(_ lane: HostLane) {
        lanes.removeAll { $0 === lane }
        guard lane !== nowhere else { return nowhere = nil }
        if let end = lane.restsUntil { givenUp.add(lane.origin, lane.fault, until: end) }
        open[lane.origin] = nil
    }

    /// Returns the reason why a host was given up, if that still counts, and until when.
    mutating func fault(of origin: String, now: Instant) -> (fault: HostFault, until: Instant)? {
        givenUp.fault(of: origin, now: now)
    }

    // MARK: All of them

    /// True if a host would be without work, unless rows come in.
    ///
    /// Rows that wait for the pace need no others beside them.
    var needsRows: Bool {
        let isShort = !isFull || open.values.contains { $0.rows.isEmpty }
        return isShort && !open.values.contains(where: \.waitsForPace)
    }

    var areIdle: Bool { lanes.allSatisfy(\.isIdle) }

    var due: Instant { lanes.map(\.due).min() ?? .distantFuture }

    /// The gauges of all hosts.
    var levels: (connections: Int, requestsInFlight: Int) {
        var sum = (connections: 0, requestsInFlight: 0)
        for lane in lanes {
            let levels = lane.with { $0.levels }
            sum.connections += Int(levels.connections)
            sum.requestsInFlight += Int(levels.requestsInFlight)
        }
        return sum
    }
}
