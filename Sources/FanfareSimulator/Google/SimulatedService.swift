/// The service that a request is for, by its path.
package enum SimulatedService: String, CaseIterable, Sendable {
    /// Apple's push notification service, also for a path of no service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
    /// Google's endpoint for access tokens, or that of a provider that a file describes.
    case oauth
    /// A provider that a file describes.
    case described

    /// The path of the endpoint for access tokens, as `token_uri` of a service account ends.
    static let tokenPath: StaticString = "/token"

    /// Finds the service of a path.
    /// - Parameter path: The path, with the query if there is one.
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
