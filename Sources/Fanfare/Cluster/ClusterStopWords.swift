import FanfareBase
package import FanfareCore

/// The one who has stopped a job, and the reason, as people read it: words out of the tables, made safe for a terminal.
package struct ClusterStopWords: Equatable, Sendable {
    /// The worker, as commands call it; `nil` for an order that a person gave.
    package let worker: String?
    /// The worker's reason, or the person's user; `nil` if the verdict says all.
    package let reason: String?

    init(
        of worker: WorkerID?, among workers: [(id: WorkerID, name: String)], reason: String?
    ) {
        let place = worker.flatMap { worker in workers.firstIndex { $0.id == worker } }
        self.worker = place.map { ClusterControl.shown(ClusterNames(workers).labels[$0]) }
        self.reason = reason.map {
            TerminalText.reported($0, bytesMax: Limits.clusterReasonMax)
        }
    }

    package init(worker: String?, reason: String?) {
        (self.worker, self.reason) = (worker, reason)
    }

    /// Returns a sentence about a verdict.
    package func text(_ verdict: ClusterVerdict) -> String {
        let by = worker.map { " by \($0)" } ?? ""
        let why =
            switch verdict {
            case .ordered: " on request" + (reason.map { " of \($0)" } ?? "")
            case .outcomes: reason.map { ": \($0)" } ?? ", by its outcomes"
            case .inputsDiffer(let row):
                ": its workers do not see the same file, from row \(row + 1) on their bytes differ"
            case .grantedTwice(let rows):
                ": the server has forgotten writes, and rows \(rows.lowerBound + 1) to \(rows.upperBound) were granted twice"
            }
        return "stopped\(by)\(why)"
    }
}
