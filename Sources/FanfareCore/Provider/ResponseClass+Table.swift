/// One row of the table of answers.
package struct ResponseRule: Sendable {
    package let status: UInt16
    /// The provider's word; empty for an answer without a reason.
    package let reason: StaticString
    package let `class`: ResponseClass
    /// The meaning, for people.
    package let meaning: StaticString

    init(_ status: UInt16, _ reason: StaticString, _ class: ResponseClass, _ meaning: StaticString)
    {
        self.status = status
        self.reason = reason
        self.class = `class`
        self.meaning = meaning
    }
}

extension ResponseClass {
    private static let rowsFault = ResponseClass(.rejected)
    private static let suspectToken = ResponseClass(.suspect)
    private static let deadToken = ResponseClass(.unregistered)
    private static let transient = ResponseClass(.failed, retry: .afterDelay)
    /// The provider does not take the credential: no row can succeed with it.
    private static let refused = ResponseClass(.failed, credential: .refused, job: .stop)
    /// A fault of ours that every request would repeat.
    private static let wrongRequest = ResponseClass(.failed, job: .stop)

    /// Returns the class of a setting that is wrong for all rows, or of one row's own value.
    private static func wrongSetting(_ column: RowSchema.Known) -> ResponseClass {
        ResponseClass(.failed, job: .stop, blames: column)
    }

    /// Every answer that the provider documents, with 200 first and sorted by status.
    ///
    /// An answer's place is its `ReasonIndex`, which lives only as long as the process: rules may be
    /// inserted anywhere behind the first.
    package static let rules: [ResponseRule] = [
        ResponseRule(200, "", ResponseClass(.accepted), "accepted (not: delivered)"),
        ResponseRule(
            400, "BadCollapseId", wrongSetting(.collapseID), "the collapse id is too long"),
        ResponseRule(
            400, "BadDeviceToken", suspectToken,
            "the token is malformed, or of the other environment"),
        ResponseRule(
            400, "BadExpirationDate", wrongSetting(.expiration), "the expiration is not a time"),
        ResponseRule(400, "BadMessageId", rowsFault, "the apns-id is not a UUID"),
        ResponseRule(
            400, "BadPriority", wrongSetting(.priority),
            "the priority is wrong, or not allowed for the push type"),
        ResponseRule(400, "BadTopic", wrongSetting(.topic), "the topic is invalid"),
        ResponseRule(
            400, "DeviceTokenNotForTopic", suspectToken, "the token belongs to another topic"),
        ResponseRule(400, "DuplicateHeaders", wrongRequest, "a header was repeated"),
        ResponseRule(
            400, "IdleTimeout",
            ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire),
            "the connection was idle for too long"),
        ResponseRule(
            400, "InvalidPushType", wrongSetting(.pushType), "the push type is invalid"),
        ResponseRule(400, "MissingDeviceToken", rowsFault, "the token is empty"),
        ResponseRule(400, "MissingTopic", wrongSetting(.topic), "a topic is required"),
        ResponseRule(400, "PayloadEmpty", rowsFault, "the payload is empty"),
        ResponseRule(
            400, "TopicDisallowed", wrongSetting(.topic),
            "this credential may not send to the topic"),
        ResponseRule(403, "BadCertificate", refused, "the certificate is invalid"),
        ResponseRule(
            403, "BadCertificateEnvironment", refused,
            "the certificate is for the other environment"),
        ResponseRule(
            403, "BadEnvironmentKeyIdInToken", refused, "the key is for the other environment"),
        ResponseRule(
            403, "BadEnvironmentKeyInToken", refused,
            "the key is for the other environment (another spelling)"),
        ResponseRule(
            403, "ExpiredProviderToken",
            ResponseClass(
                .failed, retry: .elsewhereAtOnce, connection: .retire, credential: .renew),
            "the provider token is older than one hour; if it is new, check the clock"),
        ResponseRule(403, "Forbidden", refused, "the action is not allowed"),
        ResponseRule(
            403, "InvalidProviderToken", refused, "the provider token cannot be verified"),
        ResponseRule(
            403, "MissingProviderToken", refused, "there is neither a certificate nor a token"),
        ResponseRule(
            403, "UnrelatedKeyIdInToken",
            ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire),
            "the connection was begun with another key"),
        ResponseRule(404, "BadPath", rowsFault, "the path is invalid"),
        ResponseRule(405, "MethodNotAllowed", wrongRequest, "the method is not POST"),
        ResponseRule(410, "ExpiredToken", deadToken, "the token has expired"),
        ResponseRule(410, "Unregistered", deadToken, "the token is no longer active for the topic"),
        ResponseRule(413, "PayloadTooLarge", rowsFault, "the payload is too large"),
        ResponseRule(
            429, "TooManyProviderTokenUpdates",
            ResponseClass(
                .throttled, retry: .afterDelay, connection: .retire, credential: .hold),
            "the provider token was changed too often; it stays, the connection goes"),
        ResponseRule(
            429, "TooManyRequests", ResponseClass(.throttled, retry: .afterOwnDelay),
            "too many requests to the same token"),
        ResponseRule(500, "InternalServerError", transient, "the provider has an internal error"),
        ResponseRule(503, "ServiceUnavailable", transient, "the provider is unavailable"),
        ResponseRule(
            503, "Shutdown",
            ResponseClass(.failed, retry: .afterDelay, connection: .retire),
            "the server is shutting down"),
    ]
}
