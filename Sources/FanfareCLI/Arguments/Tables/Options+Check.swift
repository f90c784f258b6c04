import FanfareBase
import FanfareCore

extension Options {
    /// What a rehearsal tells the duration of: `check`.
    static let planOptions: [any AnyOption] = [provider, rate, ramp, connections]

    /// What a rehearsal shows: `check`.
    static let sample = Option(
        "sample", .value(.count(1...Limits.samplesMax), or: 0), .output,
        "Show the payloads of the first N rows that could be sent", default: "none", example: "3",
        common: true)
}
