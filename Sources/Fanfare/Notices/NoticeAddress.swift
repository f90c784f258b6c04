import FanfareBase
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

    /// Looks whether a text has a part of the path or of the query in it that may be a secret: a segment,
    /// a value, or a word of one, of at least `Limits.noticeSecretBytes` bytes.
    ///
    /// Letters count as the same in both cases, and percent-encoding as the bytes that it stands for.
    /// - Parameter text: The text, as bytes: a combining mark must not hide what stands before it.
    /// - Returns: True if it has such a part.
    func isRepeated(in text: [UInt8]) -> Bool {
        let text = text.map(\.inSmallLetters)
        let written = Array(path.utf8)
        return [written, UserInfo.decoded(written) ?? []].contains { path in
            let segments = path.map(\.inSmallLetters).split { "/?&=".utf8.contains($0) }
            let words = segments.flatMap { segment in segment.split { !Self.isOfWord($0) } }
            return (segments + words).contains { part in
                part.count >= Limits.noticeSecretBytes && text.contains(part)
            }
        }
    }

    /// True for the bytes of which Base64 for URLs and names consist. RFC 4648 §5
    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-_".utf8.contains(byte)
    }

    /// Scheme, host and port alone.
    package var description: String { url.origin }
}

extension Limits {
    /// The shortest part of an address that may be a secret.
    ///
    /// Six random bytes are eight characters of Base64, and less than that can be guessed; words of a path, such
    /// as `hooks`, are mostly shorter.
    static let noticeSecretBytes = 8
}
