/// The engine behind a job of several workers: ten operations, each of them one transaction.
///
/// The promises of an engine: an operation happens whole or not at all; operations happen one after the other as
/// far as a single record is concerned; and what it has acknowledged, except for a beat, it does not lose. A beat
/// that raises a share counts as acknowledged, too. All else, lost and repeated requests included, the operations
/// themselves can bear.
package protocol ClusterStore {
    /// A process comes: it gets a session, and the unsettled grants of its folder.
    mutating func join(_ request: ClusterRequest, _ join: ClusterOperation.Join) -> ClusterReply

    /// A worker says anew what it holds.
    mutating func reassert(
        _ request: ClusterRequest, _ reassertion: ClusterOperation.Reassertion
    ) -> ClusterReply

    /// A worker lives, and gets its orders.
    mutating func beat(_ request: ClusterRequest, _ beat: ClusterOperation.Beat) -> ClusterReply

    /// Lists what there is to take.
    mutating func survey(_ request: ClusterRequest) -> ClusterReply

    /// Adds a range of the input behind the last one: the rows of some cuts.
    mutating func cut(_ request: ClusterRequest, _ cuts: [ClusterCut]) -> ClusterReply

    /// Gives a worker rows that were granted to no other one.
    mutating func take(_ request: ClusterRequest, _ take: ClusterOperation.Take) -> ClusterReply

    /// Grants rows: the only answer that lets a worker send any.
    mutating func grant(
        _ request: ClusterRequest, _ key: GrantKey, upTo row: UInt64
    ) -> ClusterReply

    /// All rows of a grant have their lines on the disk.
    mutating func settle(_ request: ClusterRequest, _ key: GrantKey) -> ClusterReply

    /// Takes rows back that were not sent.
    mutating func giveBack(
        _ request: ClusterRequest, _ back: ClusterOperation.GivenBack
    ) -> ClusterReply

    /// Compares and sets the job's record.
    mutating func decide(
        _ request: ClusterRequest, _ decision: ClusterDecision, after orders: Int
    ) -> ClusterReply

    /// The generation now, after the engine has looked whether it has gone back.
    mutating func presentGeneration() -> ClusterGeneration?
}

extension ClusterStore {
    package mutating func answer(_ request: ClusterRequest) -> ClusterAnswer {
        _ = presentGeneration()
        let body: ClusterReply =
            switch request.operation {
            case .join(let details): join(request, details)
            case .reassert(let details): reassert(request, details)
            case .beat(let details): beat(request, details)
            case .survey: survey(request)
            case .cut(let cuts): cut(request, cuts)
            case .take(let details): take(request, details)
            case .grant(let key, let row): grant(request, key, upTo: row)
            case .settle(let key): settle(request, key)
            case .giveBack(let details): giveBack(request, details)
            case .decide(let decision, let orders): decide(request, decision, after: orders)
            }
        return ClusterAnswer(generation: presentGeneration(), body: body)
    }
}
