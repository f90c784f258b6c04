import FanfareBase
import FanfareCore

extension ClusterLedger {
    /// Checks what a server's tables and their readers ask of the records: one name for each, also once a range is closed, and
    /// bounds in their order.
    func checkRecords(_ state: ClusterModel.State, _ now: Instant) {
        let grants = state.grants.map(\.key)
        if Set(grants).count != grants.count { violate("I1", "two grants have one name", now) }
        if Set(state.ranges.map(\.key)).count != state.ranges.count {
            violate("I1", "two ranges have one name", now)
        }
        for range in state.ranges {
            if range.owner != nil && !range.isDone && grants.contains(range.grantKey) {
                violate("I1", "an open range has the name of a grant", now)
            }
            let bounds = [range.first, range.claimed, range.granted, range.end]
            if bounds != bounds.sorted() {
                violate("I1", "a range has the bounds \(bounds)", now)
            }
        }
    }
}
