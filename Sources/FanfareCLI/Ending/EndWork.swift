import FanfareBase
import FanfareLoop
import FanfareSystem

/// Work behind the end of a job, on a thread of its own, while this one hears signals and the clock.
enum EndWork {
    /// The news for the one who has begun the work.
    enum News {
        /// SIGINT, SIGTERM or SIGHUP: the user, or the system, wants the process to end.
        case signal
        /// One of the times has passed; its index.
        case late(Int)
    }

    /// Runs work to its end.
    /// - Parameters:
    ///   - name: The name of its thread.
    ///   - times: Times from now on, rising, at which the work should have ended.
    ///   - work: The work.
    ///   - hear: Called on this thread with news.
    /// - Throws: `SystemError` if the system has no room; the work has not begun then.
    static func run(
        _ name: String, times: [Duration] = [], _ work: @escaping @Sendable () -> Void,
        hear: @escaping (News) -> Void
    ) throws(SystemError) {
        let loop = try EventLoop()
        let done = try LoopWaker(loop: loop) { [unowned loop] in loop.stop() }
        let signals = try JobRunner.watched.map { signal throws(SystemError) in
            try SignalWatcher(loop: loop, signal: signal) { hear(.signal) }
        }
        let begin = MachineClock.now
        let timer = LoopTimer(loop: loop)
        var index = 0
        timer.onFire = { [unowned timer] in
            hear(.late(index))
            index += 1
            if index < times.count { timer.schedule(at: begin.advanced(by: times[index])) }
        }
        if let first = times.first { timer.schedule(at: begin.advanced(by: first)) }
        let thread = try WorkerThread(name: name) {
            work()
            done.wake()
        }
        loop.run()
        thread.join()
        timer.cancel()
        signals.forEach { $0.close() }
        done.close()
    }
}
