import FanfareBase
package import FanfareCore

/// A job that several workers share, and the server between them.
package struct ClusterOptions: Sendable, Equatable {
    /// The server: a URI or a connection string, as libpq takes it.
    package var address: String
    /// The name of the job, the same for all of its workers.
    package var job: String
    /// The name of this worker for people.
    package var worker: String
    /// The rows of a cut, the same for all workers.
    package var cutRows = Limits.clusterCutRows
    package var patience = ClusterPatience()
    /// The identity of the job, once the server has said it.
    var identity: UInt64?
    /// The moment at which the job was made, as the server has said it: the same for all workers, and by no clock of theirs.
    /// - Unit: seconds since 1970.
    var began: Int64?
    /// The making of the job, if there is none yet.
    var beginning: ClusterBeginning?

    package init(address: String, job: String, worker: String) {
        self.address = address
        self.job = job
        self.worker = worker
    }
}
