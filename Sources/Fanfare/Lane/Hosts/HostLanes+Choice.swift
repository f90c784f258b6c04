import FanfareBase
import FanfareCore

/// The choice of the host for a row, and of those that make room for it.
extension HostLanes {
    /// Returns the host of a row, opened if need be; `nil` if there is no place for it now.
    func lane(for batch: RowBatch, _ index: Int, now: Instant) -> HostLane? {
        guard let url = hosts.url(of: batch, index) else { return laneToNowhere() }
        if let lane = table[url.origin] {
            // One that was given up is tried again after a while.
            guard let end = lane.restsUntil, now >= end, lane.isIdle else { return lane }
            close(lane, now: now)
        }
        if table.isFull {
            guard let idle = table.idleLongest else { return nil }
            close(idle, now: now)
        }
        guard let settings = hosts.settings(url) else { return laneToNowhere() }
        let lane = makeLane(url, settings, allowsPrivate: hosts.hosts.allowsPrivate(url))
        if let known = table.fault(of: url.origin, now: now) {
            lane.giveUp(fault: known.fault, until: known.until)
        }
        table.add(lane)
        return lane
    }

    /// The host of rows that name none: it only reports them.
    private func laneToNowhere() -> HostLane {
        if let nowhere = table.nowhere { return nowhere }
        guard let url = try? DeclaredURL(service: "https://invalid") else {
            preconditionFailure("BUG: a URL that does not read")
        }
        var settings = self.settings
        settings.isHostOfRows = true
        let lane = makeLane(url, settings, allowsPrivate: false)
        // Nothing is sent by it, also if a row should be better than it looked.
        lane.giveUp(
            fault: Array("\(RowProblem.hostGivenUp.text)".utf8), until: .distantFuture)
        table.add(lane, isNowhere: true)
        return lane
    }

    private func makeLane(
        _ url: DeclaredURL, _ settings: LaneSettings, allowsPrivate: Bool
    ) -> HostLane {
        openedCount += 1
        var settings = settings
        // Pace and log know this lane by its number.
        settings.pace = self.settings.pace
        settings.events = self.settings.events
        let lane = HostLane(
            url, settings: settings, owner: self,
            rows: HostRows(parked, slotCount: settings.preparation.schema.slotCount),
            allowsPrivate: allowsPrivate, seed: seed &+ openedCount &* 0x9E37_79B9_7F4A_7C15)
        lane.obey(isPaused: isPaused, stop: stop, isAborted: false)
        return lane
    }

    // MARK: Closing

    /// Closes a host that is idle, for another one.
    private func close(_ lane: HostLane, now: Instant) {
        lane.close(now: now)
        remove(lane, now: now)
    }

    /// Forgets a host, but for what it has done.
    func remove(_ lane: HostLane, now: Instant) {
        lane.with { closed.add($0) }
        figures.takeEvents(of: lane, to: shared.log)
        table.remove(lane)
    }

    /// Closes the hosts that have had nothing to do for a while.
    func closeUnused(now: Instant) {
        for lane in table.unused(now: now) { close(lane, now: now) }
    }
}
