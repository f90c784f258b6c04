import FanfareBase
import FanfareCore

/// The watch over a provider that gives no answer, or answers and takes nothing: noticed, and at
/// last given up.
struct ProviderWatch: ~Copyable {
    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    private let credentials: (any CredentialSource)?
    /// False for a load test, which keeps the requested load, even if the service takes nothing.
    private let givesWay: Bool
    /// The faults of the provider.
    private var complaints: Complaints
    /// True if connections wait for a credential.
    private var lacksCredential = false
    private var pauses = PauseWatch()

    init(_ settings: LaneSettings, _ environment: any LaneEnvironment) {
        self.environment = environment
        credentials = settings.connection.credentials
        givesWay = settings.dispatch.givesWay
        complaints = Complaints(about: settings.isHostOfRows ? "host" : "provider")
    }

    // MARK: Facts

    /// Notes that a connection lives, and the server behind it does not answer.
    mutating func fellMute() { complaints.heard("it answers no request") }

    /// Notes the end of a connection, while there is trouble.
    mutating func lost(
        _ failure: ConnectionFailure, isDismissed: Bool, _ books: borrowing LaneBooks
    ) {
        guard books.dispatcher.patience.since != nil else { return }
        if failure.end != .aborted {
            complaints.heard(failure.text)
        } else if isDismissed {
            complaints.heard("it sends every connection away")
        }
    }

    /// Notes that a request has ended without an answer while its connection goes on.
    /// - Parameters:
    ///   - attempt: Its attempt.
    ///   - index: The number of the connection.
    ///   - isCalm: True if the peer asks for calm.
    ///   - books: The lane's books.
    ///   - now: The time.
    /// - Returns: True if the connection should be left.
    mutating func troubled(
        by attempt: Attempt, on index: Int, isCalm: Bool, _ books: inout LaneBooks, now: Instant
    ) -> Bool {
        guard !attempt.ending.isOfConnection else { return false }
        complaints.heard(attempt)
        switch attempt.ending {
        case .late, .lateUnsent:
            // Patience knows of it since its time was over.
            return books.dispatcher.isSerious(now: now)
        case .refusedStream:
            books.dispatcher.refusedStream(on: index)
            return books.dispatcher.refusesOrResets(on: index, isInDoubt: false, now: now)
        default:
            // A peer that asks for calm gets fewer requests at a time, and is left only if that
            // does not help.
            let isReset =
                (attempt.ending == .reset || attempt.ending == .malformed) && !isCalm
            return books.dispatcher.refusesOrResets(on: index, isInDoubt: isReset, now: now)
        }
    }

    /// Keeps the words of a provider that has given no verdict for too long.
    mutating func noteRefusal(_ attempt: Attempt, _ books: borrowing LaneBooks) {
        guard attempt.isAnswer, let lasted = books.dispatcher.verdicts.lasted else { return }
        complaints.refused(attempt, for: lasted)
    }

    /// Returns true if connections may be dialed, as far as their credentials are concerned.
    mutating func hasCredential(_ course: inout LaneCourse) -> Bool {
        switch credentials?.supply {
        case nil, .ready: return true
        case .wait:
            lacksCredential = true
            return false
        case .refused(let text):
            // That is about the job's own credentials, and not about a host.
            course.stopStarting(JobStop(.refused, text))
            return false
        }
    }

    /// Forgets that connections wait for a credential, until one is to be dialed again.
    mutating func forgetCredential() { lacksCredential = false }

    // MARK: Pauses

    /// A time in which nothing starts because the provider has refused what it got; `nil` without.
    var pause: ProviderPause? { pauses.pause }

    /// Notes an answer that was no verdict on its row.
    mutating func refused(_ attempt: Attempt) {
        unsafe pauses.refused(attempt.status, attempt.reason)
    }

    /// Looks whether the provider keeps the lane from sending, and tells the log when that begins and ends.
    mutating func lookForPause(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard books.dispatcher.inFlightCount == 0 || pauses.pause != nil else { return }
        let mayStart = books.course.mayStart(now: now)
        let hasRow = supply.hasRow(books, takesBatch: false, now: now)
        let mayGetRow = books.dispatcher.mayTakeUp && !supply.isAtEnd
        let hold =
            mayStart
            ? books.dispatcher.hold(hasRow: hasRow, mayGetRow: mayGetRow, now: now) : nil
        let isAtRest = !mayStart || books.dispatcher.isIdle && !hasRow
        let news = pauses.look(
            hold, isAtRest: isAtRest, verdicts: books.dispatcher.verdicts.count, now: now)
        switch news {
        case .none: break
        case .began(let pause):
            let nanoseconds = pause.until.nanoseconds(since: now)
            books.observer.note(
                "provider_paused", .warning, now: now,
                [
                    .init("reason", "it \(pause.cause.text)"),
                    .init("seconds", Double(nanoseconds / 1_000_000) / 1e3),
                    .init("waiting", pause.rows),
                ])
        case .ended(let nanoseconds):
            books.observer.note(
                "provider_resumed", .info, now: now,
                [.init("seconds", Double(nanoseconds / 1_000_000) / 1e3)])
        }
    }

    // MARK: Giving up

    /// The stop for a provider without any connection.
    var noConnection: JobStop { complaints.noConnection() }

    /// Returns the stop for a connection that would fail in the same way every time.
    func noConnection(_ text: Statement) -> JobStop { complaints.noConnection(text) }

    /// Stops the job when there has been no answer for as long as it has patience.
    mutating func endPatience(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard books.dispatcher.patience.since != nil else { return }
        guard isKeptWaiting(books, &supply, now: now) else {
            return books.dispatcher.patience.rests(now: now)
        }
        books.dispatcher.patience.works(now: now)
        guard !answersOthers(&books.dispatcher, now: now),
            !servesOthers(within: books.dispatcher.patience.bound, now: now),
            books.dispatcher.patience.hasEnded(now: now),
            let lasted = books.dispatcher.patience.lasted(now: now)
        else { return }
        books.course.drain(complaints.noAnswer(for: lasted))
    }

    /// Returns true if the lane waits for an answer, or for a connection for its rows.
    private func isKeptWaiting(
        _ books: borrowing LaneBooks, _ supply: inout RowSupply, now: Instant
    ) -> Bool {
        guard books.course.isKeptWaiting(now: now) else { return false }
        // Rows that wait for the pace are not kept by the provider.
        return books.course.sitsOut || !books.dispatcher.isIdle
            || supply.hasRowBeforePace(books, now: now)
    }

    /// Stops the job when the provider has only refused for as long as the job allows.
    mutating func endRefusals(
        _ books: inout LaneBooks, _ supply: inout RowSupply, now: Instant
    ) {
        guard books.dispatcher.verdicts.since != nil else { return }
        let hasLoad =
            books.course.isKeptWaiting(now: now)
            && (books.course.sitsOut || !books.dispatcher.isIdle
                || supply.hasRow(books, takesBatch: false, now: now))
        guard hasLoad else { return books.dispatcher.verdicts.rests(now: now) }
        books.dispatcher.verdicts.works(now: now)
        guard givesWay, books.dispatcher.verdicts.isOver, let refusal = complaints.refusal,
            !environment.hasAnotherBeenJudged(within: books.dispatcher.verdicts.bound),
            !servesOthers(within: books.dispatcher.patience.bound, now: now)
        else { return }
        books.course.drain(refusal)
    }

    /// Returns true if the provider has answered another lane within the time that it may be
    /// silent.
    ///
    /// Then it does not keep the job from going on.
    private func answersOthers(_ dispatcher: inout Dispatcher, now: Instant) -> Bool {
        guard let last = environment.lastAnswerElsewhere else { return false }
        dispatcher.patience.answeredElsewhere()
        return now < last.advanced(by: dispatcher.patience.bound)
    }

    /// Returns true if another route's provider has answered within that time: its rows go on
    /// meanwhile.
    private func servesOthers(within bound: Duration, now: Instant) -> Bool {
        guard let last = environment.lastAnswerOfOtherRoutes else { return false }
        return now < last.advanced(by: bound)
    }

    /// Returns the time at which the watch has to look though nothing happens until then.
    func deadline(_ books: borrowing LaneBooks, now: Instant) -> Instant? {
        let end = patienceEnd(books)
        // The length of the trouble is shown, though nothing happens meanwhile.
        guard lacksCredential else { return end }
        return min(now.advanced(by: Limits.troubleBeforeProbes), end ?? .distantFuture)
    }

    /// The time at which the lane gives the provider up though nothing more goes wrong; `nil` for
    /// never.
    private func patienceEnd(_ books: borrowing LaneBooks) -> Instant? {
        guard books.course.stop == nil, let end = books.dispatcher.patience.end else {
            return nil
        }
        let answers = [environment.lastAnswerElsewhere, environment.lastAnswerOfOtherRoutes]
        guard let last = answers.compactMap(\.self).max() else { return end }
        return max(end, last.advanced(by: books.dispatcher.patience.bound))
    }

    // MARK: Trouble

    /// Trouble that has lasted for a while; `nil` without.
    ///
    /// The provider does not answer, or there is no credential to show to it.
    func lastingTrouble(_ dispatcher: borrowing Dispatcher) -> ProviderTrouble? {
        if let silence = lastingSilence(dispatcher) { return silence }
        guard let trouble = credentialTrouble, let waiting = trouble.waiting,
            waiting.lasted >= Limits.troubleBeforeProbes
        else { return nil }
        return ProviderTrouble(
            seconds: Double(waiting.lasted.wholeNanoseconds) / 1e9,
            patienceSeconds: Double(waiting.patience.wholeNanoseconds) / 1e9,
            reason: trouble.reason)
    }

    /// Credentials that could not be had for a while; `nil` without trouble.
    private var credentialTrouble: CredentialTrouble? {
        guard let trouble = credentials?.trouble, trouble.lasted >= Limits.troubleBeforeProbes
        else { return nil }
        return trouble
    }

    /// A provider that has answered nothing for a while; `nil` if it answers.
    private func lastingSilence(_ dispatcher: borrowing Dispatcher) -> ProviderTrouble? {
        let now = environment.now
        guard dispatcher.patience.isLasting(now: now),
            let lasted = dispatcher.patience.lasted(now: now)
        else { return nil }
        return ProviderTrouble(
            seconds: Double(lasted.wholeNanoseconds) / 1e9,
            patienceSeconds: Double(dispatcher.patience.bound.wholeNanoseconds) / 1e9,
            reason: complaints.trouble)
    }

    /// Logs the beginning of trouble, and its end.
    mutating func tellLog(_ books: inout LaneBooks, now: Instant) {
        let stop = books.course.stop
        complaints.tell(
            lastingSilence(books.dispatcher), stop: stop, to: &books.observer, now: now)
        complaints.tell(credentialTrouble, stop: stop, to: &books.observer, now: now)
    }
}
