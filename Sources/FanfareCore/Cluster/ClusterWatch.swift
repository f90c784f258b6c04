import FanfareBase

/// A worker's opinion about which others are lost: it compares their counters, and never a time of theirs.
struct ClusterWatch: Sendable {
    private struct Sight: Sendable {
        var worker: WorkerID
        var beat: UInt64
        var since: Instant
        var polls: Int
        var isGivenUp = false
    }

    private var sights: [Sight] = []
    private var lastLook: Instant?

    /// Forgets everything: the engine has gone back, and counters with it.
    mutating func reset() {
        sights = []
        lastLook = nil
    }

    /// Looks at the counters that a beat has brought.
    mutating func look(_ workers: [ClusterOrders.Worker], now: Instant, _ patience: ClusterPatience)
    {
        // After a silence in which this worker, or the engine, was away, all begin anew.
        if let lastLook, now > lastLook.advanced(by: patience.own) { sights = [] }
        lastLook = now
        let before = sights
        sights = workers.enumerated().map { place, worker in
            // The engine lists them in the same order, unless it has gone back.
            var sight =
                place < before.count && before[place].worker == worker.id
                ? before[place] : before.first { $0.worker == worker.id }
            if sight?.beat == worker.beat {
                sight?.polls += 1
            } else {
                sight = nil
            }
            var present =
                sight ?? Sight(worker: worker.id, beat: worker.beat, since: now, polls: 1)
            present.isGivenUp = worker.state == .givenUp
            return present
        }
    }

    /// Returns the last beat of a worker that is lost; `nil` if it is not.
    func lostBeat(of worker: WorkerID, now: Instant, _ patience: ClusterPatience) -> UInt64? {
        guard let sight = sights.first(where: { $0.worker == worker }),
            sight.polls >= patience.polls, now >= sight.since.advanced(by: patience.others)
        else { return nil }
        return sight.beat
    }

    /// Returns the last beat of a worker that a person has given up, and that is lost here, too; `nil` if it is not.
    func givenUpBeat(of worker: WorkerID, now: Instant, _ patience: ClusterPatience) -> UInt64? {
        guard sights.contains(where: { $0.worker == worker && $0.isGivenUp }) else { return nil }
        return lostBeat(of: worker, now: now, patience)
    }

    /// Returns all that are lost.
    func lost(now: Instant, _ patience: ClusterPatience) -> [ClusterOperation.Seen] {
        sights.compactMap { sight in
            lostBeat(of: sight.worker, now: now, patience).map {
                ClusterOperation.Seen(worker: sight.worker, beat: $0)
            }
        }
    }
}
