package import FanfareBase
package import FanfareTLS

/// The token that authorizes requests: anyone who has it can send.
package struct AccessToken: Sendable {
    package let secret: Secret
    /// The time for which it may be used, from its request on; nil if that is not known.
    package let life: Duration?

    /// Takes the bytes of a token; nil if they cannot stand in a header field, or are too many.
    init?(_ secret: Secret, life: Duration?) {
        let isGood = unsafe secret.withBytes { bytes in
            unsafe !bytes.isEmpty && bytes.count <= Limits.accessTokenBytesMax
                && bytes.allSatisfy { 0x21...0x7E ~= $0 }
        }
        guard isGood else { return nil }
        self.secret = secret
        self.life = life
    }

    /// The value of the field `authorization`. RFC 6750 §2.1
    package var authorization: Secret { Secret("Bearer ", secret, "") }
}

/// A file that another program keeps an access token in: `gcloud auth print-access-token > FILE`.
package enum AccessTokenFile {
    /// Reads a token.
    /// - Parameters:
    ///   - content: The whole file; white space around the token is left out.
    ///   - file: Its name.
    /// - Returns: The token; how long it lives is not known.
    /// - Throws: `FanfareError.Code.configuration` if there is something else in it.
    package static func read(_ content: Secret, file: String) throws(FanfareError) -> AccessToken {
        let token = try TokenText.only(content, file: file)
        guard let token = AccessToken(token, life: nil) else {
            throw FanfareError(
                .configuration,
                "\(file) is longer than an access token can be; it should have the token and "
                    + "nothing else")
        }
        return token
    }
}

/// The text of a token that stands alone in a file.
enum TokenText {
    /// Takes the token out of a file.
    static func only(_ content: Secret, file: String) throws(FanfareError) -> Secret {
        try unsafe content.withBytes { (bytes) throws(FanfareError) -> Secret in
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
            let first = unsafe bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
            let last = unsafe bytes.lastIndex { !isSpace($0) } ?? bytes.startIndex
            guard first < bytes.endIndex else {
                throw FanfareError(.configuration, "\(file) is empty; it should have a token in it")
            }
            let token = unsafe UnsafeBufferPointer(rebasing: bytes[first...last])
            if let problem = unsafe problem(token) {
                throw FanfareError(
                    .configuration, "\(file) \(problem); it should have the token and nothing else")
            }
            return unsafe Secret(token)
        }
    }

    private static func problem(_ token: UnsafeBufferPointer<UInt8>) -> String? {
        if unsafe token.first == UInt8(ascii: "{") { return "is JSON" }
        if unsafe token.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return "has several lines" }
        if unsafe token.starts(with: "Bearer ".utf8) { return "begins with 'Bearer'" }
        if unsafe token.contains(0x20) { return "has blanks in its line" }
        let isPlain = unsafe token.allSatisfy { 0x21...0x7E ~= $0 }
        return isPlain ? nil : "has characters that no token has"
    }
}

extension Limits {
    /// The longest access token: those of Google have up to 2 KiB, and all header fields of a request 16.
    package static let accessTokenBytesMax = 8 * 1024
}
