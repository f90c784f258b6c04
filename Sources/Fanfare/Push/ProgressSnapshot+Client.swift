import FanfareCore

/// Sums over the jobs of a client.
extension ProgressSnapshot {
    /// Adds the counts of a job that is over; what is true at a moment stays that of this job.
    mutating func addEnded(_ ended: ProgressSnapshot) {
        counts += ended.counts
        for route in ended.routes {
            if let index = routes.firstIndex(where: { $0.provider == route.provider }) {
                routes[index].counts += route.counts
            } else {
                routes.append(RouteProgress(route.provider, counts: route.counts))
            }
        }
    }
}
