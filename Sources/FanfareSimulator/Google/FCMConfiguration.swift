/// How the simulated Firebase Cloud Messaging behaves.
package struct FCMConfiguration: Sendable {
    /// The project of the service account; requests with its access tokens are for no other.
    package var projectID = "fanfare-simulator"
    /// How long an access token is good.
    package var tokenLife = Duration.seconds(3599)
    /// How long the endpoint says that it is good; nil for the truth.
    package var promisedTokenLife: Duration?
    /// Requests that the project may send in a minute; nil for any number.
    package var quotaPerMinute: UInt64?
    /// The streams of a connection, from its first request to a service of Google's on.
    package var maxConcurrentStreams: UInt32 = 100

    package init() {}
}
