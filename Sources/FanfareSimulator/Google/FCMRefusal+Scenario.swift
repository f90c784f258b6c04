extension FCMRefusal {
    /// Creates the refusal of a request to FCM from a rule's answer.
    ///
    /// A rule's reason is a word of FCM; or one of APNs, if the rule is for both, and then has the
    /// nearest meaning at FCM.
    /// - Parameters:
    ///   - answer: The rule's answer; its status is not 200.
    ///   - scope: The scope of the rule's rate, if it limits one.
    ///   - project: The project in the request's path.
    ///   - target: The token, topic or condition that the message is for.
    init(
        _ answer: ScenarioAnswer, scope: Scenario.RateLimit.Scope?, project: String,
        target: FCMMessage.Target
    ) {
        let status = answer.status
        let ownQuota = FCMRefusal.quotaExceeded(target.quota, subject: target.subject, value: nil)
        let projectQuota = FCMRefusal.quotaExceeded(
            .project, subject: "project:\(project)", value: nil)
        let usualQuota =
            scope == .all || scope == .connection || target.quota == .project
            ? projectQuota : ownQuota
        let named: FCMRefusal? =
            switch answer.reason {
            case "message.token": .invalidToken
            case "INVALID_REGISTRATION": .unnamedInvalidToken
            case "INVALID_ARGUMENT": .invalidArgument
            case "CREDENTIALS_MISSING": .credentialsMissing
            case "ACCESS_TOKEN_EXPIRED": .accessTokenExpired
            case "UNAUTHENTICATED": .credentialsInvalid
            case "THIRD_PARTY_AUTH_ERROR": .thirdPartyAuth
            case "IAM_PERMISSION_DENIED": .permissionDenied(project: project)
            case "ACCESS_TOKEN_SCOPE_INSUFFICIENT": .scopeInsufficient
            case "SERVICE_DISABLED": .serviceDisabled(project: project)
            case "SENDER_ID_MISMATCH": .senderMismatch
            case "UNREGISTERED": .unregistered
            case "NOT_FOUND": .projectNotFound
            case "QUOTA_EXCEEDED": projectQuota
            case "DEVICE_QUOTA_EXCEEDED":
                .quotaExceeded(.device, subject: target.subject, value: nil)
            case "TOPIC_QUOTA_EXCEEDED":
                .quotaExceeded(.topic, subject: target.subject, value: nil)
            case "INTERNAL": .internalError
            case "UNAVAILABLE": .unavailable
            default: nil
            }
        if let named, named.status == status {
            self = named
        } else if Self.isWord(answer.reason) {
            self = .other(status: status, word: answer.reason)
        } else {
            self = Self.nearest(
                toStatus: status, answer.reason, project: project, quota: usualQuota)
        }
    }

    /// Returns true if a reason is written as FCM's are, and not as those of APNs: in capitals.
    private static func isWord(_ reason: String) -> Bool {
        !reason.isEmpty
            && reason.utf8.allSatisfy { ($0 &- 0x41) < 26 || ($0 &- 0x30) < 10 || $0 == 0x5F }
    }

    /// Returns FCM's refusal that corresponds to a status of APNs with its reason.
    private static func nearest(
        toStatus status: Int, _ reason: String, project: String, quota: FCMRefusal
    ) -> FCMRefusal {
        switch (status, reason) {
        case (400, "BadDeviceToken"), (400, ""): .invalidToken
        case (400, "DeviceTokenNotForTopic"): .senderMismatch
        case (400, _): .invalidArgument
        case (401, _): .credentialsInvalid
        case (403, "ExpiredProviderToken"): .accessTokenExpired
        case (403, _): .permissionDenied(project: project)
        case (404, "BadPath"): .projectNotFound
        case (404, _), (410, _): .unregistered
        case (405, _): .notServed(path: "/v1/projects/\(project)/messages:send")
        case (413, _): .tooLarge
        case (429, _): quota
        case (500, _): .internalError
        case (503, _): .unavailable
        case (502, _), (504, _): .frontEnd(status: status)
        default: .other(status: status, word: "")
        }
    }
}
