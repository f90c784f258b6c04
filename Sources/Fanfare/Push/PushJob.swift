import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// A job: sends a notification for each row, and has one outcome for each.
///
/// ```swift
/// let job = PushJob(configuration, rows: rows)
/// for try await outcome in job.outcomes where outcome.kind == .unregistered {
///     try await database.forget(outcome.token)
/// }
/// let result = try await job.result
/// ```
///
/// A job runs once: it starts with the first outcome that is asked for, or with ``run()``. Everything
/// that may block happens on threads of its own. Jobs know nothing of each other, and nothing here
/// touches what a process has once: signals, the environment, standard error.
///
/// All members may be used from anywhere, before the job starts and when it is over.
public final class PushJob: Sendable {
    private enum Phase {
        case waiting
        /// Files are opened, and the first rows are read.
        case opening
        case running(Job)
        case over(Result<JobResult, FanfareError>, ProgressSnapshot)
    }

    private struct State {
        var phase = Phase.waiting
        /// What was ordered before the job could be told.
        var isStopped = false
        var isAborted = false
        var isPaused = false
        /// The tasks that wait for the end.
        var waiters: [CheckedContinuation<Void, Never>] = []

        var runningJob: Job? {
            if case .running(let job) = phase { job } else { nil }
        }
    }

    private let configuration: Configuration
    private let state = Mutex(State())

    /// A job over the inputs that its configuration names.
    ///
    /// Nothing is opened or checked until it starts.
    /// - Parameter configuration: What to do.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// A job over rows of an asynchronous sequence, behind the configuration's own inputs if it has any.
    ///
    /// The sequence is iterated in a task of its own, only so far ahead of the sending that there is
    /// always something to send. An error of it ends the job with ``FanfareError/Code/input`` after the
    /// rows before it were sent. To carry an unfinished job on, give a sequence with the same rows in
    /// the same order from the first row on.
    /// - Parameters:
    ///   - configuration: What to do. How text is read (``Configuration/rows``) does not matter to the
    ///     rows of a sequence.
    ///   - rows: The rows.
    public convenience init<Rows: AsyncSequence & Sendable>(
        _ configuration: Configuration, rows: Rows
    ) where Rows.Element == PushRow {
        var configuration = configuration
        configuration.inputs.append(.sequence(RowSequence(rows)))
        self.init(configuration)
    }

    /// A job over the rows of a sequence, such as an array, behind the configuration's own inputs.
    /// - Parameters:
    ///   - configuration: What to do.
    ///   - rows: The rows; to carry an unfinished job on, the same ones from the first on.
    public convenience init<Rows: Sequence & Sendable>(
        _ configuration: Configuration, rows: Rows
    ) where Rows.Element == PushRow {
        var configuration = configuration
        configuration.inputs.append(.sequence(RowSequence(rows)))
        self.init(configuration)
    }

    // MARK: Running

    /// The outcomes of all rows, in the order in which they become known.
    ///
    /// To iterate starts the job. Who is slow to take outcomes slows the job: it sends no more than a
    /// few thousand rows ahead, and no outcome is lost. What is taken is in the report already, if there
    /// is one.
    ///
    /// If the task is canceled, or with ``stop()``, nothing new is sent; the loop goes on until what is
    /// in flight has its outcome, and ends. To leave the loop stops the job, too, but then the
    /// program does not hear of what was in flight; with a report file nothing is lost all the
    /// same.
    ///
    /// The loop throws ``FanfareError`` when the job could not start, when something stopped it
    /// that the program has not asked for (after the outcomes until then), and when it is not the
    /// first one.
    public var outcomes: PushOutcomes { PushOutcomes(job: self) }

    /// Runs the job without handing over outcomes; they are in the report, and their counts in the
    /// result.
    ///
    /// If the task is canceled, nothing new is sent, and the result comes when what was in flight has
    /// its outcome.
    /// - Returns: How it went, also if it was stopped on its way: see ``JobResult/failure``.
    /// - Throws: ``FanfareError`` when it cannot start, or was started before.
    @discardableResult
    public func run() async throws(FanfareError) -> JobResult {
        try start(nil)
        await withTaskCancellationHandler {
            await waitForEnd()
        } onCancel: {
            stop()
        }
        return try finished()
    }

    /// How the job went.
    ///
    /// Waits for the end of the job, and for its start, too: it does not start it, and does not stop
    /// it if the waiting task is canceled.
    /// - Throws: ``FanfareError`` when the job could not start.
    public var result: JobResult {
        get async throws(FanfareError) {
            await waitForEnd()
            return try finished()
        }
    }

    /// How far the job is at this moment.
    public var progress: ProgressSnapshot {
        let (job, last) = state.withLock { state -> (Job?, ProgressSnapshot) in
            switch state.phase {
            case .waiting, .opening: (nil, ProgressSnapshot())
            case .running(let job): (job, ProgressSnapshot())
            case .over(_, let last): (nil, last)
            }
        }
        return job?.progress ?? last
    }

    // MARK: Steering

    /// Has the job end early: nothing new starts, and what is in flight is answered.
    ///
    /// With a report file the job can be carried on then (``ReportOptions/resumes``). More than once is
    /// fine.
    public func stop() {
        let (job, isOpening) = state.withLock { state -> (Job?, Bool) in
            state.isStopped = true
            switch state.phase {
            case .waiting, .over: return (nil, false)
            case .opening: return (nil, true)
            case .running(let job): return (job, false)
            }
        }
        // It may wait for rows that never come.
        if isOpening { closeSequences() }
        job?.stop()
    }

    /// Has the job end at once: what is in flight has the outcome ``PushOutcome/Kind/unknown``.
    public func abort() {
        stop()
        let job = state.withLock { state in
            state.isAborted = true
            return state.runningJob
        }
        job?.abort()
    }

    /// Starts nothing new until ``resume()``.
    ///
    /// What is in flight is answered, and all clocks go on: a job that is paused at its
    /// ``EngineOptions/untilMilliseconds`` ends there.
    public func pause() { setPaused(true) }

    /// Goes on after ``pause()``.
    public func resume() { setPaused(false) }

    /// Gives the running job another rate, or none, from now on.
    /// - Parameter rate: Attempts started in a time; `nil` for as many as possible.
    /// - Throws: ``FanfareError`` with code ``FanfareError/Code/configuration`` when it is no rate, when
    ///   the job does not run, or when it has no rate and was not made to get one
    ///   (``EngineOptions/rateMayChange``).
    public func setRate(_ rate: SendingRate?) throws(FanfareError) {
        guard let job = state.withLock({ $0.runningJob }) else {
            throw FanfareError(.configuration, "the rate can be changed while the job runs")
        }
        try job.setRate(rate)
    }

    private func setPaused(_ isPaused: Bool) {
        let job = state.withLock { state in
            state.isPaused = isPaused
            return state.runningJob
        }
        if isPaused { job?.pause() } else { job?.resume() }
    }

    // MARK: The thread

    /// Starts the job on a thread of its own.
    /// - Parameter feed: Where its outcomes go; `nil` for nowhere.
    /// - Throws: `FanfareError` when it was started before, or there is no room for a thread.
    func start(_ feed: OutcomeFeed?) throws(FanfareError) {
        let isFirst = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .opening
            return true
        }
        guard isFirst else {
            throw FanfareError(
                .configuration,
                "a job runs once, and its outcomes can be iterated once: make another PushJob")
        }
        do throws(SystemError) {
            // No thread joins it: `finish` reports the end.
            try WorkerThread(name: "push job") { [self] in work(feed) }.detach()
        } catch {
            finish(.failure(error.jobError), ProgressSnapshot())
            throw error.jobError
        }
    }

    private func work(_ feed: OutcomeFeed?) {
        var last = ProgressSnapshot()
        do throws(FanfareError) {
            let job = try open(feed)
            let result = try job.run()
            last = job.progress
            finish(.success(result), last)
        } catch {
            finish(.failure(error), last)
        }
        feed?.finish()
    }

    private func open(_ feed: OutcomeFeed?) throws(FanfareError) -> Job {
        guard !configuration.inputs.isEmpty else {
            throw FanfareError(
                .configuration,
                "the job has no rows: its configuration names no inputs, and no sequence was given")
        }
        let job: Job
        do throws(FanfareError) {
            job = try Job(configuration, outcomes: feed)
        } catch {
            guard state.withLock({ $0.isStopped }) else { throw error }
            // Rows that were cut short may look like anything.
            throw FanfareError(.stopped, "the job was stopped before it had begun")
        }
        let orders = state.withLock { state in
            state.phase = .running(job)
            return (state.isStopped, state.isAborted, state.isPaused)
        }
        if orders.0 { job.stop() }
        if orders.1 { job.abort() }
        if orders.2 { job.pause() }
        return job
    }

    private func finish(_ result: Result<JobResult, FanfareError>, _ last: ProgressSnapshot) {
        let waiters = state.withLock { state in
            state.phase = .over(result, last)
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        closeSequences()
        for waiter in waiters { waiter.resume() }
    }

    private func closeSequences() {
        for case .sequence(let sequence) in configuration.inputs { sequence.feed.close() }
    }

    // MARK: The end

    private func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if case .over = state.phase { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func finished() throws(FanfareError) -> JobResult {
        let result = state.withLock { state -> Result<JobResult, FanfareError>? in
            if case .over(let result, _) = state.phase { result } else { nil }
        }
        guard let result else { preconditionFailure("BUG: a job was waited for and is not over") }
        return try result.get()
    }
}
