import FanfareBase
import FanfareCore

/// A provider that gives no answer: noticed, told, and at last given up.
extension LaneEngine {
    /// A request has ended without an answer while its connection goes on.
    mutating func troubled(by attempt: Attempt, on index: Int, isCalm: Bool, now: Instant) {
        guard !attempt.ending.isOfConnection else { return }
        let isSerious: Bool
        switch attempt.ending {
        case .late, .lateUnsent:
            trouble = "it answers no request"
            // Patience knows of it since its time was over.
            isSerious = dispatcher.isSerious(now: now)
        case .refusedStream:
            trouble = "it refuses requests (REFUSED_STREAM)"
            dispatcher.refusedStream(on: index)
            isSerious = dispatcher.refusesOrResets(on: index, isInDoubt: false, now: now)
        default:
            let code = unsafe String(decoding: attempt.reason, as: UTF8.self)
            trouble = "requests are reset (\(code))"
            // Who asks for calm gets fewer at a time, and is left only if that helps nothing.
            let isReset = attempt.ending == .reset && !isCalm
            isSerious = dispatcher.refusesOrResets(
                on: index, isInDoubt: isReset, now: now)
        }
        if isSerious { leave(index, now: now) }
    }

    /// A connection lives, and what stands behind it does not answer.
    mutating func fellMute(_ index: Int, now: Instant) {
        trouble = "it answers no request"
        let window = dispatcher.window(of: index)
        if !dispatcher.connections[index].isDraining, !window.isProbing {
            dispatcher.cutOff(lost: window.inFlight, of: dispatcher.inFlightCount)
        }
        leave(index, now: now)
    }

    /// A connection gets no further request, and those that it has keep their time.
    private mutating func leave(_ index: Int, now: Instant) {
        guard !dispatcher.connections[index].isDraining else { return }
        dispatcher.isLeft(now: now)
        retire(index, because: "mute", now: now)
    }

    /// Stops the job when there has been no answer for as long as it has patience.
    mutating func endPatience(now: Instant) {
        guard dispatcher.patience.since != nil else { return }
        guard isKeptWaiting(now: now) else { return dispatcher.patience.rests(now: now) }
        dispatcher.patience.works(now: now)
        guard !answersOthers(now: now), dispatcher.patience.hasEnded(now: now),
            let lasted = dispatcher.patience.lasted(now: now)
        else { return }
        let time = NumberText.duration(milliseconds: lasted.wholeNanoseconds / 1_000_000)
        drain(JobStop(.refused, "no answer from the provider for \(time): \(trouble)"))
    }

    /// Whether an answer is waited for, or a connection for rows.
    private mutating func isKeptWaiting(now: Instant) -> Bool {
        guard mayStart(now: now) else { return false }
        // Rows that wait for the pace are not kept by the provider.
        return !dispatcher.isIdle
            || pace.next == nil && hasRowsWaiting(takesBatch: false, now: now)
    }

    /// When the provider is given up though nothing more goes wrong; `nil` if that is no matter of time.
    var patienceEnd: Instant? {
        guard stop == nil, let end = dispatcher.patience.end else { return nil }
        guard let last = environment.lastAnswerElsewhere else { return end }
        return max(end, last.advanced(by: dispatcher.patience.bound))
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
        dispatcher.patience.isBlameless(until: environment.now)
        dispatcher.verdicts.stoodStill(for: nanoseconds)
    }

    /// What there is to be said of trouble that has lasted for a while; `nil` without.
    var lastingTrouble: ProviderTrouble? {
        let now = environment.now
        guard dispatcher.patience.isLasting(now: now),
            let lasted = dispatcher.patience.lasted(now: now)
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
            observer.note(
                "provider_unanswering", .warning, now: now, [.init("reason", lasting.reason)])
        } else if lasting == nil, isTroubleTold, stop == nil {
            observer.note("provider_answering", .info, now: now)
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
