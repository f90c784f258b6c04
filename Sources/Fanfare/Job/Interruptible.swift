import FanfareBase
package import FanfareCore

/// A run that can be ended before its rows are.
package protocol Interruptible: Sendable {
    /// Ends the run early.
    ///
    /// Safe from any thread. After the first call the run starts nothing new and waits for the
    /// answers in flight; after the second it does not wait, and a job reports requests in flight
    /// as `unknown`.
    /// - Parameter reason: The reason that the run reports.
    func interrupt(_ reason: JobStop)
}

extension Interruptible {
    /// Ends the run early for SIGINT.
    package func interrupt() { interrupt(JobStop(.interrupted, "interrupted")) }

    /// The same for SIGTERM, which only the exit code tells apart.
    package func terminate() { interrupt(JobStop(.terminated, "terminated")) }

    /// The same for SIGHUP: the terminal has gone.
    package func hangUp() {
        interrupt(JobStop(.hungUp, "the terminal was closed (SIGHUP)"))
    }
}
