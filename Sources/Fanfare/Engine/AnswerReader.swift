import FanfareBase
import FanfareCore
import FanfareHTTP2

/// Makes attempts of a provider's answers.
struct AnswerReader: ~Copyable {
    private let inPlace = InPlace()
    private let judge: any AnswerJudge
    private let wall: WallTime
    private var cleaner: ReasonCleaner

    init(_ service: any PushService, _ wall: WallTime) {
        judge = service.makeJudge()
        self.wall = wall
        cleaner = ReasonCleaner(service.secrets)
    }

    /// Returns the attempt that an answer ends.
    /// - Parameters:
    ///   - response: The answer, as far as it has come.
    ///   - row: The row that was sent.
    ///   - credential: The credential that it was sent with; `nil` without one.
    ///   - now: The time.
    /// - Returns: The attempt; it borrows from the answer, and from this reader until the next one.
    @inline(__always)
    mutating func read(
        _ response: Response, to row: borrowing PreparedRow,
        with credential: @autoclosure () -> Credential?, now: Instant
    ) -> Attempt {
        var attempt = judged(response, to: row, now: now)
        if cleaner.mustClean(attempt, of: row) { cleaner.clean(&attempt, of: row, credential()) }
        return attempt
    }

    private func judged(
        _ response: Response, to row: borrowing PreparedRow, now: Instant
    ) -> Attempt {
        let judgement = judge.judge(response, to: row)
        var attempt = Attempt()
        attempt.status = response.status
        attempt.class = judgement.class
        unsafe attempt.reason = judgement.reason
        unsafe attempt.messageID = judgement.messageID
        attempt.timestamp = judgement.timestamp
        attempt.isDeadWhenSent = judgement.isDeadWhenSent
        switch attempt.class.retry {
        case .never:
            attempt.end = .answeredFinally
        case .afterDelay:
            attempt.end = .answeredAgain(later(response, attempt.class, now: now))
        case .afterOwnDelay:
            attempt.end = .answeredAgain(
                .tooManyForDevice(
                    retryAfter: retryAfter(response, now: now), first: attempt.class.firstDelay))
        case .elsewhereAtOnce:
            attempt.end = .answeredAgain(.elsewhere)
        case .withNewCredential:
            attempt.end = .unprocessed
        case .inDoubt:
            attempt.end = .answeredInDoubt(later(response, attempt.class, now: now))
        }
        return attempt
    }

    /// Returns the attempt of another row of the request whose answer was read last.
    /// - Parameters:
    ///   - index: Its place in the request.
    ///   - first: The attempt of the first row.
    ///   - row: The row.
    ///   - credential: The credential that it was sent with; `nil` without one.
    ///   - now: The time.
    /// - Returns: The attempt; it borrows in the same way.
    mutating func readShared(
        _ index: Int, like first: Attempt, _ row: borrowing PreparedRow,
        with credential: Credential?, now: Instant
    ) -> Attempt {
        let (judgement, words) = unsafe judge.judgement(ofRow: index)
        var attempt = first
        attempt.class = judgement.class
        if let column = judgement.class.blamedColumn, row.ownColumns.contains(column) {
            attempt.class = judgement.class.ownFault
        }
        unsafe attempt.reason = judgement.reason
        unsafe attempt.messageID = judgement.messageID
        attempt.isDeadWhenSent = judgement.isDeadWhenSent
        let again = unsafe longer(
            RetryAfter.parse(words, now: wall.milliseconds(at: now) / 1000), ofRow: index)
        let first = attempt.class.firstDelay
        switch attempt.class.retry {
        case .never: attempt.end = .answeredFinally
        case .afterDelay: attempt.end = .answeredAgain(.later(retryAfter: again, first: first))
        case .afterOwnDelay:
            attempt.end = .answeredAgain(.tooManyForDevice(retryAfter: again, first: first))
        case .elsewhereAtOnce: attempt.end = .answeredAgain(.elsewhere)
        case .withNewCredential: attempt.end = .unprocessed
        case .inDoubt:
            attempt.end = .answeredInDoubt(.later(retryAfter: again, first: first))
        }
        cleaner.cleanShared(&attempt, of: row, credential)
        return attempt
    }

    /// Returns true if `readShared` has the same to say of a row as of the one before it.
    func repeats(_ index: Int) -> Bool { judge.repeats(row: index) }

    /// True if the rows of the answer that was read last go again in two requests.
    var splits: Bool { judge.splits }

    private func later(
        _ response: Response, _ class: ResponseClass, now: Instant
    ) -> RetryPolicy.Cause {
        .later(retryAfter: retryAfter(response, now: now), first: `class`.firstDelay)
    }

    private func retryAfter(_ response: Response, now: Instant) -> Duration? {
        unsafe longer(
            RetryAfter.parse(response.retryAfter, now: wall.milliseconds(at: now) / 1000), ofRow: 0)
    }

    /// Returns the longer of the waits that an answer's head and its body ask for.
    private func longer(_ wait: Duration?, ofRow index: Int) -> Duration? {
        guard let own = judge.wait(ofRow: index) else { return wait }
        return max(own, wait ?? .zero)
    }

    /// Returns the provider's words in a GOAWAY; `nil` if its debug data are something else.
    mutating func notice(
        inDebugData bytes: UnsafeBufferPointer<UInt8>, with credential: Credential?
    ) -> GoAwayNotice? {
        guard var notice = unsafe judge.judge(goAway: bytes) else { return nil }
        unsafe notice.reason = cleaner.cleaned(notice.reason, credential)
        return notice
    }
}
