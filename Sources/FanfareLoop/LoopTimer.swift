internal import CUV
package import FanfareBase
import FanfareSystem

/// A timer that fires once and is armed again and again.
///
/// Dropping it cancels it.
///
/// Use only on its loop's thread.
@safe
package final class LoopTimer {
    private let loop: EventLoop
    private let timer: UnsafeMutablePointer<uv_timer_t>
    private var moment = Instant.distantFuture

    /// A function that is called when the time has come.
    ///
    /// It may schedule the timer again, or drop it.
    package var onFire: (() -> Void)?

    /// Makes a timer that is not armed.
    package init(loop: EventLoop, onFire: (() -> Void)? = nil) {
        self.loop = loop
        self.onFire = onFire
        unsafe timer = allocateZeroed(uv_timer_t.self)
        unsafe uv_timer_init(loop.loop, timer)
        unsafe timer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe closeAndFree(timer)
    }

    /// Arms the timer, in place of an earlier time.
    ///
    /// It never fires early; it is late by the rounding of libuv (1 ms), by the work of the loop,
    /// and by up to `Limits.clockLook` when the machine has slept. A moment that has passed fires
    /// in the next iteration; `distantFuture` is `cancel`.
    package func schedule(at moment: Instant) {
        guard moment < .distantFuture else { return cancel() }
        self.moment = moment
        let delay = delayMilliseconds(to: moment)
        let status = unsafe uv_timer_start(
            timer, { unsafe owner(LoopTimer.self, behind: $0?.pointee.data)?.look() }, delay, 0)
        precondition(status == 0, "BUG: a closed timer was scheduled")
    }

    /// Returns the time for which libuv has to wait now.
    private func delayMilliseconds(to moment: Instant) -> UInt64 {
        // libuv's clock stands still while the machine sleeps, so a long wait is cut into short ones.
        let look = Limits.clockLook.wholeNanoseconds
        let now = loop.now
        let range = now.advanced(byNanoseconds: -look)...now.advanced(byNanoseconds: look)
        let wait = min(max(moment, range.lowerBound), range.upperBound).nanoseconds(since: now)
        // It counts whole milliseconds, cut off, and adds the delay to the time it has cached. Rounding
        // the absolute moment up makes both roundings go the late way.
        let moment = MachineClock.waiting.advanced(byNanoseconds: wait)
        let (milliseconds, rest) = max(moment.nanoseconds, 0)
            .quotientAndRemainder(dividingBy: 1_000_000)
        let due = UInt64(milliseconds + (rest > 0 ? 1 : 0))
        let cached = unsafe uv_now(loop.loop)
        return due > cached ? due - cached : 0
    }

    private func look() {
        if loop.now < moment { schedule(at: moment) } else { onFire?() }
    }

    /// Takes the time back.
    ///
    /// An idle timer does not keep the loop alive.
    package func cancel() {
        unsafe uv_timer_stop(timer)
    }

    package var isScheduled: Bool { unsafe uv_is_active(timer.asHandle) != 0 }
}
