package import FanfareCore

/// An address that notices are posted to.
///
/// Its path may be a secret, as that of an incoming webhook of Slack's is; so nothing but its origin
/// is ever shown.
package struct NoticeAddress: Sendable, Equatable, CustomStringConvertible {
    private let url: DeclaredURL

    /// Reads a URL: `https://hooks.slack.com/services/T0/B0/X`.
    /// - Parameter text: The URL; in the clear it has to lead to this machine.
    /// - Throws: The reason why it is none, as a phrase that does not repeat it.
    package init(_ text: String) throws(DeclaredURL.Fault) {
        url = try DeclaredURL(service: text)
    }

    /// Scheme, host and port.
    package var endpoint: Endpoint {
        Endpoint(host: url.host, port: url.port, usesTLS: url.isSecure)
    }

    /// The path with the query.
    var path: String { url.path }

    /// Scheme, host and port alone.
    package var description: String { url.origin }
}
