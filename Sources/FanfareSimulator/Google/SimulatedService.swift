/// The service that a request is for, by its path.
package enum SimulatedService: String, CaseIterable, Sendable {
    /// Apple's push notification service, and what is no service's path.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
    /// Google's endpoint for access tokens.
    case oauth

    /// The path of the endpoint for access tokens, as `token_uri` of a service account ends.
    static let tokenPath: StaticString = "/token"

    /// Tells the service by a path.
    /// - Parameter path: With the query, if there is one.
    package init(path: UnsafeBufferPointer<UInt8>) {
        if unsafe path.starts(with: FCMPath.prefix) {
            self = .fcm
        } else if unsafe path.starts(with: Self.tokenPath),
            unsafe path.count == Self.tokenPath.utf8CodeUnitCount
                || path[Self.tokenPath.utf8CodeUnitCount] == UInt8(ascii: "?")
        {
            self = .oauth
        } else {
            self = .apns
        }
    }
}
