package import FanfareBase

/// A run of rows that answers leave in doubt, with no verdict between them.
///
/// A provider that is down gives such an answer to each row, and each of these rows is lost for a job that sends
/// none twice. So the lane pauses after a run of them, and then asks with one row at a time. One answer to a
/// request of many rows can be a run by itself.
///
/// ```
///  fewer than 20 ──► pause ──► one row ──► another answer in doubt: a longer pause
///        ▲                        │
///        └──────── verdict ───────┘
/// ```
package struct DoubtRun: Sendable {
    /// The number of rows that make a run.
    package static let least = 20
    /// The longest pause that the lane makes of its own accord.
    package static let pauseMax = Duration.seconds(60)

    /// The first pause, in nanoseconds.
    private let firstPause: Int64
    /// The longest pause that a provider may ask for, in nanoseconds.
    private let wishMax: Int64
    private var count = 0
    private var pause: Int64
    /// The end of the pause, behind which one row goes at a time; `nil` as long as there is no run.
    package private(set) var until: Instant?

    /// - Parameters:
    ///   - firstPause: The first pause; a second if it is zero.
    ///   - wishMax: The longest pause that a provider may ask for.
    package init(firstPause: Duration, wishMax: Duration) {
        self.firstPause = max(firstPause, .seconds(1)).wholeNanoseconds
        self.wishMax = wishMax.wholeNanoseconds
        pause = self.firstPause
    }

    /// Notes that an answer left its row in doubt.
    /// - Parameters:
    ///   - wish: The time that the provider asks for, if it does.
    ///   - now: The time.
    package mutating func answeredInDoubt(wish: Duration?, now: Instant) {
        count += 1
        guard count >= Self.least else { return }
        let wished = min(wish?.wholeNanoseconds ?? 0, wishMax)
        if let until, now < until {
            // This row was on its way when the pause began.
            self.until = max(until, now.advanced(byNanoseconds: wished))
            return
        }
        until = now.advanced(byNanoseconds: max(pause, wished))
        pause = min(pause * 2, max(Self.pauseMax.wholeNanoseconds, firstPause))
    }

    /// A row went on the request of another one, whose answer follows, and is in doubt as well.
    package mutating func wentAlong() { count += 1 }

    /// Notes that an answer was a verdict on its row.
    package mutating func judged() {
        count = 0
        pause = firstPause
        until = nil
    }

    /// True if no row may go now.
    package func holds(now: Instant) -> Bool { until.map { now < $0 } ?? false }
}
