/// When a row is tried again.
///
/// Exponential back-off with full jitter from the first retry on: the delay is uniform between zero
/// and a bound that doubles, which spreads a burst of refusals best.
/// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
package struct RetryPolicy: Sendable, Equatable {
    /// How often a row is put on the wire at most; provably unprocessed attempts do not count.
    package var attemptsMax: Int
    /// The bound of the first delay.
    package var firstDelay: Duration
    /// The bound of every later delay.
    package var delayMax: Duration

    package init(
        attemptsMax: Int = 5, firstDelay: Duration = .milliseconds(500),
        delayMax: Duration = .seconds(60)
    ) {
        precondition(attemptsMax > 0)
        self.attemptsMax = attemptsMax
        self.firstDelay = firstDelay
        self.delayMax = delayMax
    }

    /// The time to wait before the next attempt, or `nil` when there is none left.
    /// - Parameters:
    ///   - attempts: The attempts made so far, at least 1.
    ///   - retryAfter: What the provider asked for; waited at least, with jitter on top.
    ///   - generator: The source of jitter.
    /// - Returns: Nanoseconds.
    package func delay(
        afterAttempts attempts: Int, retryAfter: Duration?,
        using generator: inout SplitMix64
    ) -> Int64? {
        guard attempts < attemptsMax else { return nil }
        return jitteredDelay(afterFailures: attempts, using: &generator)
            + (retryAfter?.wholeNanoseconds ?? 0)
    }

    /// A delay that grows with the number of failures in a row, without a limit on their number.
    package func jitteredDelay(
        afterFailures failures: Int, using generator: inout SplitMix64
    ) -> Int64 {
        let first = firstDelay.wholeNanoseconds
        // Shifting by at most 20 keeps a first delay of up to two hours from overflowing.
        let bound = min(delayMax.wholeNanoseconds, first << Int64(min(max(failures - 1, 0), 20)))
        guard bound > 0 else { return 0 }
        return Int64.random(in: 0...bound, using: &generator)
    }
}
