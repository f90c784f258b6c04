import FanfareBase
import FanfareTLS

extension Limits {
    /// The lengths of a key for webhooks, in bytes.
    ///
    /// The specification wants 24 to 64, but keys of 18 are in use, such as the one in Svix's own
    /// documentation.
    static let webhookKeyBytes = 16...64
}

/// The key by which a receiver of notices recognizes ours.
///
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
package struct WebhookKey: Sendable {
    private let secret: Secret

    /// Reads the first line of a file: `whsec_` and Base64, or Base64 alone.
    /// - Throws: `FanfareError` with code `input` about the file, and `configuration` about its text.
    package init(file: String) throws(FanfareError) {
        let line: Secret
        do throws(TLSError) {
            line = try Secret(firstLineOfFile: file)
        } catch {
            throw FanfareError(
                error.isUnreadableFile ? .input : .configuration, error.statement)
        }
        guard let key = Self(line) else {
            throw FanfareError(
                .configuration,
                "\(file) has no key of a webhook on its first line, which is whsec_ and Base64 of "
                    + "\(Limits.webhookKeyBytes.lowerBound) to "
                    + "\(Limits.webhookKeyBytes.upperBound) bytes; openssl rand -base64 32 makes one"
            )
        }
        self = key
    }

    /// Reads the text of a key; the result is `nil` for other text.
    init?(_ text: Secret) {
        guard let secret = (text.dropping("whsec_") ?? text).base64Decoded,
            Limits.webhookKeyBytes.contains(secret.count)
        else { return nil }
        self.secret = secret
    }

    /// Returns the signature of a message.
    /// - Parameters:
    ///   - id: The message's id, without a point in it.
    ///   - seconds: The time of this try, in UNIX seconds.
    ///   - body: The body.
    /// - Returns: The value of `webhook-signature`.
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        var code = HMAC.sha256(Array("\(id).\(seconds).".utf8) + body, key: secret)
        return "v1,"
            + (unsafe Secret(wiping: &code).base64.withBytes {
                unsafe String(decoding: $0, as: UTF8.self)
            })
    }
}
