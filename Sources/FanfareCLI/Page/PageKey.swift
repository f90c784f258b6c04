import FanfareTLS

/// What a request has to know that steers a job.
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

    /// Whether a text is the key's, in a time that says nothing of how near it comes.
    package func isOpened(by text: String) -> Bool { secret.isEqual(to: Array(text.utf8)) }
}
