import FanfareBase

/// Bounds of lane.
extension Limits {
    /// The time that bytes may stay unacknowledged by the peer's TCP before the connection counts
    /// as dead.
    package static let unacknowledgedMax = Duration.seconds(20)

    /// The interval in which a lane reports its progress.
    package static let progressInterval = Duration.milliseconds(100)

    /// The delay of a turn from which on the process counts as stopped, or its machine as asleep.
    ///
    /// Far more than a busy machine makes it wait, far less than any request may take.
    package static let standstill = Duration.milliseconds(250)
}
