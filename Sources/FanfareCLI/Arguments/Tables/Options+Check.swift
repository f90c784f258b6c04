import FanfareBase
import FanfareCore

extension Options {
    /// What a rehearsal tells the duration of: `check`.
    static let plan =
        pace.filter { $0.name != "burst" } + engine.filter { $0.name == "connections" }

    /// What a rehearsal shows: `check`.
    static let sample = OptionSpec(
        "sample", .required(placeholder: "N", .count(1...Limits.samplesMax)), .output,
        "Show the payloads of the first N rows that could be sent", default: "none", example: "3",
        common: true)
}
