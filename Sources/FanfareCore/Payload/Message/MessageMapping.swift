import FanfareBase

/// The form that a field of a neutral message takes at one provider.
package struct MessageMapping: Equatable, Sendable {
    package var field: MessageField
    package var provider: ProviderKind
    /// The targets in the order in which they are written; none if the provider has no place for
    /// the field.
    package var targets: [MessageTarget]
    /// A remark for the reader; a phrase, or empty.
    package var remark: String

    private init(
        _ field: MessageField, _ provider: ProviderKind, _ targets: [MessageTarget],
        _ remark: String = ""
    ) {
        self.field = field
        self.provider = provider
        self.targets = targets
        self.remark = remark
    }

    /// Returns the mapping of a field at a provider.
    package static func of(_ field: MessageField, _ provider: ProviderKind) -> MessageMapping {
        if case .declared = provider { return described(field, provider) }
        return table.first { $0.field == field && $0.provider == provider }
            ?? MessageMapping(field, provider, [])
    }

    /// Every field at every provider.
    ///
    /// Translation and documents are made of it, and of nothing else. Sources:
    /// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification,
    /// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages, RFC 8030 §5,
    /// https://notifications.spec.whatwg.org/#dictdef-notificationoptions.
    package static let table: [MessageMapping] = apns + fcm + webpush

    private static let apns: [MessageMapping] = [
        MessageMapping(.title, .apns, [.json("/aps/alert/title")]),
        MessageMapping(.subtitle, .apns, [.json("/aps/alert/subtitle")]),
        MessageMapping(.body, .apns, [.json("/aps/alert/body")]),
        MessageMapping(
            .image, .apns, [.json("/aps/mutable-content", .mark("1")), .json("/image")],
            "the app's service extension loads and attaches it"),
        MessageMapping(.link, .apns, [.json("/link")], "the app opens it"),
        MessageMapping(.data, .apns, [.json("/*")]),
        MessageMapping(.badge, .apns, [.json("/aps/badge", .number)]),
        MessageMapping(.sound, .apns, [.json("/aps/sound")]),
        MessageMapping(.ttl, .apns, [.header("apns-expiration", .moment)]),
        MessageMapping(.collapse, .apns, [.header("apns-collapse-id")]),
        MessageMapping(
            .priority, .apns, [.header("apns-priority", .words(high: "10", normal: "5"))]),
    ]

    // An image, a title and a body of `notification` reach all systems that FCM serves.
    private static let fcm: [MessageMapping] = [
        MessageMapping(.title, .fcm, [.json("/message/notification/title")]),
        MessageMapping(.subtitle, .fcm, [], "FCM has none"),
        MessageMapping(.body, .fcm, [.json("/message/notification/body")]),
        MessageMapping(.image, .fcm, [.json("/message/notification/image")]),
        // `click_action` names an activity of the app, and is no place for a URL.
        MessageMapping(.link, .fcm, [.json("/message/data/link")], "the app opens it"),
        MessageMapping(.data, .fcm, [.json("/message/data/*")]),
        MessageMapping(
            .badge, .fcm, [.json("/message/android/notification/notification_count", .number)],
            "0 leaves it to the system"),
        MessageMapping(.sound, .fcm, [.json("/message/android/notification/sound")]),
        MessageMapping(.ttl, .fcm, [.json("/message/android/ttl", .duration)]),
        // The key replaces what waits, the tag what is shown, as APNs' header does both. A tag alone would
        // make a notification of a message that the app was to have in silence.
        MessageMapping(
            .collapse, .fcm,
            [
                .json("/message/android/collapse_key"),
                .json("/message/android/notification/tag", wantsText: true),
            ]),
        MessageMapping(
            .priority, .fcm,
            [.json("/message/android/priority", .words(high: "HIGH", normal: "NORMAL"))]),
    ]

    // The names of `showNotification`, so that a worker can hand the message on.
    private static let webpush: [MessageMapping] = [
        MessageMapping(.title, .webpush, [.json("/title")]),
        MessageMapping(.subtitle, .webpush, [], "browsers have none"),
        MessageMapping(.body, .webpush, [.json("/body")]),
        MessageMapping(.image, .webpush, [.json("/image")]),
        MessageMapping(.link, .webpush, [.json("/url")], "the service worker opens it"),
        MessageMapping(.data, .webpush, [.json("/data/*")]),
        MessageMapping(
            .badge, .webpush, [.json("/app_badge", .number)], "for `navigator.setAppBadge`"),
        MessageMapping(.sound, .webpush, [], "browsers choose it"),
        // The header must be there (RFC 8030 §5.2); four weeks are what FCM keeps by itself.
        MessageMapping(
            .ttl, .webpush,
            [.header("ttl", .seconds, fallback: String(Limits.fcmTimeToLiveMax))]),
        MessageMapping(.collapse, .webpush, [.header("topic"), .json("/tag")]),
        MessageMapping(
            .priority, .webpush, [.header("urgency", .words(high: "high", normal: "normal"))]),
    ]

    /// The payload of a provider that a file describes, for a place that wants one: the message as files
    /// have it.
    private static func described(
        _ field: MessageField, _ provider: ProviderKind
    ) -> MessageMapping {
        let target: MessageTarget =
            switch field {
            case .title, .subtitle, .body, .image, .link, .sound, .collapse:
                .json("/\(field.rawValue)")
            case .data: .json("/data/*")
            case .badge: .json("/badge", .number)
            case .ttl: .json("/ttl", .seconds)
            case .priority: .json("/priority", .words(high: "high", normal: "normal"))
            }
        return MessageMapping(field, provider, [target])
    }

    /// Members that every payload of a provider has: pointer and JSON.
    ///
    /// FCM takes the device's token in the body, where it is a value of the row like any other: the template
    /// engine fills it in, escaped and without a copy of the body, and needs no other mark. Where `aps` is
    /// empty Apple still wants it.
    static func fixedMembers(_ provider: ProviderKind) -> [(pointer: String, json: String)] {
        switch provider {
        case .apns: [("/aps", "{}")]
        case .fcm: [("/message/token", #""{{token}}""#)]
        case .webpush, .declared: []
        }
    }
}
