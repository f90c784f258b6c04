import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Finds out what a provider's answers mean.
struct AnswerReader: ~Copyable {
    private let inPlace = InPlace()
    private let wall: WallTime
    /// Whether the service is no push provider.
    private let isFixedRequest: Bool
    private var errorBody = ProviderErrorBody()

    init(_ settings: ConnectionSettings, _ wall: WallTime) {
        self.wall = wall
        isFixedRequest = settings.request.fixed != nil
    }

    /// Finds an answer's place in the provider's table.
    /// - Parameters:
    ///   - response: The answer, as far as it has come.
    ///   - row: What was sent.
    ///   - now: The time.
    /// - Returns: How the attempt ended; it borrows from the answer, and from this until the next one.
    mutating func read(
        _ response: Response, to row: borrowing PreparedRow, now: Instant
    ) -> Attempt {
        var attempt = Attempt()
        attempt.status = response.status
        if isFixedRequest {
            // What its answers mean is not ours to say, beyond good and bad.
            attempt.class = ResponseClass(response.status < 400 ? .accepted : .rejected)
            attempt.end = .answeredFinally
            return attempt
        }
        unsafe attempt.apnsID = HeaderRules.news(
            inAPNsID: response.apnsID, sent: row.bytes.bytes(row.apnsID))
        // Half an answer is like one from something in between: no verdict on row, token or credential.
        var isJSON = false
        if response.status != 200, unsafe !response.body.isEmpty,
            let content = unsafe errorBody.parse(response.body)
        {
            unsafe attempt.reason = errorBody.reason(content)
            attempt.timestamp = content.timestamp
            isJSON = response.isComplete
        }
        attempt.class = unsafe ResponseClass.of(
            status: response.status, reason: attempt.reason, bodyIsJSON: isJSON)
        if let column = attempt.class.blamedColumn, row.overrides.gives(column) {
            attempt.class = attempt.class.ownFault
        }
        switch attempt.class.retry {
        case .never:
            attempt.end = .answeredFinally
        case .afterDelay:
            attempt.end = .answeredAgain(.later(retryAfter: retryAfter(response, now: now)))
        case .afterOwnDelay:
            attempt.end = .answeredAgain(
                .tooManyForDevice(retryAfter: retryAfter(response, now: now)))
        case .elsewhereAtOnce:
            attempt.end = .answeredAgain(.elsewhere)
        }
        return attempt
    }

    private func retryAfter(_ response: Response, now: Instant) -> Duration? {
        unsafe RetryAfter.parse(response.retryAfter, now: wall.milliseconds(at: now) / 1000)
    }

    /// The reason in the debug data of a GOAWAY, where APNs explains itself; `nil` where they are something else.
    mutating func reason(
        inDebugData bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        guard let content = unsafe errorBody.parse(bytes) else { return nil }
        return unsafe errorBody.reason(content)
    }
}
