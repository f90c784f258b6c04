import FanfareCore

/// A provider that gives no answer: noticed, told, and at last given up.
extension LaneEngine {
    /// A request has ended without an answer while its connection goes on.
    mutating func troubled(by attempt: Attempt, on index: Int, isCalm: Bool, now: Instant) {
        guard !attempt.ending.isOfConnection else { return }
        switch attempt.ending {
        case .refusedStream: trouble = "it refuses requests (REFUSED_STREAM)"
        case .late, .lateUnsent: trouble = "it answers no request"
        default:
            let code = unsafe String(decoding: attempt.reason, as: UTF8.self)
            trouble = "requests are reset (\(code))"
        }
        // Who asks for calm gets fewer at a time, and is left only if that helps nothing.
        let isReset = attempt.ending == .reset && !isCalm
        if dispatcher.refusesOrResets(isInDoubt: isReset, now: now) { leave(index, now: now) }
    }

    /// A connection lives, and what stands behind it does not answer.
    mutating func fellMute(_ index: Int, now: Instant) {
        trouble = "it answers no request"
        let window = dispatcher.window(of: index)
        if dispatcher.state(of: index) != .draining, !window.isProbing {
            dispatcher.cutOff(lost: window.inFlight, of: dispatcher.inFlightCount)
        }
        leave(index, now: now)
    }

    /// A connection gets no further request, and those that it has keep their time.
    private mutating func leave(_ index: Int, now: Instant) {
        guard dispatcher.state(of: index) != .draining else { return }
        dispatcher.isLeft(now: now)
        retire(index, because: "mute", now: now)
    }

    /// Stops the job when there has been no answer for as long as it has patience.
    mutating func endPatience(now: Instant) {
        guard dispatcher.patience.since != nil else { return }
        let hasLoad =
            mayStart(now: now)
            && (!dispatcher.isIdle || hasRowsWaiting(takesBatch: false, now: now))
        guard hasLoad else { return dispatcher.patience.rests(now: now) }
        dispatcher.patience.works(now: now)
        guard !answersOthers(now: now), dispatcher.patience.isOver else { return }
        let bound = SummaryTable.duration(
            milliseconds: dispatcher.patience.bound.wholeNanoseconds / 1_000_000)
        drain(JobStop(.refused, "no answer from the provider for \(bound): \(trouble)"))
    }

    /// Whether the provider has answered another lane not longer ago than it may be silent: then it does
    /// not keep the job from going on.
    private mutating func answersOthers(now: Instant) -> Bool {
        guard let last = environment.lastAnswerElsewhere else { return false }
        dispatcher.patience.answeredElsewhere()
        return now < last.advanced(by: dispatcher.patience.bound)
    }

    /// The process did not run for so many nanoseconds, in which the provider could not answer.
    package mutating func stoodStill(for nanoseconds: Int64) {
        dispatcher.patience.stoodStill(for: nanoseconds)
    }

    /// What there is to be said of trouble that has lasted for a while; `nil` without.
    var lastingTrouble: ProviderTrouble? {
        guard let lasted = dispatcher.patience.lasted(now: environment.now),
            lasted >= Limits.troubleBeforeProbes
        else { return nil }
        return ProviderTrouble(
            seconds: Double(lasted.wholeNanoseconds) / 1e9,
            patienceSeconds: Double(dispatcher.patience.bound.wholeNanoseconds) / 1e9,
            reason: trouble)
    }

    /// Tells the log when trouble has begun, and when it is over.
    mutating func tellTrouble(now: Instant) {
        let lasting = lastingTrouble
        if let lasting, !isTroubleTold {
            note(
                "provider_unanswering", .warning, now: now, [.init("reason", lasting.reason)])
        } else if lasting == nil, isTroubleTold, stop == nil {
            note("provider_answering", .info, now: now)
        }
        isTroubleTold = lasting != nil
    }
}

/// A provider that has answered nothing for a while.
package struct ProviderTrouble: Equatable, Sendable {
    /// For how long it has not.
    package var seconds: Double
    /// For how long that is put up with.
    package var patienceSeconds: Double
    /// What went wrong last.
    package var reason: String

    package init(seconds: Double, patienceSeconds: Double, reason: String) {
        self.seconds = seconds
        self.patienceSeconds = patienceSeconds
        self.reason = reason
    }
}
