import FanfareBase
import FanfareCore

extension HostLanes {
    /// Adds up the lane's part of the progress.
    /// - Parameter sums: The sums over all hosts.
    /// - Returns: The part.
    func snapshot(_ sums: HostSums) -> ProgressSnapshot {
        var snapshot = ProgressSnapshot()
        for lane in lanes { snapshot.gauges += lane.with { $0.gauges } }
        // The trouble of one host is none of the service's.
        snapshot.gauges.trouble = nil
        snapshot.counts = ProgressCounts(sums.tally)
        snapshot.counts.attemptOutcomes = sums.attemptOutcomes
        snapshot.counts.limits = limits.times
        if shared.progress.isWatched { snapshot.counts.latency = sums.latency }
        return snapshot
    }
}
