import FanfareCore

/// Words that advice has in common.
enum Advice {
    /// The words of advice about carrying a job on, and those in their place where there is none.
    static let resumption = [
        (" Some minutes later go on with --resume.", " Try again some minutes later."),
        (" Then go on with --resume.", ""), (", and go on with --resume.", "."),
    ]
}

/// Advice for people about an answer.
extension ResponseRule {
    var advice: String { `class`.advice(reason: "\(reason)") }
}

extension ResponseClass {
    /// Advice for one reason where there is something particular to say, else for the class.
    func advice(reason: String) -> String {
        if let advice = Self.particular[reason] { return advice }
        if let blamedColumn {
            let option = blamedColumn.name.description.replacing("_", with: "-")
            return "Correct --\(option), or the column \(blamedColumn.name) of the rows that have "
                + "one, and go on with --resume."
        }
        if credential == .refused {
            return "Check --key, --key-id and --team-id, or --certificate, and that they are for "
                + "this --environment and --topic. Then go on with --resume."
        }
        if job == .stop { return Self.ours }
        if retry == .elsewhereAtOnce { return "Nothing: another connection takes it." }
        return outcome.advice
    }

    private static let ours = "This should not happen. Please report it, with the command line."

    private static let particular: [String: String] = [
        "BadDeviceToken":
            "Do not delete the token on this alone. A sandbox token in production looks the same, "
            + "so check --environment first; a token from Xcode wants sandbox, one from TestFlight "
            + "or the App Store production.",
        "DeviceTokenNotForTopic":
            "Do not delete the token on this alone. Check that --topic, or the row's topic, is the "
            + "bundle id of the app that the token comes from, with the push type's suffix.",
        "BadPriority":
            "Correct --priority, or the column priority. Background pushes must have 5.",
        "BadMessageId": "Correct the column apns_id: a UUID in lower case, or nothing.",
        "MissingTopic":
            "Give --topic, or a column topic. Only a certificate for a single topic needs none.",
        "TopicDisallowed":
            "Check that --team-id owns the app of --topic, or that the certificate is for it. Then "
            + "go on with --resume.",
        "PayloadEmpty": "Give the row a payload, or the job a template.",
        "PayloadTooLarge":
            "Shorten the payload: 4,096 bytes, and 5,120 for voip. fanfare check finds such rows "
            + "beforehand.",
        "BadCertificateEnvironment":
            "The certificate is for the other service: change --environment or --certificate.",
        "BadEnvironmentKeyIdInToken":
            "The key is for the other service: change --environment, or use another key.",
        "BadEnvironmentKeyInToken":
            "The key is for the other service: change --environment, or use another key.",
        "InvalidProviderToken":
            "Check that --key-id is the key's, that --team-id is its team, and that the key has not "
            + "been revoked. Then go on with --resume.",
        "MissingProviderToken":
            "Give --key with --key-id and --team-id, or --certificate.",
        "ExpiredProviderToken":
            "Nothing: a new provider token is signed. If it comes again, set the machine's clock.",
        "TooManyProviderTokenUpdates":
            "Nothing: the provider token stays as it is, and another connection takes the row.",
        "TooManyRequests":
            "Send less often to one device. Look for the token in several rows.",
        "MissingDeviceToken": "Give the row a token.",
    ]
}

extension Outcome {
    /// The answer's meaning, in the words of the table in `docs/outcomes.md`.
    package var meaning: String {
        switch self {
        case .accepted: "the provider took it, which does not mean delivered"
        case .unregistered:
            "the token is dead: delete it, unless it was registered again after unregistered_at"
        case .suspect:
            "the token looks wrong, but a wrong environment, topic or project looks the same: do "
                + "not delete it"
        case .rejected: "this request can never succeed"
        case .throttled: "refused for rate reasons, and attempts or time ran out"
        case .failed: "provably not processed, and attempts or time ran out"
        case .unknown: "it may have reached the provider; not sent again"
        case .invalid: "never sent: the row did not pass the local checks"
        case .skipped:
            "never sent, because its token comes twice or is on a list, its hours are closed, or "
                + "--until or its expiration came first"
        }
    }

    /// The steps that are left to a person.
    package var advice: String {
        switch self {
        case .accepted: "Nothing."
        case .unregistered:
            "Delete the token, unless your app has registered it again after unregistered_at. "
                + "--unregistered FILE lists such tokens."
        case .suspect:
            "Check --environment and --topic, for FCM --project, before anything is deleted."
        case .rejected: "Correct the row; as it is it will never be accepted."
        case .throttled:
            "Nothing: it is tried again, --max-attempts times in all. What is left then can be sent "
                + "later, from --retry-rows FILE, or with a lower --rate."
        case .failed:
            "Nothing: it is tried again, --max-attempts times in all. What is left then can be sent "
                + "later, from --retry-rows FILE."
        case .unknown:
            "Decide: sent again it may arrive twice, left alone perhaps never. --retry-rows FILE "
                + "has these rows, too."
        case .invalid: "Correct the row. fanfare check finds such rows without sending."
        case .skipped: "Look at the reason: the row was left out on purpose, or came too late."
        }
    }
}

extension RowProblem {
    /// The steps that are left to a person, where they are not those of the outcome.
    var advice: String? {
        switch self {
        case .tokenDuplicate: "Nothing: another row of the job has the same token."
        case .tokenSuppressed: "Nothing: a file of --suppress names the token."
        case .deadlinePassed: "Send it again with a later --until, if it is still wanted."
        case .expirationPassed:
            "Send it again with a later --expiration, or a later time in the row's own column, if it "
                + "is still wanted."
        case .outsideWindow:
            "Send it again while its hours are open, or let it wait for them, without "
                + "--outside-window skip."
        case .providerUnknown:
            "Say whose rows have such a word: --route mobile=apns. fanfare check lists the words with "
                + "the numbers of their rows. If the column is about something else, name another one: "
                + "--map provider=COLUMN."
        default: nil
        }
    }
}
