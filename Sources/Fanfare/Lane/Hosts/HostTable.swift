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
    private let places: HostPlaces

    /// - Parameter places: The connections that they share.
    init(_ places: HostPlaces) {
        self.places = places
    }

    // MARK: Hosts

    /// The open host of an origin.
    subscript(origin: String) -> HostLane? { open[origin] }

    /// The connections that may be wanted beside those of the open hosts.
    var spare: Int { places.connectionsMax - connections }

    private var connections: Int {
        lanes.reduce(0) { $1 === nowhere ? $0 : $0 + $1.connections }
    }

    /// Returns the next step to make room for a host.
    func room(now: Instant) -> HostPlaces.Action {
        places.room(
            connections: connections,
            hosts: lanes.lazy.map { [nowhere] lane in
                HostPlaces.Host(
                    lane === nowhere ? .apart : lane.work(now: now), connections: lane.connections)
            },
            now: now)
    }

    /// Returns the host whose time came first of those that sit out; `nil` if none has come.
    func firstReturning(now: Instant) -> HostLane? {
        var first: (lane: HostLane, end: Instant)?
        for lane in lanes {
            guard let end = lane.sitsOutUntil, end <= now, end < first?.end ?? .distantFuture
            else { continue }
            first = (lane, end)
        }
        return first?.lane
    }

    /// Returns the time at which the next host has sat out for long enough; one that has waits for room.
    func nextReturn(after now: Instant) -> Instant {
        lanes.lazy.compactMap(\.sitsOutUntil).filter { $0 > now }.min() ?? .distantFuture
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
        open[lane.origin] = nil
        guard let end = lane.restsUntil else { return givenUp.hasDoneWell(lane.origin) }
        givenUp.add(lane.origin, lane.fault, until: end, timesGivenWay: lane.timesGivenWay)
    }

    /// Returns the number of times that a host was given up for others, the last times that it was open.
    func timesGivenWay(_ origin: String) -> Int { givenUp.timesGivenWay(origin) }

    /// Returns the reason why a host was given up, if that still counts, and until when.
    mutating func fault(of origin: String, now: Instant) -> (fault: HostFault, until: Instant)? {
        givenUp.fault(of: origin, now: now)
    }

    // MARK: All of them

    /// Returns true if a host would be without work, or keep its place for too long, unless rows come in.
    ///
    /// Rows that wait for the pace need no others beside them.
    func needsRows(now: Instant) -> Bool {
        let isShort =
            spare > 0 || open.values.contains { $0.rows.isEmpty || $0.hasHadItsTurn(now: now) }
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
