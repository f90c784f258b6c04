import FanfareBase
import FanfareCore

/// A provider that gives no answer, or answers and takes nothing: noticed, and at last given up.
extension LaneEngine {
    /// A request has ended without an answer while its connection goes on.
    mutating func troubled(by attempt: Attempt, on index: Int, isCalm: Bool, now: Instant) {
        guard !attempt.ending.isOfConnection else { return }
        complaints.heard(attempt)
        let isSerious: Bool
        switch attempt.ending {
        case .late, .lateUnsent:
            // Patience knows of it since its time was over.
            isSerious = dispatcher.isSerious(now: now)
        case .refusedStream:
            dispatcher.refusedStream(on: index)
            isSerious = dispatcher.refusesOrResets(on: index, isInDoubt: false, now: now)
        default:
            // A peer that asks for calm gets fewer requests at a time, and is left only if that
            // does not help.
            let isReset =
                (attempt.ending == .reset || attempt.ending == .malformed) && !isCalm
            isSerious = dispatcher.refusesOrResets(
                on: index, isInDoubt: isReset, now: now)
        }
        if isSerious { leave(index, now: now) }
    }

    /// Notes that a connection lives, and the server behind it does not answer.
    mutating func fellMute(_ index: Int, now: Instant) {
        complaints.heard("it answers no request")
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
        guard !answersOthers(now: now), !servesOthers(now: now),
            dispatcher.patience.hasEnded(now: now),
            let lasted = dispatcher.patience.lasted(now: now)
        else { return }
        drain(complaints.noAnswer(for: lasted))
    }

    /// Returns true if the lane waits for an answer, or for a connection for its rows.
    private mutating func isKeptWaiting(now: Instant) -> Bool {
        guard mayStart(now: now) else { return false }
        // Rows that wait for the pace are not kept by the provider.
        return !dispatcher.isIdle
            || pace.next == nil && hasRowsWaiting(takesBatch: false, now: now)
    }

    /// The time at which the lane gives the provider up though nothing more goes wrong; `nil` for
    /// never.
    var patienceEnd: Instant? {
        guard stop == nil, let end = dispatcher.patience.end else { return nil }
        let answers = [environment.lastAnswerElsewhere, environment.lastAnswerOfOtherRoutes]
        guard let last = answers.compactMap(\.self).max() else { return end }
        return max(end, last.advanced(by: dispatcher.patience.bound))
    }

    /// Returns true if the provider has answered another lane within the time that it may be
    /// silent.
    ///
    /// Then it does not keep the job from going on.
    private mutating func answersOthers(now: Instant) -> Bool {
        guard let last = environment.lastAnswerElsewhere else { return false }
        dispatcher.patience.answeredElsewhere()
        return now < last.advanced(by: dispatcher.patience.bound)
    }

    /// Returns true if another route's provider has answered within that time: its rows go on
    /// meanwhile.
    private func servesOthers(now: Instant) -> Bool {
        guard let last = environment.lastAnswerOfOtherRoutes else { return false }
        return now < last.advanced(by: dispatcher.patience.bound)
    }

    /// The process did not run for so many nanoseconds, in which the provider could not answer.
    package mutating func stoodStill(for nanoseconds: Int64) {
        dispatcher.patience.stoodStill(for: nanoseconds)
        dispatcher.patience.isBlameless(until: environment.now)
        dispatcher.verdicts.stoodStill(for: nanoseconds)
    }

    /// Trouble that has lasted for a while; `nil` without.
    ///
    /// The provider does not answer, or there is no credential to show to it.
    var lastingTrouble: ProviderTrouble? {
        if let lastingSilence { return lastingSilence }
        guard let trouble = credentialTrouble, let waiting = trouble.waiting,
            waiting.lasted >= Limits.troubleBeforeProbes
        else { return nil }
        return ProviderTrouble(
            seconds: Double(waiting.lasted.wholeNanoseconds) / 1e9,
            patienceSeconds: Double(waiting.patience.wholeNanoseconds) / 1e9,
            reason: trouble.reason)
    }

    /// Credentials that could not be had for a while; `nil` without trouble.
    var credentialTrouble: CredentialTrouble? {
        guard let trouble = settings.connection.credentials?.trouble,
            trouble.lasted >= Limits.troubleBeforeProbes
        else { return nil }
        return trouble
    }

    /// A provider that has answered nothing for a while; `nil` if it answers.
    var lastingSilence: ProviderTrouble? {
        let now = environment.now
        guard dispatcher.patience.isLasting(now: now),
            let lasted = dispatcher.patience.lasted(now: now)
        else { return nil }
        return ProviderTrouble(
            seconds: Double(lasted.wholeNanoseconds) / 1e9,
            patienceSeconds: Double(dispatcher.patience.bound.wholeNanoseconds) / 1e9,
            reason: complaints.trouble)
    }

    /// Keeps the words of a provider that has given no verdict for too long.
    mutating func noteRefusal(_ attempt: Attempt) {
        guard attempt.isAnswer, let lasted = dispatcher.verdicts.lasted else { return }
        complaints.refused(attempt, for: lasted)
    }

    /// Stops the job when the provider has only refused for as long as the job allows.
    mutating func endRefusals(now: Instant) {
        guard dispatcher.verdicts.since != nil else { return }
        let hasLoad =
            mayStart(now: now)
            && (!dispatcher.isIdle || hasRowsWaiting(takesBatch: false, now: now))
        guard hasLoad else { return dispatcher.verdicts.rests(now: now) }
        dispatcher.verdicts.works(now: now)
        // A load test keeps the requested load, even if the service takes nothing.
        guard settings.dispatch.givesWay, dispatcher.verdicts.isOver,
            let refusal = complaints.refusal,
            !environment.hasAnotherBeenJudged(within: dispatcher.verdicts.bound),
            !servesOthers(now: now)
        else { return }
        drain(refusal)
    }
}
