import FanfareBase
import FanfareCore

/// Moments of the wall clock on the engine's own.
struct WallTime {
    /// UNIX time at the beginning of the engine's clock.
    private let offsetMilliseconds: Int64

    init(_ environment: any LaneEnvironment) {
        offsetMilliseconds = environment.unixMilliseconds(at: Instant(nanoseconds: 0))
    }

    /// UNIX time at a moment of the engine's clock.
    func milliseconds(at moment: Instant) -> Int64 {
        offsetMilliseconds + moment.nanoseconds / 1_000_000
    }

    func moment(unixMilliseconds: Int64) -> Instant {
        let (difference, isFar) = unixMilliseconds.subtractingReportingOverflow(offsetMilliseconds)
        let (nanoseconds, isFarther) = difference.multipliedReportingOverflow(by: 1_000_000)
        return isFar || isFarther ? .distantFuture : Instant(nanoseconds: nanoseconds)
    }

    /// The end of a notification's life: 0 is no end, but a single try of the provider's.
    func expiration(unixSeconds: Int64) -> Instant {
        guard unixSeconds > 0 else { return .distantFuture }
        let (milliseconds, isFar) = unixSeconds.multipliedReportingOverflow(by: 1000)
        return isFar ? .distantFuture : moment(unixMilliseconds: milliseconds)
    }
}
