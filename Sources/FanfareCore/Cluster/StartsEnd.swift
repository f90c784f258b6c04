package import FanfareBase
internal import Synchronization

/// The end of the time in which the other workers' job lets the lanes of a process start anything.
///
/// Lanes look at it themselves: a process that has stood still goes on in all threads at once, and the one that holds
/// the lanes may be the last.
package struct StartsEnd: ~Copyable, Sendable {
    private let end = Atomic<Int64>(.max)

    package init() {}

    /// Names another end.
    /// - Returns: True if the one before has passed: lanes that may rest are to be woken.
    package func move(to end: Instant, now: Instant) -> Bool {
        self.end.exchange(end.nanoseconds, ordering: .acquiringAndReleasing) <= now.nanoseconds
    }

    /// True if nothing is to start any more.
    package func isOver(now: Instant) -> Bool {
        end.load(ordering: .relaxed) <= now.nanoseconds
    }
}
