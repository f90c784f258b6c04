extension Options {
    /// At which hours: `send`, `check`.
    static let hoursOptions: [any AnyOption] = [window, timezone, timezoneColumn]

    static let window = Option(
        "window", .value("FROM-TO", ValueReader.window), .hours,
        "The hours at which rows may be sent, by the clock of each row's zone",
        detail: "22:00-06:00 goes over midnight. Needs --timezone or --timezone-column.",
        default: "at any time", example: "09:00-20:00",
        brief: "Hours to send in, by each row's clock: 09:00-20:00", common: true)
    static let timezone = Option(
        "timezone", .value(.identifier("ZONE")), .hours, "The time zone of rows that name none",
        example: "Europe/Berlin", needs: ["window"])
    static let timezoneColumn = Option(
        "timezone-column", .value(.identifier("COLUMN")), .hours,
        "The column that names a row's time zone", example: "tz", needs: ["window"], common: true)

    /// The treatment of rows outside their windows: `send`.
    static let outsideWindow = Option(
        "outside-window", .value(.choice(OutsideWindow.self), or: .wait), .hours,
        "What becomes of a row whose hours are closed",
        detail: "Rows that wait are kept in a file beside the report.", default: "wait",
        example: "skip", needs: ["window"])
}

/// The treatment of a row whose hours are closed.
enum OutsideWindow: String, CaseIterable {
    case wait, skip
}
