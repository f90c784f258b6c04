import FanfareCore

/// Advice for people about an answer of FCM's.
extension FCMRule {
    var advice: String {
        if let advice = Self.ofWords["\(word)"] { return advice }
        return switch (status, naming) {
        case (400, .token): Self.wrongToken
        case (400, .part):
            "Correct the part of the message that the answer names, in the template or in the "
                + "payload of the rows that have one, and go on with --resume. fanfare push "
                + "--verbose shows the answer."
        case (400, _):
            "Look at the message that fanfare push --verbose shows: FCM takes 4,096 bytes of "
                + "notification and data, and nothing but texts as values of data."
        case (401, _):
            "Set the machine's clock, and see in the Google Cloud console that the service account "
                + "is there and that its key has not been revoked. Then go on with --resume."
        case (403, _):
            "Give the service account the role roles/firebasecloudmessaging.admin in the project, "
                + "or a role with the permission cloudmessaging.messages.create, and check "
                + "--project. Then go on with --resume."
        case (404, _):
            "Correct the project's id, which is that of --project, else of --service-account. No "
                + "token is dead, and none is to be deleted. Then go on with --resume."
        case (429, .device):
            "Send less often to one device: FCM takes 240 messages a minute and 5,000 an hour for "
                + "each. Look for the token in several rows."
        case (429, .topic):
            "Send less often to one topic. The row is tried again, --max-attempts times in all."
        case (429, _):
            "Nothing: it is tried again, --max-attempts times in all. A lower --rate keeps below "
                + "the project's quota, which is 600,000 messages a minute unless Google has raised "
                + "it."
        default: verdict.outcome.advice
        }
    }

    private static let wrongToken =
        "Do not delete the token on this alone. See whether it is whole, and whether it is a "
        + "registration token of FCM's: an APNs token, 64 hexadecimal digits or more, is none."

    private static let otherKey =
        "Upload the APNs key (.p8) of the app in the Firebase console, under Project settings, Cloud "
        + "Messaging; it may be missing for development or for production alone. For browsers look "
        + "at the web push certificates there. Then send the rows of --retry-rows FILE. Nothing is "
        + "said of the token, and rows for Android are not concerned."

    private static let ofWords: [String: String] = [
        "ACCESS_TOKEN_EXPIRED":
            "Nothing: a new access token is asked for. If it comes again, set the machine's clock. "
            + "In --access-token-file another program has to put a new one, before an hour is over.",
        "UNAUTHENTICATED":
            "Nothing at first: a new access token is asked for. If it comes again, set the machine's "
            + "clock, and check --service-account, or what stands in --access-token-file.",
        "THIRD_PARTY_AUTH_ERROR": otherKey,
        "APNS_AUTH_ERROR": otherKey,
        "CREDENTIALS_MISSING":
            "Give --service-account FILE, --access-token-file FILE or, in Google's cloud, "
            + "--metadata-server, and go on with --resume.",
        "SENDER_ID_MISMATCH":
            "Do not delete the token on this alone: it belongs to an app of another Firebase "
            + "project. If most rows have this answer, check --project and --service-account.",
        "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
            "Have the access token made with the scope "
            + "https://www.googleapis.com/auth/firebase.messaging, and go on with --resume.",
        "SERVICE_DISABLED":
            "Enable the Firebase Cloud Messaging API of the project in the Google Cloud console. "
            + "Some minutes later go on with --resume.",
        "UNREGISTERED":
            "Delete the token, unless your app has registered it again after sent_at: FCM does not "
            + "say since when it is dead. --unregistered FILE lists such tokens.",
        "INTERNAL": FCMAnswers.inDoubtAdvice,
        "UNAVAILABLE": FCMAnswers.inDoubtAdvice,
    ]
}

extension FCMAnswers.Fallback {
    var advice: String {
        if verdict.retry == .inDoubt { return FCMAnswers.inDoubtAdvice }
        // An answer with a verdict of FCM's is a rejection.
        guard verdict.job == .stopAtStart, verdict.outcome == .failed else {
            return verdict.advice(reason: "")
        }
        return "Something answers in FCM's place: a proxy, a firewall, another server. Check "
            + "--endpoint and --proxy. A row that got no other answer is in --retry-rows FILE."
    }
}

extension FCMAnswers {
    fileprivate static let inDoubtAdvice =
        "Decide: messages with this answer have been delivered, so what is sent again may arrive "
        + "twice. --delivery at-least-once does so, and --retry-rows FILE has these rows. Where a "
        + "message has a tag (android.notification.tag), the second one replaces the first."
}
