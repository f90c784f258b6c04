package import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// Lets one thread sleep until a moment, or until another one wakes it.
@safe
package final class Alarm: @unchecked Sendable {
    // The system's locks must not move, hence the pointers.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let rung = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // Both are touched only under the lock.
    private var hasRung = false
    private var isOver = false

    package init() {
        unsafe pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // One that is set does not change how long a thread sleeps.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(rung, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(rung)
        unsafe pthread_mutex_destroy(lock)
        unsafe rung.deallocate()
        unsafe lock.deallocate()
    }

    /// Ends the sleep, or the next one.
    package func ring() { change { hasRung = true } }

    /// Ends this sleep and all to come.
    package func end() { change { isOver = true } }

    private func change(_ body: () -> Void) {
        unsafe pthread_mutex_lock(lock)
        body()
        unsafe pthread_cond_signal(rung)
        unsafe pthread_mutex_unlock(lock)
    }

    /// True if there is nothing left to wake up for.
    package var hasEnded: Bool {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return isOver
    }

    /// Sleeps until the alarm rings, or a moment has come.
    /// - Returns: True when the time has come; false when there is nothing left to wake up for.
    package func sleep(until moment: Instant) -> Bool {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while !hasRung && !isOver {
            let now = MachineClock.now
            guard now < moment else { break }
            // The condition's clock stands still while the machine sleeps.
            let wait = min(
                moment.nanoseconds(since: now), Limits.clockLook.wholeNanoseconds)
            let look = MachineClock.waiting.advanced(byNanoseconds: wait)
            let (seconds, rest) = look.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
            unsafe pthread_cond_timedwait(rung, lock, &time)
        }
        hasRung = false
        return !isOver
    }
}
