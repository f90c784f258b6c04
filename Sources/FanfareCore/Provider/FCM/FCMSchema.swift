/// The type of a message's field at FCM.
package enum FCMType: Equatable, Sendable {
    case text
    case flag
    case integer
    case number
    case texts
    /// Keys of the app's own with a text each; some are reserved.
    case data
    /// Names of headers with a text each.
    case headers
    /// JSON of another provider.
    case anything
    /// `3.5s`
    case duration
    case durations
    /// A duration up to 28 days.
    case timeToLive
    /// `#rrggbb`
    case color
    case topic
    /// An `https` URL.
    case link
    /// One of some words.
    case word([String], ignoresCase: Bool)
    /// An object of `FCMSchema.schemas`.
    case object(String)
}

/// The fields of a message for FCM, by the names of the service's discovery document.
///
/// Source: https://fcm.googleapis.com/$discovery/rest?version=v1, and for `fid` Google's own SDKs. The names
/// there are `likeThis`; the service takes `like_this` as well, and that is how its own SDKs write them.
package enum FCMSchema {
    /// A field of an object.
    package struct Field: Equatable, Sendable {
        package var name: String
        package var type: FCMType

        fileprivate init(_ name: String, _ type: FCMType) {
            self.name = name
            self.type = type
        }

        /// The other name that the service takes.
        package var camelName: String {
            let words = name.split(separator: "_")
            return words.prefix(1).joined()
                + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// The object that a request is.
    package static let request = "SendMessageRequest"

    /// The fields that name the target of a message, of which it has one.
    package static let targets = ["fid", "token", "topic", "condition"]

    /// Those of them that stand for many devices.
    package static let broadcasts: Set<String> = ["topic", "condition"]

    /// The fields of each object, by the object's name.
    package static let schemas: [String: [Field]] = [
        request: [Field("message", .object("Message")), Field("validate_only", .flag)],
        "Message": [
            Field("name", .text), Field("data", .data),
            Field("notification", .object("Notification")),
            Field("android", .object("AndroidConfig")), Field("webpush", .object("WebpushConfig")),
            Field("apns", .object("ApnsConfig")), Field("fcm_options", .object("FcmOptions")),
            Field("fid", .text), Field("token", .text), Field("topic", .topic),
            Field("condition", .text),
        ],
        "Notification": [Field("title", .text), Field("body", .text), Field("image", .text)],
        "AndroidConfig": [
            Field("collapse_key", .text),
            Field("priority", .word(["NORMAL", "HIGH"], ignoresCase: true)),
            Field("ttl", .timeToLive), Field("restricted_package_name", .text),
            Field("data", .data), Field("notification", .object("AndroidNotification")),
            Field("fcm_options", .object("AndroidFcmOptions")), Field("direct_boot_ok", .flag),
            Field("bandwidth_constrained_ok", .flag), Field("restricted_satellite_ok", .flag),
        ],
        "AndroidNotification": androidNotification,
        "LightSettings": [
            Field("color", .object("Color")), Field("light_on_duration", .duration),
            Field("light_off_duration", .duration),
        ],
        "Color": [
            Field("red", .number), Field("green", .number), Field("blue", .number),
            Field("alpha", .number),
        ],
        "AndroidFcmOptions": [Field("analytics_label", .text)],
        "WebpushConfig": [
            Field("headers", .headers), Field("data", .data), Field("notification", .anything),
            Field("fcm_options", .object("WebpushFcmOptions")),
        ],
        "WebpushFcmOptions": [Field("link", .link), Field("analytics_label", .text)],
        "ApnsConfig": [
            Field("headers", .headers), Field("payload", .anything),
            Field("fcm_options", .object("ApnsFcmOptions")), Field("live_activity_token", .text),
        ],
        "ApnsFcmOptions": [Field("analytics_label", .text), Field("image", .text)],
        "FcmOptions": [Field("analytics_label", .text)],
    ]

    private static let androidNotification: [Field] = [
        Field("title", .text), Field("body", .text), Field("icon", .text), Field("color", .color),
        Field("sound", .text), Field("tag", .text), Field("click_action", .text),
        Field("body_loc_key", .text), Field("body_loc_args", .texts),
        Field("title_loc_key", .text), Field("title_loc_args", .texts),
        Field("channel_id", .text), Field("ticker", .text), Field("sticky", .flag),
        Field("event_time", .text), Field("local_only", .flag),
        Field(
            "notification_priority",
            .word(
                [
                    "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT",
                    "PRIORITY_HIGH", "PRIORITY_MAX",
                ], ignoresCase: false)),
        Field("default_sound", .flag), Field("default_vibrate_timings", .flag),
        Field("default_light_settings", .flag), Field("vibrate_timings", .durations),
        Field(
            "visibility",
            .word(
                ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"], ignoresCase: false)),
        Field("notification_count", .integer),
        Field("light_settings", .object("LightSettings")), Field("image", .text),
        Field(
            "proxy",
            .word(
                ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"], ignoresCase: false)),
    ]
}
