import FanfareBase
import FanfareCore
package import FanfareSystem

/// The end of a job that cannot have its threads or event loops.
extension SystemError {
    /// The error that it ends with.
    package var jobError: FanfareError {
        FanfareError(isShortage ? .output : .bug, jobMessage)
    }

    /// The same as a stop, for a job that has begun.
    var jobStop: JobStop { JobStop(isShortage ? .inputOutput : .bug, jobMessage) }

    private var jobMessage: Statement {
        guard isShortage else { return Statement(description) }
        return kind == .tooManyOpenFiles
            ? "\(description): raise the limit (ulimit -n), or give fewer \(.lanes) or "
                + "\(.connections)"
            : "\(description): raise the limits (ulimit -u, ulimit -v), or give fewer \(.lanes)"
    }
}

extension Job {
    /// Ends the job before it has begun, and leaves nothing that the next try would have to replace.
    package func giveUp(_ error: SystemError) -> JobResult {
        control.stop(error.jobStop)
        return result(started: WallClock.milliseconds)
    }
}
