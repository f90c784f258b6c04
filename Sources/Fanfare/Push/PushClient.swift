import FanfareBase
import FanfareCore
import Synchronization

/// A client that lives as long as a service, and sends one notification at a time.
///
/// ```swift
/// let client = try PushClient(configuration)
/// let outcome = try await client.send(
///     PushRow(token: user.token, values: ["name": .string(user.name)]))
/// if outcome.kind == .unregistered { try await database.forget(user.token) }
/// await client.shutdown()
/// ```
///
/// Any number of tasks may send at the same time: their notifications share the connections, the
/// pace and the retries of one job, which begins with the first notification. The outcome of a
/// notification comes back as soon as its answer is there.
///
/// If something stops the job, such as a refused key or a provider that does not answer for
/// ``EngineOptions/giveUpAfter``, all that wait get the error, and the next notification begins a
/// new job. An error means that the provider has not taken the notification; one that it may have
/// taken has the outcome ``PushOutcome/Kind/unknown``. There is one exception: with
/// ``Delivery/atLeastOnce`` a notification in doubt waits to be sent again, and has the error if
/// the job ends before.
///
/// All members may be used from anywhere.
public final class PushClient: Sendable {
    private struct State {
        /// The present job, or the last one.
        var session: PushSession?
        /// The counts of the jobs before it.
        var earlier = ProgressSnapshot()
        var isShutDown = false
    }

    private let configuration: Configuration
    private let onEvent: (@Sendable (JobEvent) -> Void)?
    private let state = Mutex(State())

    static let isShutDown = FanfareError(
        .stopped, "the client was shut down, and sends nothing more")

    /// Creates a client; it opens no connection before the first notification.
    /// - Parameters:
    ///   - configuration: The settings for all notifications. Those for the files of a job and for the
    ///     choice of rows do not apply, and the client has no report.
    ///   - onEvent: Receives the events of its log, on a thread of the client; `nil` for none.
    /// - Throws: ``FanfareError`` with code ``FanfareError/Code/configuration`` when the configuration has
    ///   settings that are for jobs with an end.
    public init(
        _ configuration: Configuration, onEvent: (@Sendable (JobEvent) -> Void)? = nil
    ) throws(FanfareError) {
        try Self.check(configuration)
        var configuration = configuration
        configuration.report.path = ReportOptions.noFile
        configuration.report.isPrompt = true
        self.configuration = configuration
        self.onEvent = onEvent
    }

    deinit {
        // Nothing waits for an answer, since each one that waits holds the client.
        state.withLock { $0.session }?.close()
    }

    /// Refuses what means something only for rows that have an end, or an order.
    private static func check(_ configuration: Configuration) throws(FanfareError) {
        let report = configuration.report
        let settings: [(isSet: Bool, name: Statement)] = [
            (!configuration.inputs.isEmpty, "inputs"),
            (configuration.seeds != nil, "a seed list"),
            (configuration.window != nil, "hours"),
            (configuration.engine.untilMilliseconds != nil, "a latest start of attempts"),
            (configuration.cluster != nil, "several workers"),
            (!configuration.rows.choice.isAll, "a choice of rows"),
            (configuration.rows.deduplication != nil, "a search for duplicates"),
            (
                report.path != ReportOptions().path && report.path != ReportOptions.noFile
                    || report.resumes || report.isOrdered || report.splitBytes != nil,
                "a report"
            ),
            (report.unregisteredPath != nil || report.retryRowsPath != nil, "lists of rows"),
        ]
        guard let wrong = settings.first(where: \.isSet) else { return }
        throw FanfareError(
            .configuration,
            "the configuration of a client has \(wrong.name), which only a job can have: use PushJob"
        )
    }

    // MARK: Sending

    /// Sends a notification and returns its outcome.
    ///
    /// If the task is canceled before the client's job has taken the notification, it is not sent. The
    /// job takes notifications long before it sends them: it is some thousands ahead, so that most are
    /// taken at once. From then on canceling has no effect, also while the notification waits for a
    /// connection or for the pace: it is sent, and the function returns its outcome.
    /// - Parameter row: The notification.
    /// - Returns: The outcome; a notification that the provider refuses is no error. Its
    ///   ``PushOutcome/row`` counts those of the client's present job.
    /// - Throws: ``FanfareError`` when the client was shut down, cannot start or had to stop;
    ///   `CancellationError` when the task was canceled in time. In all cases the provider has not taken
    ///   the notification, with the exception that ``PushClient`` names.
    public func send(_ row: PushRow) async throws -> PushOutcome {
        try Task.checkCancellation()
        return try await session().send(row)
    }

    private func session() throws(FanfareError) -> PushSession {
        try state.withLock { state throws(FanfareError) in
            guard !state.isShutDown else { throw Self.isShutDown }
            if let session = state.session, !session.isOver { return session }
            let next = PushSession()
            try next.start(configuration, onEvent: onEvent)
            if let ended = state.session?.progress { state.earlier.addEnded(ended) }
            state.session = next
            return next
        }
    }

    // MARK: Looking

    /// The progress of the client at this moment.
    ///
    /// Its counts and latencies are those of all jobs of the client, so they never fall. What is true
    /// at a moment, such as ``ProgressSnapshot/inFlight``, is that of the present job.
    public var progress: ProgressSnapshot {
        let (session, earlier) = state.withLock { ($0.session, $0.earlier) }
        guard var progress = session?.progress else { return earlier }
        progress.addEnded(earlier)
        return progress
    }

    /// True if the client was shut down or aborted, and all answers are there.
    var isOver: Bool {
        let (session, isShutDown) = state.withLock { ($0.session, $0.isShutDown) }
        return isShutDown && session?.isOver ?? true
    }

    // MARK: The end

    /// Ends the client: it takes no more notifications, and waits for the outcomes of those that it
    /// has.
    ///
    /// That takes as long as the provider does, ``EngineOptions/giveUpAfter`` at most. You may call
    /// it more than once.
    public func shutdown() async {
        let session = state.withLock { state in
            state.isShutDown = true
            return state.session
        }
        session?.close()
        _ = try? await session?.job?.result
    }

    /// Ends the client at once: requests in flight have the outcome ``PushOutcome/Kind/unknown``, and
    /// notifications that wait are not sent.
    ///
    /// With ``Delivery/atLeastOnce`` requests in flight may have the error of those that wait.
    /// ``shutdown()`` waits for the end.
    public func abort() {
        let session = state.withLock { state in
            state.isShutDown = true
            return state.session
        }
        session?.job?.abort()
        session?.close()
    }
}
