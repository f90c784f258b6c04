import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// A job that sends a notification for each row, and has one outcome for each.
///
/// ```swift
/// let job = PushJob(configuration, rows: rows)
/// for try await outcome in job.outcomes where outcome.kind == .unregistered {
///     try await database.forget(outcome.token)
/// }
/// let result = try await job.result
/// ```
///
/// A job runs once: it starts when the program takes the first outcome, or calls ``run()``. All
/// work that may block happens on threads of its own. Jobs know nothing of each other, and nothing
/// here touches the resources that a process has once: signals, the environment, standard error.
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

    /// The orders from before the job could receive them.
    private struct Orders {
        var isStopped = false
        var isAborted = false
        var isPaused = false
        /// True if a caller follows the progress: its first look is for the latencies.
        var isWatched = false
    }

    private struct State {
        var phase = Phase.waiting
        var orders = Orders()
        /// The tasks that wait for the end.
        var waiters: [CheckedContinuation<Void, Never>] = []

        var runningJob: Job? {
            if case .running(let job) = phase { job } else { nil }
        }
    }

    private let configuration: Configuration
    private let onEvent: (@Sendable (JobEvent) -> Void)?
    private let state = Mutex(State())

    /// Creates a job over the inputs that its configuration names.
    ///
    /// The job opens and checks nothing until it starts.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - onEvent: Receives the events of the job's log at ``LogOptions/Level/info``, with a log file
    ///     or without one, on a thread of the job. While it takes long, later events may be
    ///     dropped; then an event says how many were. `nil` for none.
    public init(
        _ configuration: Configuration, onEvent: (@Sendable (JobEvent) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.onEvent = onEvent
    }

    /// Creates a job over rows of an asynchronous sequence, behind the configuration's own inputs
    /// if it has any.
    ///
    /// The job iterates over the sequence in a task of its own, only so far ahead of the sending
    /// that there is always something to send. If the sequence throws, the job sends the rows
    /// before and ends with ``FanfareError/Code/input``. To carry an unfinished job on, give a
    /// sequence with the same rows in the same order from the first row on.
    /// - Parameters:
    ///   - configuration: The settings of the job. Its settings for reading text
    ///     (``Configuration/rows``) do not affect the rows of a sequence.
    ///   - rows: The rows.
    ///   - onEvent: Receives the events of the job's log; `nil` for none.
    public convenience init<Rows: AsyncSequence & Sendable>(
        _ configuration: Configuration, rows: Rows,
        onEvent: (@Sendable (JobEvent) -> Void)? = nil
    ) where Rows.Element == PushRow {
        var configuration = configuration
        configuration.inputs.append(.sequence(RowSequence(rows)))
        self.init(configuration, onEvent: onEvent)
    }

    /// Creates a job over the rows of a sequence, such as an array, behind the configuration's own
    /// inputs.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - rows: The rows; to carry an unfinished job on, the same ones from the first on.
    ///   - onEvent: Receives the events of the job's log; `nil` for none.
    public convenience init<Rows: Sequence & Sendable>(
        _ configuration: Configuration, rows: Rows,
        onEvent: (@Sendable (JobEvent) -> Void)? = nil
    ) where Rows.Element == PushRow {
        var configuration = configuration
        configuration.inputs.append(.sequence(RowSequence(rows)))
        self.init(configuration, onEvent: onEvent)
    }

    // MARK: Running

    /// The outcomes of all rows, in the order in which they become known.
    ///
    /// Iterating over them starts the job. A slow consumer slows the job: it sends no more than a
    /// few thousand rows ahead, and no outcome is lost. If there is a report, an outcome is in it
    /// before you receive it.
    ///
    /// If the task is canceled, or after ``stop()``, the job starts no new requests; the loop goes
    /// on until the requests in flight have their outcomes, and ends. Leaving the loop stops the
    /// job, too, but then the program does not receive the outcomes of requests in flight; a report
    /// file still has them.
    ///
    /// The loop throws ``FanfareError`` when the job could not start, when something stopped it
    /// that the program did not ask for (after the outcomes until then), and when it is not the
    /// first loop.
    public var outcomes: PushOutcomes { PushOutcomes(job: self) }

    /// Runs the job without returning outcomes; they are in the report, and their counts in the
    /// result.
    ///
    /// If the task is canceled, the job starts no new requests, and returns when the requests in
    /// flight have their outcomes.
    /// - Returns: The result, also if the job was stopped on its way: see ``JobResult/failure``.
    /// - Throws: ``FanfareError`` when the job cannot start, or was started before.
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

    /// The result of the job.
    ///
    /// The property waits for the end of the job, and for its start, too. It does not start the
    /// job, and canceling the waiting task does not stop the job.
    /// - Throws: ``FanfareError`` when the job could not start.
    public var result: JobResult {
        get async throws(FanfareError) {
            await waitForEnd()
            return try finished()
        }
    }

    /// Has a job that starts later keep its latencies from the beginning.
    func followProgress() { state.withLock { $0.orders.isWatched = true } }

    /// The progress of the job at this moment.
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

    /// True if the job is over.
    var isOver: Bool {
        state.withLock { if case .over = $0.phase { true } else { false } }
    }

    // MARK: Steering

    /// Ends the job early: it starts no new requests, and waits for the answers in flight.
    ///
    /// With a report file the job can be carried on then (``ReportOptions/resumes``). You may call
    /// this more than once.
    public func stop() {
        let (job, isOpening) = state.withLock { state -> (Job?, Bool) in
            state.orders.isStopped = true
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

    /// Ends the job at once: requests in flight have the outcome ``PushOutcome/Kind/unknown``.
    public func abort() {
        stop()
        let job = state.withLock { state in
            state.orders.isAborted = true
            return state.runningJob
        }
        job?.abort()
    }

    /// Starts no new requests until ``resume()``.
    ///
    /// Requests in flight are answered, and all clocks go on: a paused job ends at its
    /// ``EngineOptions/untilMilliseconds``.
    public func pause() { setPaused(true) }

    /// Continues after ``pause()``.
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
            state.orders.isPaused = isPaused
            return state.runningJob
        }
        if isPaused { job?.pause() } else { job?.resume() }
    }

    // MARK: The thread

    /// Starts the job on a thread of its own.
    /// - Parameter feed: The receiver of its outcomes; `nil` for none.
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
            job = try Job(configuration, outcomes: feed, onEvents: onEvents)
        } catch {
            guard state.withLock({ $0.orders.isStopped }) else { throw error }
            // Rows that were cut short may look like anything.
            throw FanfareError(.stopped, "the job was stopped before it had begun")
        }
        let orders = state.withLock { state in
            state.phase = .running(job)
            return state.orders
        }
        if orders.isStopped { job.stop() }
        if orders.isAborted { job.abort() }
        if orders.isPaused { job.pause() }
        if orders.isWatched { _ = job.progress }
        return job
    }

    /// The program's handler, as a job takes it.
    private var onEvents: (@Sendable ([LogEvent]) -> Void)? {
        guard let onEvent else { return nil }
        return { events in for event in events { onEvent(JobEvent(event)) } }
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
