import FanfareCore

/// Sums over the jobs of a client.
extension ProgressSnapshot {
    /// Adds the counts of a job that is over; what is true at a moment stays that of this job.
    mutating func addEnded(_ ended: ProgressSnapshot) {
        var counts = ended
        counts.inFlight = 0
        counts.connections = 0
        counts.connectionStates = ConnectionStateCounts()
        counts.streamLimit = 0
        counts.adaptiveLimit = nil
        counts.sendWindow = 0
        counts.trouble = nil
        add(counts)
        for route in ended.routes {
            if let index = routes.firstIndex(where: { $0.provider == route.provider }) {
                routes[index] = routes[index].adding(ended: route)
            } else {
                let none = RouteProgress(route.provider, ProgressSnapshot())
                routes.append(none.adding(ended: route))
            }
        }
    }
}

extension RouteProgress {
    /// Returns the same with the counts of a job that is over.
    fileprivate func adding(ended: RouteProgress) -> RouteProgress {
        var sum = ProgressSnapshot()
        sum.finished = finished + ended.finished
        sum.accepted = accepted + ended.accepted
        sum.inFlight = inFlight
        sum.connections = connections
        sum.counts = counts
        sum.counts += ended.counts
        sum.limits = limits + ended.limits
        sum.trouble = trouble
        return RouteProgress(provider, sum, expectedRows: expectedRows)
    }
}
