internal import CSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A thread of the system that runs one function, and is joined or detached.
///
/// A write to a closed pipe or socket fails on it, also where the process does not ignore SIGPIPE.
package final class WorkerThread {
    private let thread: pthread_t
    private var isJoined = false

    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts the thread.
    /// - Parameters:
    ///   - name: The name that debuggers and `top -H` show; the system keeps 15 bytes.
    ///   - stackBytes: The size of its stack; the system's, mostly 8 MiB, if none.
    ///   - body: The code that the thread runs.
    /// - Throws: `SystemError` if the system has no room for another thread.
    package init(
        name: String, stackBytes: Int? = nil, body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackBytes { unsafe pthread_attr_setstacksize(&attributes, stackBytes) }
        let retained = unsafe Unmanaged.passRetained(Body(name, body))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                unsafe system_name_thread(
                    String(decoding: body.name.utf8.prefix(15), as: UTF8.self))
                ProcessSignal.blockBrokenPipe()
                body.run()
                return nil
            }, retained.toOpaque())
        guard status == 0 else {
            unsafe retained.release()
            throw SystemError(errno: status, "start the thread \(name)")
        }
        self.thread = thread
    }

    deinit {
        precondition(isJoined, "BUG: a thread was dropped, neither joined nor detached")
    }

    /// Lets the thread end by itself: no thread waits for it.
    package func detach() {
        guard !isJoined else { return }
        isJoined = true
        let status = pthread_detach(thread)
        precondition(status == 0, "BUG: a thread cannot be detached")
    }

    /// Waits until the thread has ended.
    ///
    /// Calling it more than once is fine.
    package func join() {
        guard !isJoined else { return }
        isJoined = true
        let status = pthread_join(thread, nil)
        precondition(status == 0, "BUG: a thread joins itself")
    }
}
