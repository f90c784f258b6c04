internal import CUV
internal import FanfareBase
package import FanfareSystem
internal import Synchronization

/// A handle that wakes a loop from any thread.
///
/// Several wake-ups may become one call. The loop owns its wakers: one lives until `close`, or until
/// the loop goes, and dropping the object does nothing.
@safe
package final class LoopWaker: Sendable {
    /// libuv forbids `uv_async_send` once `uv_close` was called, and other threads cannot know.
    ///
    /// So the pointer is taken away under the lock that `wake` holds.
    private let handle: Mutex<SendableHandle>

    @safe
    private struct SendableHandle: @unchecked Sendable {
        var pointer: UnsafeMutablePointer<uv_async_t>?
    }

    /// The state of the callback, kept by libuv's handle and touched only on the loop's thread.
    private final class Target {
        let waker: LoopWaker
        var onWake: (() -> Void)?

        init(_ waker: LoopWaker, _ onWake: @escaping () -> Void) {
            self.waker = waker
            self.onWake = onWake
        }
    }

    /// Makes a waker.
    ///
    /// Call on the loop's thread.
    /// - Parameters:
    ///   - loop: The loop to wake.
    ///   - keepsLoopAlive: True if `EventLoop.run` waits for wake-ups that may come.
    ///   - onWake: Called on the loop's thread. Released by `close`.
    /// - Throws: `SystemError.Kind.tooManyOpenFiles`
    package init(
        loop: EventLoop, keepsLoopAlive: Bool = true, onWake: @escaping () -> Void
    ) throws(SystemError) {
        let async = unsafe allocateZeroed(uv_async_t.self)
        let status = unsafe uv_async_init(loop.loop, async) { handle in
            unsafe owner(Target.self, behind: handle?.pointee.data)?.onWake?()
        }
        guard status == 0 else {
            unsafe async.deallocate()
            throw SystemError(status, "create a waker")
        }
        handle = unsafe Mutex(SendableHandle(pointer: async))
        unsafe async.pointee.data = Unmanaged.passRetained(Target(self, onWake)).toOpaque()
        if !keepsLoopAlive { unsafe uv_unref(async.asHandle) }
    }

    /// Makes the loop call `onWake` soon.
    ///
    /// Call it from any thread; after `close` it does nothing.
    package func wake() {
        handle.withLock { handle in
            if let pointer = unsafe handle.pointer { unsafe uv_async_send(pointer) }
        }
    }

    /// Ends the waker; no `onWake` follows.
    ///
    /// Call on the loop's thread. More than once is fine.
    package func close() {
        let pointer = unsafe handle.withLock { handle in
            let taken = handle
            unsafe handle.pointer = nil
            return taken
        }.pointer
        guard let pointer = unsafe pointer else { return }
        let target = unsafe Unmanaged<Target>.fromOpaque(pointer.pointee.data)
        unsafe target.takeUnretainedValue().onWake = nil
        unsafe closeAndFree(pointer)
        unsafe target.release()
    }

    /// Closes the waker that a handle belongs to, if it is one and still open.
    static func closeAbandoned(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
        guard let handle = unsafe handle, unsafe handle.pointee.type == UV_ASYNC,
            unsafe uv_is_closing(handle) == 0
        else {
            return
        }
        unsafe owner(Target.self, behind: handle.pointee.data)?.waker.close()
    }
}
