/// The answer of the engine to a request.
package struct ClusterAnswer: Equatable, Sendable {
    package var generation: ClusterGeneration?
    package var body: ClusterReply

    package init(generation: ClusterGeneration?, body: ClusterReply) {
        self.generation = generation
        self.body = body
    }
}

package enum ClusterReply: Equatable, Sendable {
    case joined(Joined)
    case refused(ClusterRefusal)
    /// The grants of the worker that are not settled, all of them closed now.
    case reasserted([ClusterGrant])
    case orders(ClusterOrders)
    /// The ranges that are not done, and the grants that are not settled.
    case survey(ranges: [ClusterRange], grants: [ClusterGrant])
    /// The first row that is not cut yet, and whether the input ends there.
    case cut(next: UInt64, isAll: Bool)
    case taken(ClusterRange)
    case takenGrant(ClusterGrant)
    case granted(ClusterRange)
    /// The range is not the worker's any more. The rows that it was granted of it are.
    case closed(ClusterGrant)
    case done
    /// Another worker was faster, or the job gives nothing now.
    case missed
    /// The job has no record of the grant, or it belongs to another worker.
    case notYours
    /// Another process works in the name of the folder, at this place.
    case superseded(ClusterPlace)
    /// The engine does not know the session, so it has gone back.
    case unknownSession
    /// The request speaks of another generation than the present one.
    case otherGeneration

    package struct Joined: Equatable, Sendable {
        package var session: Int
        package var state: ClusterJobState
        package var protocolVersion: Int
        /// The number of the last beat of the worker's, of any session.
        package var beat: UInt64
        /// The part of the job's rate that is reserved for the worker.
        package var share: Int64
        /// True if the folder was at another place when it joined before.
        package var hasMoved: Bool
        /// The grants of the worker that are not settled.
        package var grants: [ClusterGrant]
    }
}

/// The reason why a worker may not join.
package enum ClusterRefusal: Equatable, Sendable {
    /// The engine has no such job, and the folder has been part of it: the engine's data is gone.
    case jobIsUnknown
    /// The job has other inputs, settings, or another key.
    case otherJob
    /// Its workers have agreed on another policy.
    case otherPolicy
    /// The job speaks a protocol that this program does not.
    case otherProtocol(Int)
    /// As many workers have joined as a job may have.
    case tooManyWorkers
}

/// The engine's answer to a beat.
package struct ClusterOrders: Equatable, Sendable {
    package var job: ClusterJob
    /// The part of the job's rate that the worker may use from now on.
    package var share: Int64
    /// All workers of the job.
    package var workers: [Worker]
    /// The ranges that the worker owns, and its grants that are not settled.
    package var ranges: [ClusterRange]
    package var grants: [ClusterGrant]
    /// The number of ranges that have no owner.
    package var freeRanges: Int
    /// The lines of all workers, and the outcomes that others than this process have told.
    package var counts: ClusterCounts

    package struct Worker: Equatable, Sendable {
        package var id: WorkerID
        package var beat: UInt64
        package var state: ClusterWorker.State
    }
}
