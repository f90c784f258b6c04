import FanfareBase
import FanfareCore
import FanfareHTTP2

/// Makes attempts of a provider's answers.
struct AnswerReader: ~Copyable {
    private let inPlace = InPlace()
    private let judge: any AnswerJudge
    private let wall: WallTime

    init(_ service: any PushService, _ wall: WallTime) {
        judge = service.makeJudge()
        self.wall = wall
    }

    /// Finds out what an answer means.
    /// - Parameters:
    ///   - response: The answer, as far as it has come.
    ///   - row: What was sent.
    ///   - now: The time.
    /// - Returns: How the attempt ended; it borrows from the answer, and from this until the next one.
    func read(_ response: Response, to row: borrowing PreparedRow, now: Instant) -> Attempt {
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

    private func later(
        _ response: Response, _ class: ResponseClass, now: Instant
    ) -> RetryPolicy.Cause {
        .later(retryAfter: retryAfter(response, now: now), first: `class`.firstDelay)
    }

    private func retryAfter(_ response: Response, now: Instant) -> Duration? {
        unsafe RetryAfter.parse(response.retryAfter, now: wall.milliseconds(at: now) / 1000)
    }

    /// What the provider says with a GOAWAY; `nil` where its debug data are something else.
    func notice(inDebugData bytes: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? {
        unsafe judge.judge(goAway: bytes)
    }
}
