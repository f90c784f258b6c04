/// A moment on the monotonic clock that drives the engine: the loop's, or a simulation's.
///
/// - Unit: nanoseconds since an arbitrary start; only differences mean anything.
@frozen
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the start.
    public var nanoseconds: Int64

    /// Makes the moment so many nanoseconds after the start.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Later than every moment that occurs.
    @inlinable
    public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    /// Before any other moment: never yet.
    ///
    /// It is only for comparisons.
    @inlinable
    package static var distantPast: Instant { Instant(nanoseconds: .min) }

    /// True if a moment comes before another.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the nanoseconds from an earlier moment to this one; negative if it is later.
    ///
    /// A plain number, because `Duration` counts in 128-bit attoseconds and this is on the way of
    /// every row.
    @inlinable
    public func nanoseconds(since earlier: Instant) -> Int64 {
        nanoseconds - earlier.nanoseconds
    }

    /// Returns this moment moved by a number of nanoseconds, never beyond `distantFuture`.
    @inlinable
    public func advanced(byNanoseconds delta: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// Returns this moment moved by a duration.
    public func advanced(by duration: Duration) -> Instant {
        advanced(byNanoseconds: duration.wholeNanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, cut off toward zero, at most about 292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !overflow, !isBeyond else { return seconds < 0 ? .min : .max }
        return sum
    }
}
