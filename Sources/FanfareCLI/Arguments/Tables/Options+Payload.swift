import Fanfare

extension Options {
    /// The options for the payload: `send`, `check`.
    ///
    /// A payload is either a template in the provider's JSON, or built from a message's file and
    /// the flags.
    static let payloadOptions: [any AnyOption] =
        [payload, payloadJSON, payloadBy, variant, variantSeed] + builtPayload + [noValidate]

    /// The same where no rows fill a template: `push`.
    static let pushPayloadOptions: [any AnyOption] =
        [
            payload.with {
                $0.summary = "File with the payload, JSON"
                $0.brief = nil
                $0.detail = nil
            }, payloadJSON,
        ] + builtPayload + [noValidate]

    private static let builtPayload: [any AnyOption] = [
        message, alert, title, subtitle, body, image, link, badge, sound, category, threadID,
        contentAvailable, mutableContent, interruptionLevel, relevanceScore, targetContentID, data,
        ttl, collapse,
    ]

    /// The options that exclude a template; the words of `--priority` belong to a message.
    private static let said =
        builtPayload.map(\.name) + Message.Priority.allCases.map { "priority=\($0.rawValue)" }

    static let payload = Option(
        "payload", .byRoute(.file), .payload, "File with the payload, a template in JSON",
        detail:
            "{{name}} inside a string becomes the row's value, {{name|friend}} has a default, and "
            + "the whole string \"{{badge:json}}\" becomes the value as JSON. A row's own payload "
            + "comes first. fcm=FILE is for one provider of several.",
        example: "payload.json", excludes: ["payload-json"] + said,
        brief: "File with the payload: JSON, with {{name}}", common: true)
    static let payloadJSON = Option(
        "payload-json", .value(.jsonObject), .payload, "The same on the command line",
        example: #"{"aps":{"alert":"Hi"}}"#, excludes: said)
    static let payloadBy = Option(
        "payload-by",
        .value("COLUMN:VALUE=FILE,...", form: .keyedFiles, ValueReader.payloadsByColumn), .payload,
        "A file with the payload for each value of a column",
        detail:
            "The first value that fits counts; * stands for any text, so a last *=FILE is for all "
            + "other rows, and without one they are invalid. The files are payloads, or messages in "
            + "a job to several providers.",
        example: "locale:de*=de.json,*=en.json",
        excludes: ["payload", "payload-json", "variant"] + said)
    static let variant = Option(
        "variant", .values("NAME=FILE:SHARE", form: .sharedFile, ValueReader.payloadVariant),
        .payload, "A file with the payload for a share of the rows, by a hash of their tokens",
        detail:
            "Give it for each variant; the shares are 100% together. A token gets the same one in "
            + "every run, and the report names it. Without :SHARE a variant gets an equal part of "
            + "what the others leave.",
        example: "A=a.json:50%", excludes: ["payload", "payload-json"] + said)
    static let variantSeed = Option(
        "variant-seed", .value(.count(0...Int.max), or: 0), .payload,
        "Another number shares the tokens out in another way", default: "0", example: "7",
        needs: ["variant"])
    static let message = Option(
        "message", .value(.file), .payload, "File with the message, JSON, for any provider",
        detail:
            "Its keys are title, subtitle, body, image, link, badge, sound, data, ttl, collapse "
            + "and priority; the options of these names win.",
        example: "message.json")
    static let alert = text(
        "alert", "Text of the notification, without a title", "Back in stock",
        excludes: ["title", "subtitle", "body"], common: true)
    static let title = text("title", "Title of the notification", "Back in stock", common: true)
    static let subtitle = text("subtitle", "Line below the title", "Your size is here")
    static let body = text("body", "Text below the title", "Have a look", common: true)
    static let image = text(
        "image", "Picture: an https URL; at APNs the app's extension loads it",
        "https://cdn.example.com/doors.jpg")
    static let link = text(
        "link", "What a tap opens: a URL, of the web or of the app", "app://events/7")
    static let badge = Option(
        "badge", .value("N", form: .count, ValueReader.badge), .payload,
        "Number on the app's icon; 0 takes it away",
        detail: "Or a placeholder that stands for one: {{unread|0}}.", example: "1")
    static let sound = text("sound", "Sound to play: a file of the app, or default", "default")
    static let category = text(
        "category", "Identifier of a category that the app registered", "ORDER")
    static let threadID = text("thread-id", "Notifications with the same one are grouped", "orders")
    static let contentAvailable = Option(
        "content-available", .negatableFlag, .payload, "Wake the app in the background",
        detail: "A silent notification wants --push-type background and --priority 5 as well.")
    static let mutableContent = Option(
        "mutable-content", .negatableFlag, .payload,
        "Let the app's service extension change the notification")
    static let interruptionLevel = Option(
        "interruption-level", .value(.choice("passive", "active", "time-sensitive", "critical")),
        .payload, "How much the notification may disturb", default: "the system's, active",
        example: "time-sensitive")
    static let relevanceScore = Option(
        "relevance-score", .value("NUMBER", form: .number, ValueReader.number), .payload,
        "Which notification of the app's summary comes first, from 0 to 1",
        detail: "Live Activities take any number.", example: "0.8")
    static let targetContentID = text(
        "target-content-id", "Identifier of the window to bring forward", "order-17")
    static let data = Option(
        "data", .values(.pair("KEY=VALUE", allowsEmptyValue: true)), .payload,
        "A string of the app's own: beside aps, or in FCM's data", example: "order=17")
    static let ttl = Option(
        "ttl", .value(.duration(allowsZero: true)), .payload,
        "How long it is kept for a device that is offline",
        detail: "0s is one attempt and nothing kept. For APNs --expiration comes first.",
        default: "the provider's", example: "1h")
    static let collapse = Option(
        "collapse", .value(.identifier("KEY")), .payload,
        "A newer notification replaces the one with the same key",
        detail: "For APNs --collapse-id comes first.", example: "doors")
    static let noValidate = Option(
        "no-validate", .negatableFlag, .payload, "Send what does not pass the local checks, too",
        detail: "For load tests: token, payload, its size and the headers are not looked at.")

    private static func text(
        _ name: String, _ summary: String, _ example: String, excludes: [String] = [],
        common: Bool = false
    ) -> Option<String?> {
        Option(
            name, .value(.text), .payload, summary, example: example, excludes: excludes,
            common: common)
    }
}
