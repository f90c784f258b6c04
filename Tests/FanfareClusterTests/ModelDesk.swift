@testable import FanfareCore

/// A model that a test asks for workers.
protocol ModelDesk {
    var model: ClusterModel { get set }
}

extension ModelDesk {
    /// Asks for a worker, under the present generation if no other one is named.
    @discardableResult
    mutating func ask(
        _ worker: UInt128, session: Int = 1, knowing generation: ClusterGeneration? = nil,
        _ operation: ClusterOperation
    ) -> ClusterReply {
        model.transact(
            ClusterRequest(
                worker: WorkerID(bits: worker), session: session,
                generation: generation ?? model.state.job?.generation, operation: operation)
        ).body
    }
}
