#if canImport(Glibc)
    import Glibc
#endif

/// Signals by which the system ends a process whose files have changed.
///
/// Only the program handles them; another program that uses the library decides about its signals
/// itself.
enum ProcessFaults {
    /// Leaves a crash to the system, which reveals nothing of the memory.
    ///
    /// If swift-backtrace is installed, Swift's runtime starts it, and it writes memory that the
    /// registers point to to standard error. The runtime has prepared for that before `main`.
    static func forbidBacktraces() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            var action = sigaction()
            guard unsafe sigaction(number, nil, &action) == 0,
                // An ignored signal stays ignored, such as SIGQUIT in a background job of the
                // shell.
                action.sa_flags & SA_SIGINFO != 0
            else { continue }
            var standard = sigaction()
            _ = unsafe sigaction(number, &standard, nil)
        }
    }

    /// Prepares the process for files that change under it.
    ///
    /// A write to a file that may not grow any more (`ulimit -f`) then fails as on a full disk, and
    /// a checkpoint that is cut short while it is mapped ends the process with a sentence.
    static func prepare() {
        _ = signal(SIGXFSZ, SIG_IGN)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_sigaction = { _, information, _ in
            ProcessFaults.mappedFileIsGone(code: unsafe information?.pointee.si_code ?? 0)
        }
        action.sa_flags = SA_SIGINFO | Int32(bitPattern: UInt32(SA_RESETHAND))
        _ = unsafe sigaction(SIGBUS, &action, nil)
    }

    /// `BUS_ADRERR`: a page has nothing behind it.
    private static let noSuchAddress: Int32 = 2

    /// Ends the process at once, as a kill would: the marks of sent rows are gone, so nothing more
    /// may be sent.
    ///
    /// It calls only functions that a signal's handler may call. A fault with another cause comes
    /// again, and ends the process as it would have without us.
    private static func mappedFileIsGone(code: Int32) {
        guard code == noSuchAddress else { return }
        let text: StaticString = """
            fanfare: the job's checkpoint was cut short while the job ran, or its disk has failed; what was \
            in flight is not known any more

            """
        _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        _exit(4)
    }
}
