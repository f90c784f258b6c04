import FanfareBase
import FanfareCore
import FanfareHTTP2

/// A provider, and what a lane needs to be let in there.
struct ProviderAccess {
    var service: any PushService
    var credentials: (any CredentialSource)?
    /// Whether a connection proves itself with one request before others follow.
    var startsAlone = false
    /// What is kept of the body of an answer.
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
