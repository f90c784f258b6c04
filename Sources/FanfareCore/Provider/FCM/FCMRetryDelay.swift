package import FanfareBase

/// When a row is sent to FCM again.
///
/// Google asks for at least ten seconds before any retry, then exponential back-off with jitter for an hour
/// at most.
/// https://firebase.google.com/docs/cloud-messaging/scale-fcm
package enum FCMRetryDelay {
    /// The least wait before anything is sent again.
    package static let least = Duration.seconds(10)
    /// The wait when the project's quota is used up, which is filled again each minute.
    static let quota = Duration.seconds(60)
    /// The wait when the front end has no backend: its page says "try again in 30 seconds".
    static let badGateway = Duration.seconds(30)
    /// The longest wait, with its jitter; what an answer asks for may be longer.
    static let most = Duration.seconds(3600)

    /// The time to wait before the next attempt.
    /// - Parameters:
    ///   - verdict: What the last answer meant.
    ///   - attempts: The attempts made so far, at least 1.
    ///   - wish: What the answer asked for.
    ///   - generator: The source of jitter.
    /// - Returns: Nanoseconds: the wait, doubled with each attempt, and up to half of it on top.
    package static func nanoseconds(
        _ verdict: FCMVerdict, afterAttempts attempts: Int, wish: Duration?,
        using generator: inout SplitMix64
    ) -> Int64 {
        let first = wish == nil ? verdict.firstDelay : least
        // Two thirds, so that the longest jitter ends at the bound. Shifted by 20 a minute is still no
        // more than two years.
        let bound = min(
            first.wholeNanoseconds << Int64(min(max(attempts - 1, 0), 20)),
            most.wholeNanoseconds / 3 * 2)
        let wait = max(bound, wish?.wholeNanoseconds ?? 0)
        return wait + Int64.random(in: 0...bound / 2, using: &generator)
    }
}
