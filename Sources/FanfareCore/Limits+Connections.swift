import FanfareBase

/// The number of connections that a job chooses if the configuration names none.
extension Limits {
    /// The most that a job chooses by itself.
    ///
    /// Apple recommends several and names no number; one sender could not get more than about 600. 256
    /// carry 100,000 requests a second of 1 KB through 64 KiB windows at 40 ms. A user who knows
    /// better says `--connections`.
    package static let connectionsChosenMax = 256

    /// The time for which a lane is watched before it wants more connections.
    ///
    /// The peer gives a window of 64 KiB back in halves, one each half round trip: that is ten at
    /// 40 ms.
    package static let connectionMeasure = Duration.milliseconds(200)

    /// The connections for each one that may be missing while a lane is watched.
    ///
    /// Among many there is always one that a GOAWAY or its age replaces. An eighth less is far from
    /// hiding that twice as many are of use.
    package static let connectionsMeasuredPerLack = 8

    /// The share of that time for which stream limits and flow-control windows have to hold the lane.
    package static let connectionHeldShare = 0.1

    /// The share of the gain in proportion to the connections added that shows that they were of use.
    package static let connectionGainMin = 0.25

    /// The time for which a lane is content when more connections were of no use; doubles each
    /// time.
    package static let connectionGrowthPause = Duration.seconds(4)

    /// The longest such pause.
    package static let connectionGrowthPauseMax = Duration.seconds(320)
}
