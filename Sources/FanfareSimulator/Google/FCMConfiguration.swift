import FanfareBase
import FanfareCore

/// The behavior of the simulated Firebase Cloud Messaging.
package struct FCMConfiguration: Sendable {
    /// The project of the service account; requests with its access tokens are for no other.
    package var projectID = "fanfare-simulator"
    /// True if clients without an access token are served, even if APNs serves none without
    /// credentials.
    package var acceptsAnonymous = false
    /// The lifetime of an access token.
    package var tokenLife = Duration.seconds(3599)
    /// The lifetime that the endpoint promises; nil for the true one.
    package var promisedTokenLife: Duration?
    /// Requests that the project may send in a minute; nil for any number.
    package var quotaPerMinute: UInt64?
    /// The streams of a connection, from its first request to a service of Google's on.
    package var maxConcurrentStreams: UInt32 = 100

    package init() {}

    /// Refuses settings that cannot be simulated.
    /// - Throws: `SimulatorError` that names the setting.
    func check() throws(SimulatorError) {
        let isName = projectID.utf8.allSatisfy { $0.isBase64URL || ".:".utf8.contains($0) }
        guard !projectID.isEmpty, isName else {
            throw SimulatorError(
                "FCM project", "must be letters, digits, '-', '_', '.' and ':'")
        }
        let lives = [tokenLife, promisedTokenLife ?? tokenLife]
        guard lives.allSatisfy({ $0 > .zero && $0 <= Limits.simulatorTokenLifeMax }) else {
            throw SimulatorError(
                "FCM token life", "must be above zero and at most \(Limits.simulatorTokenLifeMax)")
        }
        guard quotaPerMinute != 0 else { throw SimulatorError("FCM quota", "must be at least 1") }
        guard maxConcurrentStreams > 0 else {
            throw SimulatorError("FCM streams", "must be at least 1")
        }
    }
}
