import FanfareBase

/// The events by time: counts in buckets, as many as a page can show.
///
/// A bucket begins at a multiple of its length in UNIX time. When there would be too many, the
/// series merges neighbors and doubles the length; so the order of events does not matter, nor how
/// far apart they are, and every sum stays as it was.
package struct TimeSeries: Sendable, Equatable {
    /// The events of one bucket, as counts that add up.
    package struct Bucket: Sendable, Equatable {
        /// Rows that got their outcome.
        package var outcomes = OutcomeCounts()
        /// Their attempts, and those beyond each row's first.
        package var attempts: UInt64 = 0
        package var retries: UInt64 = 0
        /// The latencies of the last attempts of rows with an answer.
        package var latency = LatencySketch()
        /// Open connections times milliseconds.
        package var connectionMilliseconds: UInt64 = 0
        /// Requests in flight times milliseconds.
        package var requestMilliseconds: UInt64 = 0
        /// Requests that the provider allows in flight on open connections, times milliseconds.
        package var allowedMilliseconds: UInt64 = 0

        /// Creates a bucket of nothing.
        package init() {}

        package static func += (sum: inout Bucket, more: Bucket) {
            sum.outcomes += more.outcomes
            sum.attempts += more.attempts
            sum.retries += more.retries
            sum.latency += more.latency
            sum.connectionMilliseconds += more.connectionMilliseconds
            sum.requestMilliseconds += more.requestMilliseconds
            sum.allowedMilliseconds += more.allowedMilliseconds
        }
    }

    /// The length of a bucket in milliseconds.
    package private(set) var width: Int64
    /// The place of the first bucket: it begins at `first * width`.
    package private(set) var first: Int64 = 0
    package private(set) var buckets: [Bucket] = []

    /// Creates a series of nothing.
    /// - Parameter width: The length of its buckets at first, in milliseconds.
    package init(width: Int64 = Limits.seriesMilliseconds) {
        precondition(width > 0)
        self.width = width
    }

    /// The beginning of the first bucket, in milliseconds of UNIX time.
    package var start: Int64 { first * width }

    /// The sum of all buckets.
    package var total: Bucket { buckets.reduce(into: Bucket()) { $0 += $1 } }

    /// Adds the events of a moment of UNIX time.
    package mutating func add(_ bucket: Bucket, atMilliseconds moment: Int64) {
        buckets[place(of: moment)] += bucket
    }

    /// Adds a line of a report, at the moment of its answer.
    mutating func record(_ line: ReportLine, endedAt moment: Int64) {
        let place = place(of: moment)
        buckets[place].outcomes.count(line.outcome)
        buckets[place].attempts += UInt64(line.attempts)
        buckets[place].retries += UInt64(max(line.attempts, 1)) - 1
        if line.status != 0 {
            buckets[place].latency.record(nanoseconds: line.latencyNanoseconds)
        }
    }

    /// Adds another series, of the same time or of another one.
    package mutating func merge(_ other: TimeSeries) {
        var other = other
        while width < other.width { coarsen() }
        while other.width < width { other.coarsen() }
        guard let last = other.buckets.indices.last else { return }
        _ = place(of: other.start)
        _ = place(of: other.start + Int64(last) * other.width)
        // Making room may have merged neighbors.
        while other.width < width { other.coarsen() }
        for (index, bucket) in other.buckets.enumerated() {
            buckets[Int(other.first - first) + index] += bucket
        }
    }

    /// Returns the same series in fewer buckets.
    package func merged(toAtMost count: Int) -> TimeSeries {
        precondition(count > 0)
        var series = self
        // Two neighbors may lie in two buckets however long these are.
        while series.buckets.count > max(count, 2) { series.coarsen() }
        return series
    }

    /// Returns the place of the bucket of a moment, after making it if there is none.
    private mutating func place(of moment: Int64) -> Int {
        while true {
            let wanted = Self.floor(moment, width)
            if buckets.isEmpty { first = wanted }
            let from = min(first, wanted)
            let through = max(first + Int64(buckets.count) - 1, wanted)
            guard through - from < Int64(Limits.seriesBuckets) else {
                coarsen()
                continue
            }
            if from < first {
                buckets.insert(
                    contentsOf: repeatElement(Bucket(), count: Int(first - from)), at: 0)
                first = from
            }
            let missing = Int(through - first) + 1 - buckets.count
            if missing > 0 { buckets.append(contentsOf: repeatElement(Bucket(), count: missing)) }
            return Int(wanted - first)
        }
    }

    /// Merges neighbors.
    private mutating func coarsen() {
        let newFirst = Self.floor(first, 2)
        var merged: [Bucket] = []
        merged.reserveCapacity(buckets.count / 2 + 1)
        for (index, bucket) in buckets.enumerated() {
            let place = Int(Self.floor(first + Int64(index), 2) - newFirst)
            if place == merged.count { merged.append(bucket) } else { merged[place] += bucket }
        }
        buckets = merged
        first = newFirst
        width *= 2
    }

    /// Divides and rounds down, also before 1970.
    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
