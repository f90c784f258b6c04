import FanfareBase
import FanfareCore

/// A provider that answers and takes nothing: noticed, and at last given up.
extension LaneEngine {
    /// Keeps what is said by a provider that has given no verdict for too long.
    mutating func noteRefusal(_ attempt: Attempt) {
        guard attempt.isAnswer, let lasted = dispatcher.verdicts.lasted else { return }
        let time = NumberText.duration(milliseconds: lasted.wholeNanoseconds / 1_000_000)
        let status = attempt.status
        func message(_ reason: String) -> String {
            "the provider has refused every request for \(time): it answers \(status) "
                + (reason.isEmpty ? "without a reason" : reason)
        }
        let reason = unsafe String(decoding: attempt.reason, as: UTF8.self)
        var stop = JobStop(.refused, message(reason))
        if !reason.isEmpty {
            stop.logMessage = unsafe message(LogEvent.reason(attempt.reason))
        }
        refusal = stop
    }

    /// Stops the job when the provider has only refused for as long as that is put up with.
    mutating func endRefusals(now: Instant) {
        guard dispatcher.verdicts.since != nil else { return }
        let hasLoad =
            mayStart(now: now)
            && (!dispatcher.isIdle || hasRowsWaiting(takesBatch: false, now: now))
        guard hasLoad else { return dispatcher.verdicts.rests(now: now) }
        dispatcher.verdicts.works(now: now)
        // A load test's load is what was asked for, also if nothing is taken.
        guard settings.dispatch.givesWay, dispatcher.verdicts.isOver, let refusal,
            !environment.hasAnotherBeenJudged(within: dispatcher.verdicts.bound)
        else { return }
        drain(refusal)
    }
}
