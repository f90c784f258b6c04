package import FanfareCore
package import FanfareTLS

/// A request for an access token, as it goes over the wire.
package struct TokenRequest: Sendable {
    /// A header field besides those of the request line; names are in small letters.
    package struct Field: Sendable {
        package let name: String
        package let value: Secret
    }

    /// The kind of the request, which decides how the answer is read; nil if that brings no token.
    package let question: TokenQuestion?
    package let endpoint: Endpoint
    package let method: String
    package let path: String
    package let fields: [Field]
    /// Nil for a request without a body.
    package let body: Secret?
    /// The secrets that no message about the answer may repeat.
    let secrets: [Secret]
    /// True if a status of success says all: then an answer may break off behind its head.
    let isDoneByStatus: Bool

    init(
        _ question: TokenQuestion?, endpoint: Endpoint, method: String = "POST", path: String,
        fields: [(String, Secret)], body: Secret?, secrets: [Secret] = [],
        isDoneByStatus: Bool = false
    ) {
        self.question = question
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
        self.body = body
        self.secrets = secrets
        self.isDoneByStatus = isDoneByStatus
    }

    /// The scope of a token for FCM.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
}
