/// The one of the provider's two worlds that a job sends to.
///
/// A device token belongs to one of them.
package enum APNsEnvironment: String, CaseIterable, Sendable {
    case production
    case sandbox

    /// The name to resolve and to verify the certificate against.
    package var host: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The port when none is given.
    package static let defaultPort: UInt16 = 443

    /// The text before the token in `:path`.
    package static let pathPrefix: StaticString = "/3/device/"
}
