/// The progress of a job or of a client, every so often; see ``PushJob/progress(every:)``.
///
/// Each iterator has its own beat. The first snapshot comes at once. After a job has ended, its last
/// snapshot comes, and then the end.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// A moment of the job.
    public typealias Element = ProgressSnapshot
    /// Nothing fails.
    public typealias Failure = Never

    let interval: Duration
    /// Returns the present moment, and whether it is the last one; `nil` if there is nothing to look at
    /// any more.
    let look: @Sendable () -> (snapshot: ProgressSnapshot, isLast: Bool)?

    /// Returns an iterator, whose first snapshot comes at once.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    /// Takes snapshots, for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let updates: ProgressUpdates
        private var due: ContinuousClock.Instant?
        private var isOver = false

        init(updates: ProgressUpdates) { self.updates = updates }

        /// The next snapshot; `nil` after the last one, and when the task is canceled.
        public mutating func next() async -> ProgressSnapshot? {
            await next(isolation: nil)
        }

        /// The next snapshot, without leaving an actor.
        /// - Parameter actor: The actor that asks.
        /// - Returns: The snapshot; `nil` after the last one, and when the task is canceled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ProgressSnapshot? {
            guard !isOver else { return nil }
            if let due {
                do {
                    try await Task.sleep(until: due, clock: .continuous)
                } catch {
                    isOver = true
                    return nil
                }
            }
            // A consumer that was late gets the next one after a whole interval, not a burst of them.
            due = .now + updates.interval
            guard let (snapshot, isLast) = updates.look() else {
                isOver = true
                return nil
            }
            isOver = isLast
            return snapshot
        }
    }
}

extension PushJob {
    /// The progress of the job every so often, with the latencies of its answers.
    ///
    /// ```swift
    /// for await progress in job.progress(every: .seconds(1)) {
    ///     let p99 = progress.latencies.percentile(99) ?? .zero
    ///     print(progress.finished, "rows,", progress.inFlight, "in flight, p99", p99)
    /// }
    /// ```
    ///
    /// The sequence does not start the job. It ends with the last snapshot, at most one interval
    /// after the job, and when its task is canceled.
    /// - Parameter interval: The time between two snapshots.
    /// - Returns: The snapshots.
    public func progress(every interval: Duration) -> ProgressUpdates {
        followProgress()
        return ProgressUpdates(interval: interval) { [self] in
            // Asked first: a job that ends in between has one snapshot more, and not one less.
            let isOver = isOver
            return (snapshot: progress, isLast: isOver)
        }
    }
}

extension PushClient {
    /// The progress of the client every so often, with the latencies of its answers; see
    /// ``progress``.
    ///
    /// The sequence ends with the last snapshot, at most one interval after a client that was shut down
    /// or aborted has all its answers, and when its task is canceled. It does not keep the client: when
    /// the client is gone, it ends without a last snapshot.
    /// - Parameter interval: The time between two snapshots.
    /// - Returns: The snapshots.
    public func progress(every interval: Duration) -> ProgressUpdates {
        ProgressUpdates(interval: interval) { [weak self] in
            guard let self else { return nil }
            let isOver = self.isOver
            return (snapshot: self.progress, isLast: isOver)
        }
    }
}
