import FanfareBase
import FanfareCore

/// The facts of a ledger about servers that are lost, or two at a time.
struct ServerHistory {
    var isLost = false
    /// The rows that each worker had when a standby took over, and that the former server has granted since.
    var before: [WorkerID: RowIntervals] = [:]
    var grantedByFormer: [WorkerID: RowIntervals] = [:]
    /// The workers that have said to the server that is left what they hold.
    var told: Set<WorkerID> = []
    var hasSplit = false
    /// The rows that went twice because of it.
    var twice = RowIntervals()
    /// True if a verdict has said that rows were granted twice.
    var isNamed = false
    /// The processes that have heard that their job is gone.
    var refused: Set<Int> = []
}

extension ClusterLedger {
    func lostServer() { servers.isLost = true }

    func split(_ state: ClusterModel.State) {
        servers.hasSplit = true
        servers.before = Self.owners(state)
    }

    /// A transaction was committed by the server that another one has taken over from.
    func committedByFormer(
        _ before: ClusterModel.State, _ after: ClusterModel.State, _ request: ClusterRequest,
        _ reply: ClusterReply, _ world: ClusterWorld
    ) {
        if trace != nil { note(request, reply, world.now) }
        if before.ranges != after.ranges || before.grants != after.grants {
            checkDisjoint(after, world.now)
        }
        for (worker, rows) in Self.owners(after) {
            servers.grantedByFormer[worker, default: RowIntervals()].formUnion(
                rows.subtracting(servers.before[worker] ?? RowIntervals()))
        }
    }

    /// Notes that a worker says to the server that is left what it holds.
    func noteTold(
        _ request: ClusterRequest, _ before: ClusterModel.State, _ world: ClusterWorld
    ) {
        guard servers.hasSplit, world.servers.former == nil, before.job?.state != .finished,
            case .reassert = request.operation
        else { return }
        servers.told.insert(request.worker)
    }

    /// Invariant 17: of two servers, only rows that the former one has granted since go twice.
    func isExcusedBySplit(_ row: Int) -> Bool {
        guard servers.grantedByFormer.contains(where: { $0.value.contains(UInt64(row)) }) else {
            return false
        }
        servers.twice.insert(UInt64(row)..<UInt64(row) + 1)
        return true
    }

    /// Invariant 16: a worker whose job is gone starts nothing after it has heard so.
    func checkGone(_ row: Int, _ worker: SimulatedWorker, _ now: Instant) {
        if servers.refused.contains(worker.number) {
            violate("I16", "row \(row) starts at worker \(worker.number), whose job is gone", now)
        }
    }

    /// Invariants 16 and 17, at the end.
    func checkServers(_ world: ClusterWorld) {
        if servers.isLost {
            let others = world.model.state.workers.filter { $0.id != ClusterWorld.stranger }
            if !others.isEmpty { violate("I16", "a worker has joined another job", world.now) }
            return
        }
        // One that has left before the servers were one does not tell, and a finished job has no verdict.
        let known = servers.told.contains { worker in
            !(servers.grantedByFormer[worker] ?? RowIntervals()).isDisjoint(servers.twice)
        }
        if known && !servers.isNamed {
            violate(
                "I17", "rows \(servers.twice.spans) went twice, and no verdict says so", world.now)
        }
    }
}
