import FanfareBase
import FanfareCore
import FanfareHTTP2

/// A provider, with the access of a lane to it.
struct ProviderAccess {
    var service: any PushService
    var credentials: (any CredentialSource)?
    /// True if a connection proves itself with one request before others follow.
    var startsAlone = false
    /// The bytes kept of an answer's body.
    var answerBytes = Limits.responseBodyBytes
    /// The least wait before a request is sent again; it doubles.
    var leastDelay = Duration.zero
    /// The bounds of chance on top.
    var firstDelay = RetryPolicy().firstDelay
    var delayMax = RetryPolicy().delayMax

    func retry(attemptsMax: Int) -> RetryPolicy {
        var policy = RetryPolicy(
            attemptsMax: attemptsMax, firstDelay: firstDelay, delayMax: delayMax)
        policy.leastDelay = leastDelay
        return policy
    }
}
