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

    /// The system's number of it.
    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        case .user1: SIGUSR1
        }
    }

    /// True if the process ignores it, as nohup(1) has its program do with `hangUp`.
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
