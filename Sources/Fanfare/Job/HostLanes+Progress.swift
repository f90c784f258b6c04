import FanfareBase
import FanfareCore

extension HostLanes {
    /// Adds up the lane's part of the progress.
    /// - Parameter sums: The sums over all hosts.
    /// - Returns: The part.
    func snapshot(_ sums: HostSums) -> ProgressSnapshot {
        var snapshot = ProgressSnapshot()
        for lane in lanes { snapshot.add(lane.with { $0.snapshot }) }
        // The trouble of one host is none of the service's.
        snapshot.trouble = nil
        snapshot.finished = sums.tally.finished
        snapshot.accepted = sums.tally.count(.accepted)
        snapshot.unregistered = sums.tally.count(.unregistered)
        snapshot.attemptOutcomes = sums.attemptOutcomes
        snapshot.retries = sums.tally.retries
        snapshot.connectionsOpened = sums.tally.connectionsOpened
        snapshot.bytesSent = sums.tally.bytesSent
        snapshot.counts = sums.tally.outcomes
        snapshot.valid = sums.tally.valid
        snapshot.limits = limits.times
        if shared.progress.isWatched { snapshot.latency = sums.latency }
        return snapshot
    }
}
