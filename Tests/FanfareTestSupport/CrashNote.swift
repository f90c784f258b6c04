import Glibc

/// Says which seed it was when the process dies or hangs in the middle of one.
package enum CrashNote {
    // Read by the signal handler; written by the one test that runs seeds.
    nonisolated(unsafe) private static var text: [UInt8] = []

    /// Longer than any seed takes, even in a debug build under a sanitizer.
    private static let secondsMax: UInt32 = 120

    private static let signals = [SIGTRAP, SIGILL, SIGSEGV, SIGABRT, SIGALRM]
    nonisolated(unsafe) private static var before: [Int32: sigaction] = [:]

    package static func begin(_ seed: UInt64) {
        text = Array("\nsimulation: died or hung in seed \(seed)\n".utf8)
        alarm(secondsMax)
    }

    package static func install() {
        for signal in signals {
            var action = sigaction()
            var old = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                _ = write(2, CrashNote.text, CrashNote.text.count)
                // The handlers that were there before get the same fault when it is met again.
                CrashNote.remove()
                if signal == SIGALRM { abort() }
            }
            sigaction(signal, &action, &old)
            before[signal] = old
        }
    }

    package static func remove() {
        alarm(0)
        for (signal, var old) in before { sigaction(signal, &old, nil) }
        before = [:]
    }
}
