import Glibc

/// Waiting for something that says nothing when it happens.
///
/// Tests sleep here and nowhere else, and never for ever. swift-testing's time limits are of no use for
/// that: it begins all tests at once, and a test's time runs while it waits for its turn.
package enum Poll {
    /// Something that a test has waited for in vain.
    package struct NeverHappened: Error {}

    /// More than a run of all tests takes.
    ///
    /// What needs a task's turn may need that long.
    private static let secondsMax = 1200.0

    /// Waits for what threads and processes do.
    /// - Parameters:
    ///   - seconds: The longest time to wait.
    ///   - condition: The condition to wait for.
    /// - Returns: True if the condition came true in time.
    package static func until(seconds: Double, _ condition: () -> Bool) -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        while !condition() {
            guard clock.now < end else { return false }
            usleep(3_000)
        }
        return true
    }

    /// Waits for what tasks do, without keeping one of the threads that they share.
    /// - Parameter condition: The condition to wait for.
    /// - Throws: `NeverHappened` when it does not come true.
    package static func wait(for condition: @escaping @Sendable () -> Bool) async throws {
        try await onOwnThread {
            guard until(seconds: secondsMax, condition) else { throw NeverHappened() }
        }
    }
}
