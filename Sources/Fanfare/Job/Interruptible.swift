import FanfareBase
package import FanfareCore

/// A run that can be ended before its rows are.
package protocol Interruptible: Sendable {
    /// Has it end early.
    ///
    /// Safe from any thread. The first call starts nothing new and waits for what is in flight; the second one
    /// does not wait, and a job reports what is in flight as `unknown`.
    /// - Parameter reason: What the run says of it.
    func interrupt(_ reason: JobStop)
}

extension Interruptible {
    /// Has it end early for SIGINT.
    package func interrupt() { interrupt(JobStop(.interrupted, "interrupted")) }

    /// The same for SIGTERM, which only the exit code tells apart.
    package func terminate() { interrupt(JobStop(.terminated, "terminated")) }

    /// The same for SIGHUP: the terminal has gone.
    package func hangUp() {
        interrupt(JobStop(.hungUp, "the terminal was closed (SIGHUP)"))
    }
}
