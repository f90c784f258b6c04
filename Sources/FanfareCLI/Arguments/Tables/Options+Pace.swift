import FanfareBase
import FanfareCore

extension Options {
    /// The options for the pace: `send`.
    static let paceOptions: [any AnyOption] = [rate, burst, ramp]

    static let rate = Option(
        "rate", .byRoute(ValueType("N/UNIT", ValueReader.rate)), .pace,
        "Attempts started, first ones and retries, over all connections",
        detail:
            "Such as 5000/s, 90k/m or 100/15s; 5000 alone is a second's. In any time of T at most burst + rate * T "
            + "attempts start. fcm=5000/s bounds one provider of several.",
        default: "as many as possible; to FCM its quota", example: "5000/s",
        brief: "At most so many a second: 5000, or 90k/m", common: true)
    static let burst = Option(
        "burst", .value(.count(1...Int(Limits.paceCountMax))), .pace,
        "Starts that may be made up for at once after a delay",
        default: "20 ms of the rate, and one more", example: "100", needs: ["rate"])
    static let ramp = Option(
        "ramp", .value(.duration(allowsZero: true)), .pace,
        "The time in which the rate rises to its height", default: "none", example: "5m",
        needs: ["rate"])
}
