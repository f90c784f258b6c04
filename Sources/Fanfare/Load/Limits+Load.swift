import FanfareBase

/// Bounds of load.
extension Limits {
    /// The connections of a load test that does not name a number.
    package static let loadConnections = 4

    /// The lowest rate, a second, that a search for the knee goes down to, unless it begins below:
    /// who does not keep that is not slow but broken.
    package static let kneeRateMin = 1.0

    /// The longest load test, warm-up included: its nanoseconds are exact in a `Double`.
    package static let loadTimeMax = Duration.seconds(30 * 86_400)

    /// The header fields of a load test's own request: a session has 64, five of which we fill.
    package static let loadFieldsMax = 59
}
