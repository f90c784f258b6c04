import FanfareCore

/// The outcomes of a job, in the order in which they become known; see ``PushJob/outcomes``.
///
/// It can be iterated once.
public struct PushOutcomes: AsyncSequence, Sendable {
    /// One row's outcome.
    public typealias Element = PushOutcome
    /// The error that ends a job early, always a ``FanfareError``.
    ///
    /// The type does not say so: Swift 6.3 fails to compile a loop over a sequence with an error of
    /// its own inside of a `do` whose `catch` has a condition.
    public typealias Failure = any Error

    let job: PushJob

    /// Returns an iterator; the job starts when the program takes the first outcome from it.
    public func makeAsyncIterator() -> Iterator {
        Iterator(delivery: OutcomeDelivery(job))
    }

    /// Takes the outcomes of a job, for one task at a time.
    ///
    /// Dropping it stops the job.
    public struct Iterator: AsyncIteratorProtocol {
        let delivery: OutcomeDelivery

        /// The next outcome; `nil` when the job is over.
        /// - Throws: ``FanfareError`` when the job could not start, or had to stop.
        public mutating func next() async throws -> PushOutcome? {
            try await next(isolation: nil)
        }

        /// The next outcome, without leaving an actor.
        /// - Parameter actor: The actor that asks.
        /// - Returns: The outcome; `nil` when the job is over.
        /// - Throws: ``FanfareError`` when the job could not start, or had to stop.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> PushOutcome? {
            try await delivery.next(isolation: actor)
        }
    }
}

/// The outcomes that an iterator has ready.
///
/// It is a class, because it has to notice that no iterator holds it any more.
final class OutcomeDelivery {
    private enum Progress {
        case notStarted
        case running
        case over
    }

    private let job: PushJob
    private let feed = OutcomeFeed()
    private var progress = Progress.notStarted
    private var outcomes: [PushOutcome] = []
    private var index = 0
    private var hasAskedToStop = false

    init(_ job: PushJob) {
        self.job = job
    }

    deinit {
        guard case .running = progress else { return }
        feed.abandon()
        job.stop()
    }

    func next(isolation actor: isolated (any Actor)?) async throws(FanfareError) -> PushOutcome? {
        if case .notStarted = progress {
            try job.start(feed)
            progress = .running
        }
        if Task.isCancelled && !hasAskedToStop {
            hasAskedToStop = true
            job.stop()
        }
        while true {
            if index < outcomes.count {
                index += 1
                return outcomes[index - 1]
            }
            guard case .running = progress else { return nil }
            let block = await withTaskCancellationHandler {
                await feed.next()
            } onCancel: { [job] in
                job.stop()
            }
            guard let block else {
                progress = .over
                outcomes.removeAll()
                index = 0
                if let failure = try await job.result.failure { throw failure }
                return nil
            }
            let carriedNames = feed.carriedNames
            outcomes = block.all.map { PushOutcome($0, carriedNames) }
            index = 0
        }
    }
}

extension OutcomeFeed {
    /// A feed whose outcomes are taken as they come.
    /// - Parameter take: Called with each outcome, on the writer's thread, which waits for it.
    package convenience init(_ take: @escaping @Sendable (PushOutcome) -> Void) {
        self.init { block, carriedNames in
            for outcome in block.all { take(PushOutcome(outcome, carriedNames)) }
        }
    }
}
