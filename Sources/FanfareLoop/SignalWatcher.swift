internal import CUV
package import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A watcher that calls back on the loop when the process gets a signal.
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
    ///   - keepsLoopAlive: True if `EventLoop.run` waits for a signal that may come.
    ///   - onSignal: Called once or more; signals in a quick row may become one call.
    /// - Throws: `SystemError.Kind.tooManyOpenFiles`
    package init(
        loop: EventLoop, signal: ProcessSignal, keepsLoopAlive: Bool = false,
        onSignal: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onSignal = onSignal
        let handle = unsafe allocateZeroed(uv_signal_t.self)
        unsafe self.handle = nil
        let initStatus = unsafe uv_signal_init(loop.loop, handle)
        guard initStatus == 0 else {
            unsafe handle.deallocate()
            throw SystemError(initStatus, "watch a signal")
        }
        unsafe self.handle = handle
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let status = unsafe uv_signal_start(
            handle,
            { handle, _ in
                unsafe owner(SignalWatcher.self, behind: handle?.pointee.data)?.onSignal()
            },
            signal.number)
        guard status == 0 else { throw SystemError(status, "watch a signal") }
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
