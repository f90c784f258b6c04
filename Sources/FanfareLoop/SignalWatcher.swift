internal import CUV

#if canImport(Glibc)
    internal import Glibc
#endif

/// The signals that may be watched.
package enum ProcessSignal: Sendable {
    /// Ctrl-C.
    case interrupt
    /// A polite request to end.
    case terminate
    /// The terminal has gone.
    case hangUp
    /// Free for the program's own use.
    case user1

    fileprivate var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        case .user1: SIGUSR1
        }
    }

    /// Whether the process ignores it, as nohup(1) has its program do with `hangUp`.
    package var isIgnored: Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // SIG_IGN is the function at this address, so that functions need not be compared.
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Lets this thread's writes to a closed pipe or socket fail instead of ending the process.
    ///
    /// libuv writes without `MSG_NOSIGNAL`, so every event loop and every `WorkerThread` sees to it;
    /// files that may be pipes want it too. What the process does with the signal is the program's
    /// business. A thread has it for good, and so have those that it starts.
    package static func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Calls back on the loop when the process gets a signal.
///
/// Dropping it ends that.
///
/// Use only on its loop's thread. While it lives, the signal has no other effect.
@safe
package final class SignalWatcher {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_signal_t>?
    private let onSignal: () -> Void

    /// Starts to watch.
    /// - Parameters:
    ///   - loop: The loop on which `onSignal` is called.
    ///   - signal: The signal to watch.
    ///   - keepsLoopAlive: Whether `EventLoop.run` waits for a signal that may come.
    ///   - onSignal: Called once or more; signals in a quick row may become one call.
    /// - Throws: `LoopError.Kind.tooManyOpenFiles`
    package init(
        loop: EventLoop, signal: ProcessSignal, keepsLoopAlive: Bool = false,
        onSignal: @escaping () -> Void
    ) throws(LoopError) {
        self.loop = loop
        self.onSignal = onSignal
        let handle = unsafe allocateZeroed(uv_signal_t.self)
        unsafe self.handle = nil
        let initStatus = unsafe uv_signal_init(loop.loop, handle)
        guard initStatus == 0 else {
            unsafe handle.deallocate()
            throw LoopError(initStatus, "watch a signal")
        }
        unsafe self.handle = unsafe handle
        unsafe handle.pointee.data = unsafe Unmanaged.passUnretained(self).toOpaque()
        let status = unsafe uv_signal_start(
            handle,
            { handle, _ in
                unsafe owner(SignalWatcher.self, behind: handle?.pointee.data)?.onSignal()
            },
            signal.number)
        guard status == 0 else { throw LoopError(status, "watch a signal") }
        if !keepsLoopAlive { unsafe uv_unref(handle.asHandle) }
    }

    deinit {
        close()
    }

    /// Ends the watching, and gives the signal its former effect if no other watcher has it.
    package func close() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        unsafe closeAndFree(handle)
    }
}
