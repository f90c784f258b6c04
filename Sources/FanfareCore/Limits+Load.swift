import FanfareBase

// MARK: Load tests

extension Limits {
    /// Slots of a load test's timeline: ten minutes of seconds, and a plot has no more columns.
    ///
    /// A lane has 32 bytes for each.
    package static let loadTimelineSlots = 600

    /// A start that is so much later than due is late.
    ///
    /// Timers have whole milliseconds, and a turn of a busy lane takes one or two.
    package static let lateStart = Duration.milliseconds(10)

    /// The share of requests that may start late by our own fault before the test measures us.
    package static let ownLateShare = 0.01

    /// The share of a core that the busiest lane may use before the test measures us.
    package static let laneBusyShare = 0.95

    /// Requests of a test that were due and never started are counted into the latencies in so many
    /// steps at most: finer than the histogram's own buckets for anything but the shortest times.
    package static let unstartedSteps: Int64 = 10_000

    /// The steps of a load test, those of a search included.
    package static let loadStepsMax = 1000

    /// The highest rate of a load test, in requests a second: far beyond what a machine can start.
    package static let loadRateMax = 100_000_000.0

    /// The lowest one: a request a day.
    package static let loadRateMin = 1.0 / 86_400

    /// The finest precision of the search for a knee: no measurement repeats itself any better.
    package static let kneePrecisionMin = 0.001

    /// The kinds of failures that are counted apart: HTTP/2 has 14 codes, and there are the
    /// ends of connections.
    package static let loadFailureKindsMax = 64

    /// The statuses that are counted apart.
    package static let loadStatusesMax = 64

    /// The longest body of a load test's own request.
    ///
    /// It is copied for each request in flight, so that a thousand of them take 64 MiB.
    package static let loadBodyBytesMax = 64 * 1024
}
