internal import CUV
package import FanfareSystem

/// A watcher that calls back on the loop whenever a descriptor has bytes to read, or has come to
/// its end.
///
/// Dropping it ends that, and has to happen before the descriptor is closed. Does not keep the loop
/// running.
///
/// Use only on its loop's thread.
@safe
package final class ReadinessWatcher {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private let onReadable: () -> Void

    /// Starts to watch.
    /// - Parameters:
    ///   - loop: The loop on which `onReadable` is called.
    ///   - descriptor: The descriptor to watch; it does not block from now on.
    ///   - onReadable: Called again and again until everything was read. It may drop the watcher.
    /// - Throws: `SystemError` for a descriptor that cannot be watched, such as a regular file.
    package init(
        loop: EventLoop, descriptor: borrowing FileDescriptor, onReadable: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onReadable = onReadable
        let handle = unsafe allocateZeroed(uv_poll_t.self)
        let status = unsafe uv_poll_init(loop.loop, handle, descriptor.number)
        guard status == 0 else {
            unsafe handle.deallocate()
            unsafe self.handle = nil
            throw SystemError(status, "watch \(descriptor.path)")
        }
        unsafe self.handle = handle
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        // A fault of the descriptor counts as readable: reading tells what it is.
        let started = unsafe uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            unsafe owner(ReadinessWatcher.self, behind: handle?.pointee.data)?.onReadable()
        }
        guard started == 0 else { throw SystemError(started, "watch \(descriptor.path)") }
        unsafe uv_unref(handle.asHandle)
    }

    deinit {
        close()
    }

    /// Ends the watching.
    ///
    /// Calling it more than once is fine.
    package func close() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        unsafe closeAndFree(handle)
    }
}
