import FanfareBase

/// Bounds of lane.
extension Limits {
    /// How long bytes may stay unacknowledged by the peer's TCP before the connection counts as dead.
    package static let unacknowledgedMax = Duration.seconds(20)

    /// How often a lane tells how far it is.
    package static let progressInterval = Duration.milliseconds(100)

    /// How much later than planned a turn comes if the process was stopped, or its machine asleep.
    ///
    /// Far more than a busy machine makes it wait, far less than any request may take.
    package static let standstill = Duration.milliseconds(250)
}
