extension FCMRefusal {
    /// Makes the answer.
    /// - Parameter isPretty: True if its body has lines and indentation.
    /// - Returns: Status, type and body as the service has them.
    package func answer(isPretty: Bool) -> GoogleAnswer {
        switch self {
        case .notServed(let path): return .notServed(path)
        case .frontEnd(let status): return .frontEnd(status: status)
        default: break
        }
        let details = details
        var error: [GoogleJSON.Member] = [
            .init("code", .number(status)), .init("message", message),
            .init("status", Self.statusName(status)),
        ]
        if !details.isEmpty { error.append(.init("details", .array(details))) }
        return GoogleAnswer(
            status: status, word: word, .object([.init("error", .object(error))]),
            isPretty: isPretty)
    }

    /// The name that Google's services have for a status.
    ///
    /// https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
    private static func statusName(_ status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 409: "ABORTED"
        case 429: "RESOURCE_EXHAUSTED"
        case 500: "INTERNAL"
        case 501: "UNIMPLEMENTED"
        case 503: "UNAVAILABLE"
        case 504: "DEADLINE_EXCEEDED"
        default: "UNKNOWN"
        }
    }

    /// The word that tells the refusal from others of its status.
    private var word: String {
        switch self {
        case .credentialsMissing: "CREDENTIALS_MISSING"
        case .accessTokenExpired: "ACCESS_TOKEN_EXPIRED"
        case .thirdPartyAuth: "THIRD_PARTY_AUTH_ERROR"
        case .permissionDenied: "IAM_PERMISSION_DENIED"
        case .scopeInsufficient: "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
        case .serviceDisabled: "SERVICE_DISABLED"
        case .senderMismatch: "SENDER_ID_MISMATCH"
        case .unregistered: "UNREGISTERED"
        case .quotaExceeded: "QUOTA_EXCEEDED"
        case .other(_, let word) where !word.isEmpty: word
        default: Self.statusName(status)
        }
    }

    // MARK: The message

    private var message: String {
        let expected =
            "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
            + "See https://developers.google.com/identity/sign-in/web/devconsole-project."
        switch self {
        case .credentialsMissing:
            return "Request is missing required authentication credential. " + expected
        case .accessTokenExpired, .credentialsInvalid:
            return "Request had invalid authentication credentials. " + expected
        case .thirdPartyAuth: return "Auth error from APNS or Web Push Service"
        case .permissionDenied(let project):
            return "Permission '\(Self.permission)' denied on resource "
                + "'\(Self.resource(project))' (or it may not exist)."
        case .scopeInsufficient: return "Request had insufficient authentication scopes."
        case .serviceDisabled(let project):
            return "Firebase Cloud Messaging API has not been used in project \(project) before or "
                + "it is disabled."
        case .senderMismatch: return "SenderId mismatch"
        case .notJSON: return "Invalid JSON payload received. Unexpected token."
        case .unreadable(let violations):
            return violations.map(\.description).joined(separator: "\n")
        case .noRecipient: return Self.noRecipientText
        case .invalidToken, .unnamedInvalidToken: return Self.invalidTokenText
        case .unregistered, .projectNotFound: return "Requested entity was not found."
        case .quotaExceeded: return "Quota exceeded."
        case .internalError: return "Internal error encountered."
        case .unavailable: return "The service is currently unavailable."
        case .invalidArgument, .tooLarge: return "Request contains an invalid argument."
        case .other(let status, let word):
            return word.isEmpty ? Self.statusName(status) : word
        case .notServed, .frontEnd: return ""
        }
    }

    private static let permission = "cloudmessaging.messages.create"
    private static let noRecipientText = "Recipient of the message is not set."
    private static let invalidTokenText =
        "The registration token is not a valid FCM registration token"

    private static func resource(_ project: String) -> String {
        "//cloudresourcemanager.googleapis.com/projects/\(project)"
    }

    // MARK: The details

    private var details: [GoogleJSON] {
        switch self {
        case .credentialsMissing: [Self.info("CREDENTIALS_MISSING")]
        case .accessTokenExpired: [Self.info("ACCESS_TOKEN_EXPIRED")]
        case .thirdPartyAuth: [Self.fcmError("THIRD_PARTY_AUTH_ERROR")]
        case .permissionDenied(let project):
            [
                Self.info(
                    "IAM_PERMISSION_DENIED", domain: "iam.googleapis.com",
                    [
                        .init("resource", Self.resource(project)),
                        .init("permission", Self.permission),
                    ])
            ]
        case .scopeInsufficient: [Self.info("ACCESS_TOKEN_SCOPE_INSUFFICIENT")]
        case .serviceDisabled(let project):
            [
                Self.info(
                    "SERVICE_DISABLED",
                    [
                        .init("consumer", "projects/\(project)"),
                        .init("service", "fcm.googleapis.com"),
                    ])
            ]
        case .senderMismatch: [Self.fcmError("SENDER_ID_MISMATCH")]
        case .unreadable(let violations): [Self.badRequest(violations)]
        case .noRecipient:
            [
                Self.badRequest([Violation("message", Self.noRecipientText)]),
                Self.fcmError("INVALID_ARGUMENT"),
            ]
        case .invalidToken:
            [
                Self.fcmError("INVALID_ARGUMENT"),
                Self.badRequest([Violation("message.token", "Invalid registration token")]),
            ]
        case .invalidArgument, .unnamedInvalidToken: [Self.fcmError("INVALID_ARGUMENT")]
        case .unregistered: [Self.fcmError("UNREGISTERED")]
        case .quotaExceeded(let quota, let subject, let value):
            [Self.fcmError("QUOTA_EXCEEDED"), Self.quotaFailure(quota, subject, value)]
        case .internalError: [Self.fcmError("INTERNAL")]
        case .unavailable: [Self.fcmError("UNAVAILABLE")]
        case .other(_, let word): word.isEmpty ? [] : [Self.fcmError(word)]
        case .notServed, .frontEnd, .credentialsInvalid, .notJSON, .tooLarge, .projectNotFound: []
        }
    }

    private static func type(_ name: String) -> GoogleJSON.Member {
        .init("@type", "type.googleapis.com/\(name)")
    }

    private static func fcmError(_ code: String) -> GoogleJSON {
        .object([type("google.firebase.fcm.v1.FcmError"), .init("errorCode", code)])
    }

    private static func info(
        _ reason: String, domain: String = "googleapis.com",
        _ metadata: [GoogleJSON.Member] = [
            .init("method", "google.firebase.fcm.v1.FcmService.SendMessage"),
            .init("service", "fcm.googleapis.com"),
        ]
    ) -> GoogleJSON {
        .object([
            type("google.rpc.ErrorInfo"), .init("reason", reason), .init("domain", domain),
            .init("metadata", .object(metadata)),
        ])
    }

    private static func badRequest(_ violations: [Violation]) -> GoogleJSON {
        let list = violations.map { violation in
            // A field that is the whole request is left out, as all that is empty.
            GoogleJSON.object(
                (violation.field.isEmpty ? [] : [.init("field", violation.field)])
                    + [.init("description", violation.description)])
        }
        return .object([
            type("google.rpc.BadRequest"), .init("fieldViolations", .array(list)),
        ])
    }

    private static func quotaFailure(
        _ quota: Quota, _ subject: String, _ value: UInt64?
    ) -> GoogleJSON {
        let (metric, id, usual): (String, String, UInt64) =
            switch quota {
            case .device: ("messages_per_device", "MessagesPerMinutePerDevice", 240)
            case .topic: ("topic_messages", "MessagesPerMinutePerTopic", 1000)
            case .project: ("send_requests", "SendRequestsPerMinutePerProject", 600_000)
            }
        return .object([
            type("google.rpc.QuotaFailure"),
            .init(
                "violations",
                .array([
                    .object([
                        .init("subject", subject),
                        .init("description", "Quota exceeded for \(id)."),
                        .init("api_service", "fcm.googleapis.com"),
                        .init("quota_metric", "fcm.googleapis.com/\(metric)"),
                        .init("quota_id", id),
                        // 64 bits are text in the JSON of Protocol Buffers.
                        .init("quota_value", "\(value ?? usual)"),
                    ])
                ])),
        ])
    }
}
