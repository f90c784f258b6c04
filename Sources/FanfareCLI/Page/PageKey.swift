import FanfareTLS

/// The secret that a request needs to steer a job.
package struct PageKey: Sendable {
    /// The field of a request that has it.
    package static let fieldName = "fanfare-control"

    private let secret: Secret

    /// The key with this text.
    package init(_ text: String) {
        secret = Secret(text)
    }

    /// A text that can be known only by those who were told: 256 bits, for a part of a URL.
    package static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode(
            (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Returns true if a text is the key's; the time that it takes does not tell how near the text
    /// is.
    package func isOpened(by text: String) -> Bool { secret.isEqual(to: Array(text.utf8)) }
}
