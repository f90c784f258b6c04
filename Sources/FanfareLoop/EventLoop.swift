internal import CUV
package import FanfareBase
package import FanfareSystem
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// One libuv loop: timers, sockets and wake-ups of one thread.
///
/// Use it only on its loop's thread: the one that calls `run`, or any one thread while it is not
/// running. Every handle keeps its loop; when the last one has gone, `deinit` lets libuv finish the
/// handles that are being closed, which may wait for a name lookup that has begun.
@safe
package final class EventLoop {
    let loop: UnsafeMutablePointer<uv_loop_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private let clock: @Sendable () -> Instant
    private var isRunning = false

    /// The memory into which every connection of this loop reads.
    ///
    /// One is enough, since libuv calls back before it reads again.
    let readBuffer: UnsafeMutableRawBufferPointer

    /// A function that is called after the callbacks of an iteration, so that their work is done in
    /// one batch.
    ///
    /// It is called after the I/O callbacks and once more before the loop may sleep, because
    /// timers and `tcpClosed` come outside the I/O phase. So it must be cheap when there is nothing
    /// to do. Not called when nothing keeps the loop alive.
    package var onIteration: (() -> Void)?
    /// True if `onIteration` is called after the I/O callbacks, so that everything that had arrived
    /// was read.
    package private(set) var isBehindPoll = false

    /// The addresses of this machine; tests say others.
    package var ownAddresses = OwnAddresses()

    /// Makes a loop.
    /// - Parameter clock: The clock of the loop; tests pass another one.
    /// - Throws: `SystemError.Kind.tooManyOpenFiles` if its four descriptors cannot be had.
    package init(clock: @escaping @Sendable () -> Instant = { MachineClock.now })
        throws(SystemError)
    {
        ProcessSignal.blockBrokenPipe()
        // First of all: `deinit` also runs behind an error, once all that is stored has a value.
        unsafe loop = try Self.makeLoop()
        self.clock = clock
        unsafe prepare = allocateZeroed(uv_prepare_t.self)
        unsafe check = allocateZeroed(uv_check_t.self)
        unsafe readBuffer = .allocate(byteCount: Limits.readBufferBytes, alignment: 64)
        startHooks()
    }

    private static func makeLoop() throws(SystemError) -> UnsafeMutablePointer<uv_loop_t> {
        try checkRoom()
        let loop = unsafe allocateZeroed(uv_loop_t.self)
        let status = unsafe uv_loop_init(loop)
        guard status == 0 else {
            unsafe loop.deallocate()
            throw SystemError(status, operation)
        }
        hasMadeLoop.store(true, ordering: .relaxed)
        return unsafe loop
    }

    private static let operation = "create an event loop"
    private static let hasMadeLoop = Atomic(false)

    /// Looks whether the first loop of the process can have its descriptors, and the two besides that
    /// libuv needs for signals: without those it would end the process.
    private static func checkRoom() throws(SystemError) {
        guard !hasMadeLoop.load(ordering: .relaxed) else { return }
        var taken: [Int32] = []
        defer { for number in taken { _ = Glibc.close(number) } }
        for _ in 0..<6 {
            let number = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
            guard number >= 0 else {
                let reason = errno
                // Other faults of that file do not matter to a loop.
                guard reason == EMFILE || reason == ENFILE else { return }
                throw SystemError(uv_translate_sys_error(reason), operation)
            }
            taken.append(number)
        }
    }

    deinit {
        precondition(!isRunning, "BUG: an event loop was dropped while it runs")
        onIteration = nil
        unsafe closeAndFree(prepare)
        unsafe closeAndFree(check)
        // Wakers are the only handles that do not keep their loop.
        unsafe uv_walk(loop, { handle, _ in unsafe LoopWaker.closeAbandoned(handle) }, nil)
        unsafe uv_run(loop, UV_RUN_DEFAULT)
        let status = unsafe uv_loop_close(loop)
        precondition(status == 0, "BUG: a handle has outlived its event loop")
        unsafe loop.deallocate()
        unsafe readBuffer.deallocate()
    }

    /// Runs until nothing keeps the loop alive, or `stop` is called.
    package func run() {
        precondition(!isRunning, "BUG: an event loop was run from one of its own callbacks")
        isRunning = true
        unsafe uv_run(loop, UV_RUN_DEFAULT)
        isRunning = false
    }

    /// Makes `run` return after this iteration.
    ///
    /// Nothing is closed; `run` may be called again.
    package func stop() {
        unsafe uv_stop(loop)
    }

    /// This moment, read from the clock; take it once per wake-up.
    ///
    /// The clock is the same on all loops and threads.
    package var now: Instant { clock() }

    private func startHooks() {
        // The hooks do not keep the loop, or it would never go; `deinit` closes them.
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe uv_prepare_init(loop, prepare)
        unsafe prepare.pointee.data = data
        unsafe uv_prepare_start(prepare) { handle in
            unsafe owner(EventLoop.self, behind: handle?.pointee.data)?.onIteration?()
        }
        unsafe uv_unref(prepare.asHandle)
        unsafe uv_check_init(loop, check)
        unsafe check.pointee.data = data
        unsafe uv_check_start(check) { handle in
            guard let loop = unsafe owner(EventLoop.self, behind: handle?.pointee.data) else {
                return
            }
            loop.isBehindPoll = true
            loop.onIteration?()
            loop.isBehindPoll = false
        }
        unsafe uv_unref(check.asHandle)
    }
}
