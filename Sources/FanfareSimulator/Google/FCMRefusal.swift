/// FCM's reasons to refuse a message, each with the body of the real service.
///
/// The simulator checks in this order, which is ours: the path and the method, the client's
/// identity, the project and its quota, the message as JSON, its target, its size, the token. A
/// request with several faults is answered with the first.
package enum FCMRefusal: Error, Equatable, Sendable {
    /// The owner of a used up quota, which only a detail of the answer names.
    package enum Quota: Sendable {
        case device
        case topic
        case project
    }

    /// A part of the message that is wrong.
    package struct Violation: Equatable, Sendable {
        /// Its path, such as `message.token`; empty for the whole request.
        package var field: String
        package var description: String

        package init(_ field: String, _ description: String) {
            self.field = field
            self.description = description
        }
    }

    /// No such path, or another method than POST: a page of the front end.
    case notServed(path: String)
    /// A server behind the front end is gone: a page, with 502 or 504.
    case frontEnd(status: Int)

    case credentialsMissing
    case accessTokenExpired
    /// Something that is no access token of the service.
    case credentialsInvalid
    /// The project's key for APNs or Web Push is wrong.
    case thirdPartyAuth
    case permissionDenied(project: String)
    case scopeInsufficient
    case serviceDisabled(project: String)
    /// The token belongs to another project.
    case senderMismatch

    /// A body that is not JSON.
    case notJSON
    /// JSON that is not a message.
    case unreadable([Violation])
    case noRecipient
    case invalidArgument
    case tooLarge
    /// A malformed token, with the field that has it.
    case invalidToken
    /// A malformed token, with a message that says so and no field.
    case unnamedInvalidToken

    case unregistered
    case projectNotFound
    /// A quota, and for the project's how much it is.
    case quotaExceeded(Quota, subject: String, value: UInt64?)
    case internalError
    case unavailable
    /// An error that a scenario has made up.
    case other(status: Int, word: String)

    /// The status of the answer.
    package var status: Int {
        switch self {
        case .notServed, .unregistered, .projectNotFound: 404
        case .frontEnd(let status), .other(let status, _): status
        case .credentialsMissing, .accessTokenExpired, .credentialsInvalid, .thirdPartyAuth: 401
        case .permissionDenied, .scopeInsufficient, .serviceDisabled, .senderMismatch: 403
        case .notJSON, .unreadable, .noRecipient, .invalidArgument, .tooLarge, .invalidToken,
            .unnamedInvalidToken:
            400
        case .quotaExceeded: 429
        case .internalError: 500
        case .unavailable: 503
        }
    }
}
