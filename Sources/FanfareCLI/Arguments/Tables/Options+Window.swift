extension Options {
    /// At which hours: `send`, `check`.
    static let zones: [OptionSpec] = [
        OptionSpec(
            "window", .required(placeholder: "FROM-TO", .window), .engine,
            "The hours at which rows may be sent, by the clock of each row's zone",
            detail: "22:00-06:00 goes over midnight. Needs --timezone or --timezone-column.",
            default: "at any time", example: "09:00-20:00"),
        OptionSpec(
            "timezone", .required(placeholder: "ZONE", .identifier), .engine,
            "The time zone of rows that name none", example: "Europe/Berlin", needs: ["window"]),
        OptionSpec(
            "timezone-column", .required(placeholder: "COLUMN", .identifier), .engine,
            "The column that names a row's time zone", example: "tz", needs: ["window"]),
    ]

    /// What is done outside of them: `send`.
    static let outsideWindow = OptionSpec(
        "outside-window", .choice("wait", "skip"), .engine,
        "What becomes of a row whose window is closed",
        detail: "Rows that wait are kept in a file beside the report.",
        default: "wait", example: "skip", needs: ["window"])
}
