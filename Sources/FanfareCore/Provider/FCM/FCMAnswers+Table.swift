import FanfareBase

/// One row of the table of FCM's answers.
package struct FCMRule: Sendable {
    /// The fact that an answer has to name besides the word.
    package enum Naming: UInt8, Sendable {
        /// Nothing is asked.
        case anything
        /// The registration token.
        case token
        /// Another part of the message.
        case part
        /// The device's quota.
        case device
        /// The topic's quota.
        case topic
    }

    package let status: UInt16
    /// The word of the refusal; empty for any, and for none.
    package let word: StaticString
    /// True if the word has to be FCM's own.
    package let isFCMs: Bool
    package let naming: Naming
    package let verdict: ResponseClass
    /// The meaning, for people.
    package let meaning: StaticString

    init(
        _ status: UInt16, _ word: StaticString, isFCMs: Bool = false,
        naming: Naming = .anything, _ verdict: ResponseClass, _ meaning: StaticString
    ) {
        self.status = status
        self.word = word
        self.isFCMs = isFCMs
        self.naming = naming
        self.verdict = verdict
        self.meaning = meaning
    }

    /// True if it is about an answer of its status with these facts.
    func fits(_ facts: GoogleErrorFacts, word: UnsafeBufferPointer<UInt8>) -> Bool {
        guard unsafe self.word.utf8CodeUnitCount == 0 || self.word.equals(word),
            !isFCMs || facts.source == .fcm
        else { return false }
        return switch naming {
        case .anything: true
        case .token: facts.part == .token
        case .part: facts.part == .other
        case .device: facts.quota == .device
        case .topic: facts.quota == .topic
        }
    }
}

extension FCMAnswers {
    private static let suspectToken = ResponseClass(.suspect)
    private static let expired = ResponseClass(
        .failed, retry: .withNewCredential, connection: .retire, credential: .renew)
    /// The key of Apple or of the browsers that the project was given: other platforms have nothing to do
    /// with it.
    private static let otherKey = ResponseClass(.failed)
    /// No row can succeed with our identity.
    private static let refused = ResponseClass(.failed, credential: .refused, job: .stop)
    /// The row's device or topic: others need not wait.
    private static let tooManyForOne = ResponseClass(
        .throttled, retry: .afterOwnDelay, firstDelay: FCMAnswers.quotaDelay)

    private static let inDoubt = ResponseClass(.unknown, retry: .inDoubt)

    /// Every answer that is known, with 200 first and sorted by status; the first that fits counts.
    ///
    /// An answer's place lives only as long as the process: rules may be inserted anywhere behind the first.
    package static let rules: [FCMRule] = [
        FCMRule(200, "", ResponseClass(.accepted), "accepted (not: delivered)"),
        FCMRule(
            400, "", naming: .token, suspectToken,
            "the registration token is malformed; it may be cut off, or no token of FCM's"),
        FCMRule(
            400, "", naming: .part, ResponseClass(.failed, job: .stop, blames: .payload),
            "a part of the message is wrong, which the answer names"),
        FCMRule(
            400, "", ResponseClass(.rejected, job: .stopAtStart),
            "the message is wrong or too large, and the answer does not say where"),
        FCMRule(401, "ACCESS_TOKEN_EXPIRED", expired, "the access token has expired"),
        FCMRule(
            401, "UNAUTHENTICATED", expired,
            "the access token is not accepted, and the answer does not say why"),
        FCMRule(
            401, "THIRD_PARTY_AUTH_ERROR", otherKey,
            "the project's key for APNs or web push is missing or wrong; rows for Android go on"),
        FCMRule(401, "APNS_AUTH_ERROR", otherKey, "the same, as older answers say it"),
        FCMRule(401, "CREDENTIALS_MISSING", refused, "there is no access token"),
        FCMRule(401, "", refused, "the credential is refused"),
        FCMRule(
            403, "SENDER_ID_MISMATCH", isFCMs: true, suspectToken,
            "the token belongs to another project"),
        FCMRule(
            403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", refused,
            "the access token was asked for without the scope of FCM"),
        FCMRule(
            403, "SERVICE_DISABLED", refused,
            "the Firebase Cloud Messaging API is not enabled in the project"),
        FCMRule(
            403, "", refused,
            "the credential may not send for the project: it lacks cloudmessaging.messages.create"),
        FCMRule(
            404, "UNREGISTERED", isFCMs: true, ResponseClass(.unregistered),
            "the token is no longer active"),
        FCMRule(
            404, "", ResponseClass(.failed, job: .stop),
            "the project does not exist: nothing is said of the token"),
        FCMRule(
            429, "", naming: .device, tooManyForOne, "too many messages to the same device"),
        FCMRule(429, "", naming: .topic, tooManyForOne, "too many messages to the same topic"),
        FCMRule(
            429, "",
            ResponseClass(
                .throttled, retry: .afterDelay, firstDelay: FCMAnswers.quotaDelay),
            "the project's quota is used up"),
        FCMRule(500, "INTERNAL", inDoubt, "FCM has an internal error; the message may be sent"),
        FCMRule(503, "UNAVAILABLE", inDoubt, "FCM is unavailable; the message may be sent"),
    ]

    /// A case of the treatment of answers that are not in the table.
    package struct Fallback: Sendable {
        /// The name of the statuses in a table: `5xx`.
        package let label: String
        package let statuses: [UInt16]
        package let isGoogles: Bool
        package let meaning: String

        init(_ label: String, _ statuses: [UInt16], isGoogles: Bool = true, _ meaning: String) {
            self.label = label
            self.statuses = statuses
            self.isGoogles = isGoogles
            self.meaning = meaning
        }

        /// The verdict on the first of its statuses, which is that on all.
        package var verdict: ResponseClass {
            FCMAnswers.fallback(status: statuses[0], isGoogles: isGoogles)
        }
    }

    /// The actions of the fallback, in each of its cases.
    package static let fallbacks: [Fallback] = [
        Fallback("2xx", Array(201...299), "accepted"),
        Fallback("3xx", Array(300...399), "a redirect: no verdict from FCM"),
        Fallback("408", [408], "FCM waited for too long"),
        Fallback("421", [421], "this server does not answer for the name"),
        Fallback("429", [429], isGoogles: false, "refused for rate reasons"),
        Fallback("502", [502], "a front end has no backend; the message may be sent"),
        Fallback(
            "500, 501, 503 to 999", [500, 501] + Array(503...999),
            "FCM failed; the message may be sent"),
        Fallback(
            "all else", (400...499).filter { ![408, 421, 429].contains($0) }, isGoogles: false,
            "the body is not FCM's: no verdict from FCM"),
        Fallback(
            "all else",
            (402...499).filter { ![403, 404, 408, 421, 429].contains($0) },
            "this request cannot succeed"),
    ]
}
