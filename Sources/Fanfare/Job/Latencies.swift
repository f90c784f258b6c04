package import FanfareCore

/// The latencies of answers, from the start of a request to the end of its answer.
///
/// They are counted in steps of less than 1 %.
public struct Latencies: Sendable, Equatable {
    private let histogram: LatencyHistogram

    package init(_ histogram: LatencyHistogram) { self.histogram = histogram }

    /// The number of answers.
    public var count: UInt64 { histogram.count }

    /// The shortest one; `nil` without answers.
    public var min: Duration? { known(histogram.min) }

    /// The longest one; `nil` without answers.
    public var max: Duration? { known(histogram.max) }

    /// The mean of all; `nil` without answers.
    public var mean: Duration? { known(Int64(histogram.mean.rounded())) }

    /// The sum of all, as metrics want it.
    public var sum: Duration { .nanoseconds(Int64(Swift.min(histogram.total, 9e18))) }

    /// Returns the latency that a share of the answers does not exceed.
    /// - Parameter percent: The share, from 0 to 100.
    /// - Returns: The latency; `nil` without answers.
    public func percentile(_ percent: Double) -> Duration? {
        known(histogram.percentile(percent))
    }

    /// The number of answers below each of some bounds, from a quarter of a millisecond to a minute, each
    /// twice the one before.
    ///
    /// They are the buckets of a histogram as Prometheus has it; the one without a bound is
    /// ``count``.
    public var buckets: [Bucket] {
        histogram.cumulative.map { bound in
            Bucket(
                upTo: .nanoseconds(Int64((bound.seconds * 1e9).rounded())), count: bound.count)
        }
    }

    /// A bound, and the number of answers below it.
    public struct Bucket: Sendable, Hashable {
        /// The bound.
        public let upTo: Duration
        /// The number of answers below it.
        public let count: UInt64
    }

    /// Returns the latencies of the answers that have come since an earlier snapshot of the same job.
    ///
    /// Their shortest and longest are the bounds of the steps that they are in.
    public func since(_ earlier: Latencies) -> Latencies {
        Latencies(histogram.since(earlier.histogram))
    }

    private func known(_ nanoseconds: Int64) -> Duration? {
        count == 0 ? nil : .nanoseconds(nanoseconds)
    }
}

extension ProgressSnapshot {
    /// The latencies of answers until now.
    ///
    /// The lanes begin to hand them over when a program looks for the first time, so they are up to a
    /// tenth of a second old, and the first look has none.
    public var latencies: Latencies { Latencies(counts.latency) }
}
