import FanfareBase
import FanfareLoop
import FanfareSystem

/// Work that is done again and again on a loop, until it is dropped or canceled.
///
/// The first time is one interval away, and the next one is counted from the end of the work.
final class Recurrence {
    private let timer: LoopTimer
    private var isCanceled = false

    /// Begins to wait for the first time.
    /// - Parameters:
    ///   - interval: The time between two times.
    ///   - loop: The loop on whose thread it is done.
    ///   - work: The work.
    init(every interval: Duration, on loop: EventLoop, _ work: @escaping () -> Void) {
        timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned self] in
            work()
            if !isCanceled { timer.schedule(at: MachineClock.now.advanced(by: interval)) }
        }
        timer.schedule(at: MachineClock.now.advanced(by: interval))
    }

    /// Ends it; also from within the work.
    func cancel() {
        isCanceled = true
        timer.cancel()
    }
}
