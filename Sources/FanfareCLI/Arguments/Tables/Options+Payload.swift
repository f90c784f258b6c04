extension Options {
    /// What is sent: `send`, `check` (from rows), `push` (without).
    ///
    /// A payload is either a template of its own, or built from the flags.
    static func payload(fromRows: Bool) -> [OptionSpec] {
        let template =
            "{{name}} inside a string becomes the row's value, {{name|friend}} has a default, and "
            + "the whole string \"{{badge:json}}\" becomes the value as JSON. A row's own payload "
            + "comes first."
        let whole = [
            OptionSpec(
                "payload", .required(placeholder: "FILE", .file), .payload,
                fromRows
                    ? "File with the payload, a template in JSON" : "File with the payload, JSON",
                detail: fromRows ? template : nil, example: "payload.json",
                excludes: ["payload-json"] + builtPayload.map(\.name), common: true),
            OptionSpec(
                "payload-json", .required(placeholder: "JSON", .jsonObject), .payload,
                "The same on the command line", example: #"{"aps":{"alert":"Hi"}}"#,
                excludes: builtPayload.map(\.name)),
        ]
        let noValidate = OptionSpec(
            "no-validate", .negatableFlag, .payload,
            "Send what does not pass the local checks, too",
            detail: "For load tests: token, payload, its size and the headers are not looked at.")
        return whole + builtPayload + [noValidate]
    }

    private static let builtPayload: [OptionSpec] = [
        text(
            "alert", "Text of the notification, without a title", "Back in stock",
            excludes: ["title", "subtitle", "body"], common: true),
        text("title", "Title of the notification", "Back in stock", common: true),
        text("subtitle", "Line below the title", "Your size is here"),
        text("body", "Text below the title", "Have a look", common: true),
        OptionSpec(
            "badge", .required(placeholder: "N", .count(0...Int(Int32.max))), .payload,
            "Number on the app's icon; 0 takes it away", example: "1"),
        text("sound", "Sound to play: a file of the app, or default", "default"),
        text("category", "Identifier of a category that the app registered", "ORDER"),
        text("thread-id", "Notifications with the same one are grouped", "orders"),
        OptionSpec(
            "content-available", .negatableFlag, .payload,
            "Wake the app in the background",
            detail: "A silent notification wants --push-type background and --priority 5 as well."),
        OptionSpec(
            "mutable-content", .negatableFlag, .payload,
            "Let the app's service extension change the notification"),
        OptionSpec(
            "interruption-level", .choice("passive", "active", "time-sensitive", "critical"),
            .payload, "How much the notification may disturb",
            default: "the system's, active", example: "time-sensitive"),
        OptionSpec(
            "relevance-score", .required(placeholder: "NUMBER", .number), .payload,
            "Which notification of the app's summary comes first, from 0 to 1",
            detail: "Live Activities take any number.", example: "0.8"),
        text("target-content-id", "Identifier of the window to bring forward", "order-17"),
        OptionSpec(
            "data", .repeated(placeholder: "KEY=VALUE", .pair(allowsEmptyValue: true)), .payload,
            "A string of the app's own, beside aps",
            example: "order=17"),
    ]

    private static func text(
        _ name: String, _ summary: String, _ example: String, excludes: [String] = [],
        common: Bool = false
    ) -> OptionSpec {
        OptionSpec(
            name, .required(placeholder: "TEXT", .text), .payload, summary, example: example,
            excludes: excludes, common: common)
    }
}
