import FanfareBase

/// A sampler that makes a time series of counts that only grow, by looking at them now and then.
///
/// Costs a job nothing per row: the lane that has the counts shows them about ten times a second,
/// when there is something else to do anyway. What has come since the last time goes into the
/// bucket that lies between the two, or, after a long time in which the lane did not come by, into
/// the last one: had anything happened before, it would have come by.
package struct SeriesSampler: Sendable {
    /// The levels at one moment.
    package struct Levels: Sendable, Equatable {
        package var connections: UInt64
        package var requestsInFlight: UInt64
        /// The number of requests that the open connections allow.
        package var requestsAllowed: UInt64

        /// Collects levels.
        package init(
            connections: UInt64 = 0, requestsInFlight: UInt64 = 0, requestsAllowed: UInt64 = 0
        ) {
            self.connections = connections
            self.requestsInFlight = requestsInFlight
            self.requestsAllowed = requestsAllowed
        }
    }

    package private(set) var series = TimeSeries()
    /// UNIX time in milliseconds from which on it wants to look again.
    package private(set) var next: Int64
    private var last: Int64
    private var levels = Levels()
    private var outcomes = OutcomeCounts()
    private var attempts: UInt64 = 0
    private var retries: UInt64 = 0
    private var latency = LatencySketch()

    /// Begins with counts of nothing.
    /// - Parameter now: UNIX time in milliseconds.
    package init(now: Int64) {
        last = now
        next = now
        plan(after: now)
    }

    /// Looks at the counts.
    /// - Parameters:
    ///   - now: UNIX time in milliseconds; never earlier than the last time.
    ///   - tally: All outcomes so far.
    ///   - histogram: All latencies so far.
    ///   - levels: The levels from now on.
    package mutating func sample(
        at now: Int64, _ tally: Tally, _ histogram: LatencyHistogram, levels: Levels
    ) {
        let now = max(now, last)
        var bucket = TimeSeries.Bucket()
        let latency = LatencySketch(histogram)
        bucket.outcomes = tally.outcomes.since(outcomes)
        bucket.attempts = tally.attempts - attempts
        bucket.retries = tally.retries - retries
        bucket.latency = latency.since(self.latency)
        let isLate = now - last >= 2 * Limits.seriesMilliseconds
        series.add(bucket, atMilliseconds: isLate ? now : last + (now - last) / 2)
        series.add(self.levels, from: last, to: now)
        (outcomes, attempts, retries) = (tally.outcomes, tally.attempts, tally.retries)
        self.latency = latency
        self.levels = levels
        last = now
        plan(after: now)
    }

    /// Plans the next sample: the buckets of a series begin at multiples of their length.
    private mutating func plan(after now: Int64) {
        next = (now / Limits.seriesMilliseconds + 1) * Limits.seriesMilliseconds
    }
}

extension TimeSeries {
    /// Adds levels that held from one moment to another.
    mutating func add(_ levels: SeriesSampler.Levels, from start: Int64, to end: Int64) {
        guard levels != SeriesSampler.Levels() else { return }
        var moment = start
        while moment < end {
            // Looked at anew each time: to add may make the buckets longer.
            let rest = moment % width
            let until = min(moment - rest + (rest < 0 ? 0 : width), end)
            let length = UInt64(until - moment)
            var bucket = Bucket()
            bucket.connectionMilliseconds = levels.connections * length
            bucket.requestMilliseconds = levels.requestsInFlight * length
            bucket.allowedMilliseconds = levels.requestsAllowed * length
            add(bucket, atMilliseconds: moment)
            moment = until
        }
    }
}
