import FanfareBase
import FanfareCore

/// The hosts of a lane: the choice of the one for a row, and of those that make room for it.
///
/// A host that is opened, closed or fed asks its lane for rows and room, and so this is no value that would
/// be in use meanwhile.
final class HostChoice {
    private let hosts: HostRoute
    private let settings: LaneSettings
    private let seed: UInt64
    private let parked: ParkedRows
    private let log: EventLog?
    /// The open hosts.
    private(set) var table: HostTable
    private var turns = PlaceTurns()
    /// The number of hosts opened so far; each has random numbers of its own.
    private var openedCount: UInt64 = 0
    /// The results of hosts that are closed.
    private(set) var closed = HostSums()

    /// - Parameters:
    ///   - hosts: The facts that the hosts of a route share.
    ///   - settings: The settings of the lane.
    ///   - seed: The seed of the lane's random numbers.
    ///   - log: The log that gets the events of the hosts.
    init(_ hosts: HostRoute, _ settings: LaneSettings, seed: UInt64, log: EventLog?) {
        self.hosts = hosts
        self.settings = settings
        self.seed = seed
        self.log = log
        parked = ParkedRows(folder: hosts.folder)
        table = HostTable(
            HostPlaces(connectionsMax: hosts.connectionsMax, sittingOutMax: hosts.sittingOutMax))
    }

    /// Returns the host of a row, opened if need be.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - index: The row's place there.
    ///   - owner: The lane of the hosts.
    ///   - now: The time.
    /// - Returns: The host; `nil` if there is no place for it now.
    func lane(for batch: RowBatch, _ index: Int, of owner: HostLanes, now: Instant) -> HostLane? {
        guard let url = hosts.url(of: batch, index) else { return laneToNowhere(of: owner) }
        if let lane = table[url.origin] {
            // One that was given up is tried again after a while.
            guard let end = lane.restsUntil, now >= end, lane.isIdle else { return lane }
            close(lane, now: now)
        }
        let hasPlace = turns.placeNew(
            isReturning: { table.firstReturning(now: now) != nil },
            makesRoom: { makeRoom(now: now) }, bringsBack: { bringBackFirst(now: now) })
        guard hasPlace else { return nil }
        guard let settings = hosts.settings(url) else { return laneToNowhere(of: owner) }
        let lane = makeLane(
            url, settings, of: owner, allowsPrivate: hosts.hosts.allowsPrivate(url))
        if let known = table.fault(of: url.origin, now: now) {
            lane.giveUp(known.fault, until: known.until)
        }
        table.add(lane)
        return lane
    }

    /// The host of rows that name none: it only reports them.
    private func laneToNowhere(of owner: HostLanes) -> HostLane {
        if let nowhere = table.nowhere { return nowhere }
        guard let url = try? DeclaredURL(service: "https://invalid") else {
            preconditionFailure("BUG: a URL that does not read")
        }
        var settings = self.settings
        settings.isHostOfRows = true
        let lane = makeLane(url, settings, of: owner, allowsPrivate: false)
        // Nothing is sent by it, also if a row should be better than it looked.
        lane.giveUp(
            HostFault(text: Array("\(RowProblem.hostGivenUp.text)".utf8)), until: .distantFuture)
        table.add(lane, isNowhere: true)
        return lane
    }

    private func makeLane(
        _ url: DeclaredURL, _ settings: LaneSettings, of owner: HostLanes, allowsPrivate: Bool
    ) -> HostLane {
        openedCount += 1
        var settings = settings
        // Pace and log know this lane by its number.
        settings.pace = self.settings.pace
        settings.events = self.settings.events
        let lane = HostLane(
            url, settings: settings, owner: owner,
            rows: HostRows(parked, slotCount: settings.preparation.schema.slotCount),
            bounds: hosts.bounds, allowsPrivate: allowsPrivate,
            timesGivenWay: table.timesGivenWay(url.origin),
            seed: seed &+ openedCount &* 0x9E37_79B9_7F4A_7C15)
        lane.obey(isPaused: owner.isPaused, stop: owner.stop, isAborted: false)
        return lane
    }

    // MARK: Room

    /// Makes room for a host that needs a connection.
    /// - Returns: True if there is room.
    private func makeRoom(now: Instant) -> Bool {
        while true {
            switch table.room(now: now) {
            case .open: return true
            case .wait: return false
            case .close(let index): close(table.lanes[index], now: now)
            case .shrink(let index): table.lanes[index].wantOneLess(now: now)
            case .sitOut(let index):
                guard table.lanes[index].sitOut(now: now) else { return false }
            case .endTurn(let index): table.lanes[index].endTurn(now: now)
            case .endLookup(let index): table.lanes[index].endLookup(now: now)
            case .giveUp(let index, let time):
                table.lanes[index].giveWay(
                    JobStop(
                        .refused, "it gave no answer for \(Self.text(time)), and others wait"),
                    .failed, now: now)
            case .dismiss(let index, let wait):
                let lane = table.lanes[index]
                let reason: Statement =
                    lane.waitsForDial
                    ? "it takes no connection, and others wait"
                    : "its rows have to wait for another \(Self.text(wait)), and too many others wait"
                lane.giveWay(
                    JobStop(.refused, reason), lane.waitsForDial ? .failed : .throttled, now: now)
            }
        }
    }

    private static func text(_ time: Duration) -> String {
        NumberText.duration(milliseconds: max(time.wholeNanoseconds, 0) / 1_000_000)
    }

    /// Has the hosts go on that have sat out for long enough, as far as there is room.
    func bringBack(now: Instant) {
        while table.firstReturning(now: now) != nil, makeRoom(now: now) { bringBackFirst(now: now) }
    }

    private func bringBackFirst(now: Instant) { table.firstReturning(now: now)?.comeBack(now: now) }

    /// The most connections of a host.
    var connectionsPerHost: Int { hosts.requestsPerHost }

    // MARK: Closing

    /// Closes a host that is idle, for another one.
    private func close(_ lane: HostLane, now: Instant) {
        lane.close(now: now)
        remove(lane)
    }

    /// Forgets a host, but for what it has done.
    func remove(_ lane: HostLane) {
        lane.with { closed.add($0) }
        lane.tellEvents(to: log)
        table.remove(lane)
    }

    /// Closes the hosts that have had nothing to do for a while.
    func closeUnused(now: Instant) {
        for lane in table.unused(now: now) { close(lane, now: now) }
    }
}
