package import FanfareBase

/// The rule by which a row is tried again.
///
/// It is exponential back-off with full jitter from the first retry on: the delay is uniform
/// between zero and a bound that doubles, which spreads a burst of refusals best.
/// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
package struct RetryPolicy: Sendable, Equatable {
    /// The reason for another attempt.
    package enum Cause: Equatable, Sendable {
        /// The provider said "not now", and perhaps for how long; else the first wait may be a known one.
        case later(retryAfter: Duration?, first: Duration? = nil)
        /// The provider has had too many requests for this device: the row waits, others do not. The first wait
        /// may be another one than the policy's.
        case tooManyForDevice(retryAfter: Duration?, first: Duration? = nil)
        /// The answer was about the connection, so another one may be used at once.
        case elsewhere
        /// No answer says whether the last attempt got through, and twice is better than never.
        case inDoubt

        /// The time that the provider has asked all rows to wait for.
        var wish: Duration? { if case .later(let wish, _) = self { wish } else { nil } }
    }

    /// The most times that a row is put on the wire; provably unprocessed attempts do not count.
    package var attemptsMax: Int
    /// The bound of the first delay.
    package var firstDelay: Duration
    /// The bound of every later delay.
    package var delayMax: Duration
    /// The least first delay of a row whose device has had too many requests; it doubles, too.
    package var deviceDelay = Limits.deviceRetryDelay
    /// The least wait before any retry for which an answer asks no time; it doubles.
    package var leastDelay = Duration.zero
    /// The longest wait that a provider may ask for, where there is a bound: a row for which it asks for more is
    /// not tried again.
    package var wishMax: Duration?
    /// Retries per first attempt: see `RetryBudget`.
    package var budgetShare = 0.2

    package init(
        attemptsMax: Int = 5, firstDelay: Duration = .milliseconds(500),
        delayMax: Duration = .seconds(60)
    ) {
        precondition(attemptsMax > 0)
        self.attemptsMax = attemptsMax
        self.firstDelay = firstDelay
        self.delayMax = delayMax
    }

    /// Returns true if a row may wait for as long as a provider asks for.
    package func grants(_ wish: Duration) -> Bool { wishMax.map { wish <= $0 } ?? true }

    /// Returns the time to wait before the next attempt.
    /// - Parameters:
    ///   - attempts: The attempts made so far, at least 1.
    ///   - cause: The reason for another one. The row waits at least as long as the provider asks
    ///     for, with jitter on top.
    ///   - generator: The source of jitter.
    /// - Returns: Nanoseconds; nil when no attempt is left, or the provider asks for too long a wait.
    package func delay(
        afterAttempts attempts: Int, _ cause: Cause, using generator: inout SplitMix64
    ) -> Int64? {
        guard attempts < attemptsMax else { return nil }
        switch cause {
        case .elsewhere:
            return 0
        case .inDoubt:
            return leastDelay(leastDelay, afterAttempts: attempts)
                + jitteredDelay(afterFailures: attempts, using: &generator)
        case .later(let retryAfter, let first):
            guard grants(retryAfter ?? .zero) else { return nil }
            return
                (retryAfter?.wholeNanoseconds
                ?? leastDelay(first ?? leastDelay, afterAttempts: attempts))
                + jitteredDelay(afterFailures: attempts, using: &generator)
        case .tooManyForDevice(let retryAfter, let first):
            guard grants(retryAfter ?? .zero) else { return nil }
            return
                (retryAfter?.wholeNanoseconds
                ?? leastDelay(first ?? deviceDelay, afterAttempts: attempts))
                + jitteredDelay(afterFailures: attempts, using: &generator)
        }
    }

    private func leastDelay(_ first: Duration, afterAttempts attempts: Int) -> Int64 {
        Self.doubled(first, times: attempts - 1, max: Limits.deviceRetryDelayMax)
    }

    /// Returns a delay that grows with the number of failures in a row, without a limit on their
    /// number.
    /// - Parameters:
    ///   - failures: The number of failures.
    ///   - most: A bound below that of the policy, if there is one.
    ///   - generator: The source of jitter.
    /// - Returns: Nanoseconds.
    package func jitteredDelay(
        afterFailures failures: Int, atMost most: Duration? = nil,
        using generator: inout SplitMix64
    ) -> Int64 {
        let bound = Self.doubled(
            firstDelay, times: failures - 1, max: min(delayMax, most ?? delayMax))
        guard bound > 0 else { return 0 }
        return Int64.random(in: 0...bound, using: &generator)
    }

    /// Returns the same delay, of which half is not left to chance: a pause that is always one.
    package func halfJitteredDelay(
        afterFailures failures: Int, using generator: inout SplitMix64
    ) -> Int64 {
        let bound = Self.doubled(firstDelay, times: failures - 1, max: delayMax)
        guard bound > 1 else { return bound }
        return Int64.random(in: bound / 2...bound, using: &generator)
    }

    private static func doubled(_ first: Duration, times: Int, max: Duration) -> Int64 {
        // Shifting by at most 20 keeps a first delay of up to two hours from overflowing.
        min(max.wholeNanoseconds, first.wholeNanoseconds << Int64(min(Swift.max(times, 0), 20)))
    }
}
