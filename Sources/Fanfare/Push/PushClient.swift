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
/// new job. An error means that the notification was not sent; one that may have been sent has the
/// outcome ``PushOutcome/Kind/unknown``.
///
/// All members may be used from anywhere.
public final class PushClient: Sendable {
    private struct State {
        /// The present job, or the last one.
        var session: PushSession?
        var isShutDown = false
        /// The progress of the last job, once it is over.
        var isOver = false
    }

    private let configuration: Configuration
    private let onEvent: (@Sendable (JobEvent) -> Void)?
    private let state = Mutex(State())
    private let last = Mutex(ProgressSnapshot())

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
    /// If the task is canceled before the notification is on its way, it is not sent. After that,
    /// canceling has no effect: the function returns the outcome.
    /// - Parameter row: The notification.
    /// - Returns: The outcome; a notification that the provider refuses is no error. Its
    ///   ``PushOutcome/row`` counts those of the client's present job.
    /// - Throws: ``FanfareError`` when the client was shut down, cannot start or had to stop;
    ///   `CancellationError` when the task was canceled in time. In all cases the notification was not
    ///   sent.
    public func send(_ row: PushRow) async throws -> PushOutcome {
        try Task.checkCancellation()
        return try await session().send(row)
    }

    private func session() throws(FanfareError) -> PushSession {
        try state.withLock { state throws(FanfareError) in
            guard !state.isShutDown else { throw Self.isShutDown }
            if let session = state.session, !session.isOver { return session }
            let session = PushSession()
            try session.start(configuration, onEvent: onEvent)
            state.session = session
            return session
        }
    }

    // MARK: Looking

    /// The progress of the client's present job at this moment, or of its last one.
    public var progress: ProgressSnapshot {
        let job = state.withLock { $0.session }?.job
        return last.withLock { last in
            if let job { last = job.progress }
            return last
        }
    }

    /// True if the client was shut down, and all answers are there.
    var isOver: Bool { state.withLock { $0.isOver } }

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
        let job = session?.job
        _ = try? await job?.result
        if let job { last.withLock { $0 = job.progress } }
        state.withLock { $0.isOver = true }
    }

    /// Ends the client at once: requests in flight have the outcome ``PushOutcome/Kind/unknown``, and
    /// notifications that wait are not sent.
    ///
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
