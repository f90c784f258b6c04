import FanfareBase
import FanfareCore

extension JobStop {
    /// The stop of a worker whose part in a shared job has ended; `nil` if it has come to the proper end.
    /// - Parameters:
    ///   - ending: The end.
    ///   - job: The job's name.
    ///   - differences: The settings that differ from those of the other workers; `nil` if they are not known.
    ///   - successor: The place of the copy that has taken this worker's part; `nil` if it is not known.
    init?(
        _ ending: ClusterEnding, of job: String, differences: Statement? = nil,
        successor: String? = nil
    ) {
        switch ending {
        case .finished, .left: return nil
        case .stopped, .inputDiffers, .refused(.otherPolicy):
            self.init(drainingFor: ending, of: job, differences: differences)
        case .refused(.jobIsUnknown):
            self.init(.refused, FanfareError.jobIsLost(job).statement)
            needsOtherCommand = true
        case .refused(.otherJob):
            self.init(
                .usage,
                "the job \(job) has other inputs or settings than this worker"
                    + Self.list(differences)
                    + ": give all of its workers the same ones, or begin another job")
        case .refused(.otherProtocol(let version)):
            self.init(
                .usage,
                "the workers of \(job) speak version \(version) of their protocol, and this program speaks "
                    + "\(ClusterTerms.ownProtocol): use one version of Fanfare on all machines, or begin another job"
            )
        case .refused(.tooManyWorkers):
            self.init(
                .usage,
                "the job \(job) has \(Limits.clusterWorkersMax) workers, as many as it may have")
        case .superseded:
            self.init(
                .usage,
                Statement(
                    "another process works with a copy of this worker's report and checkpoint, and has its part in \(job)"
                        + (successor.map { ": \($0)" } ?? "")
                        + ". Let one of the two run: leave this one ended, or end that process first and then start this "
                        + "one"))
            // A start of this one takes the part away from the other process.
            needsOtherCommand = true
        }
    }

    /// The stop of a worker that drains.
    /// - Parameters:
    ///   - ending: The end that it drains toward; `nil` if none was heard.
    ///   - job: The job's name.
    ///   - differences: The settings that differ from those of the other workers; `nil` if they are not known.
    ///   - words: The one who has stopped the job, and the reason; `nil` if that was not heard.
    init(
        drainingFor ending: ClusterEnding?, of job: String, differences: Statement? = nil,
        by words: ClusterStopWords? = nil
    ) {
        switch ending {
        case .refused(.otherPolicy):
            self.init(
                .usage,
                "the workers of \(job) have agreed on other lists or bounds than those of this one"
                    + Self.list(differences)
                    + ": give it the same ones. To change them for all, stop the job, let it go on by fanfare cluster "
                    + "resume with \(.renewedPolicy), and start all workers with the new ones")
        case .stopped(.ordered):
            self.init(
                .interrupted,
                Statement(
                    "the job \(job) was stopped on request\(words?.reason.map { " of \($0)" } ?? ""); "
                        + "fanfare cluster resume lets it go on"))
        case .stopped(.inputsDiffer(let row)):
            self.init(
                .inputOutput,
                "the workers of \(job) do not see the same file: from row \(row + 1) on their bytes differ"
            )
        case .stopped(.grantedTwice(let rows)):
            self.init(
                .inputOutput,
                "the server has forgotten writes, and rows \(rows.lowerBound + 1) to \(rows.upperBound) were granted "
                    + "twice, so some of them may have been sent twice. No worker sends them any more: fanfare cluster "
                    + "resume lets the job \(job) go on with all others")
        case .inputDiffers:
            self.init(
                .inputOutput,
                "this machine's input has other bytes than those of the worker that cut it, so it leaves the job "
                    + "\(job); give all machines the same file")
        case .stopped(.outcomes), .stopped(nil), nil,
            // These end without draining.
            .finished, .left, .refused, .superseded:
            let worker = words?.worker.map { "the worker \($0)" } ?? "another worker"
            let reason = words?.reason.map { ": \($0)" } ?? ""
            self.init(.refused, Statement("\(worker) has stopped the job \(job)\(reason)"))
        }
    }

    private static func list(_ differences: Statement?) -> Statement {
        differences.map { " (" + $0 + ")" } ?? ""
    }
}
