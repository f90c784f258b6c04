import FanfareBase
import Synchronization

/// The making of a job on its server by the first worker: as late as it can be, so that a command that is refused leaves no
/// job behind, and before the worker's files say that it is part of one.
final class ClusterBeginning: Sendable {
    /// Makes the job.
    ///
    /// It returns false if another worker has done so since this one has looked for it.
    private let work: @Sendable () throws(FanfareError) -> Bool
    private let overtaken = Mutex(false)

    init(_ work: @escaping @Sendable () throws(FanfareError) -> Bool) { self.work = work }

    /// True if another worker has made the job: then this one begins again, with that job.
    var isOvertaken: Bool { overtaken.withLock { $0 } }

    /// Makes the job.
    /// - Throws: `FanfareError` if the server does not make it, or if another worker has done so.
    func make() throws(FanfareError) {
        if try work() { return }
        overtaken.withLock { $0 = true }
        throw FanfareError(
            .input, "another worker has begun the job in this moment; start this one again")
    }
}

extension ClusterBeginning: Equatable {
    static func == (left: ClusterBeginning, right: ClusterBeginning) -> Bool { left === right }
}
