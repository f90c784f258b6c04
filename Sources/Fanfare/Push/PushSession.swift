import FanfareBase
import FanfareCore
import Synchronization

/// One job of a client: rows in, one at a time, and each one's outcome back to the task that waits for it.
///
/// Rows wait here until the job takes them, in the order in which they came; until then their task may
/// take them back. The job counts the rows that it takes, and so does the session: the number is
/// what joins an outcome to its task.
final class PushSession: Sendable {
    private typealias Answer = CheckedContinuation<PushOutcome, any Error>

    private struct Entry {
        var row: PushRow
        var answer: Answer
    }

    private struct State {
        /// The rows that the job has not taken, by their tickets, and the tickets in their order.
        var entries: [UInt64: Entry] = [:]
        var order: ArraySlice<UInt64> = []
        var lastTicket: UInt64 = 0
        /// The tasks of the rows that it has taken, by the number of the row.
        var answers: [UInt64: Answer] = [:]
        var lastRow: UInt64 = 0
        /// The job, while it waits for a row.
        var taker: CheckedContinuation<PushRow?, Never>?
        /// No more rows will come.
        var isClosed = false
        /// The reason why the job is over, once it is.
        var end: FanfareError?
        var job: PushJob?

        /// The next row, which has its number from now on.
        mutating func take() -> PushRow? {
            while let ticket = order.popFirst() {
                guard let entry = entries.removeValue(forKey: ticket) else { continue }
                lastRow += 1
                answers[lastRow] = entry.answer
                return entry.row
            }
            return nil
        }

        /// Forgets the tickets of rows that were taken back, when they are most of all.
        mutating func tidy() {
            guard order.count > 2 * entries.count + 64 else { return }
            order = ArraySlice(order.filter { entries[$0] != nil })
        }
    }

    private let state = Mutex(State())

    /// Starts the job.
    /// - Parameters:
    ///   - configuration: The settings of the job, which name no inputs.
    ///   - onEvent: Receives the events of its log; `nil` for none.
    /// - Throws: `FanfareError` when there is no room for its thread.
    func start(
        _ configuration: Configuration, onEvent: (@Sendable (JobEvent) -> Void)?
    ) throws(FanfareError) {
        let job = PushJob(configuration, rows: SessionRows(session: self), onEvent: onEvent)
        state.withLock { $0.job = job }
        try job.start(OutcomeFeed { [self] outcome in answer(outcome) })
        Task { [self] in
            do throws(FanfareError) {
                let failure = try await job.result.failure
                end(failure ?? FanfareError(.stopped, "the client has ended, and did not send it"))
            } catch {
                end(error)
            }
        }
    }

    /// The job, until it is over.
    var job: PushJob? { state.withLock { $0.job } }

    /// True if the job is over, so that the next row needs another one.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// No more rows will come; those that are here are sent.
    func close() {
        let taker = state.withLock { state in
            state.isClosed = true
            // With a taker there are no rows.
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }

    // MARK: The tasks that send

    /// Hands a row to the job, and waits for its outcome.
    func send(_ row: PushRow) async throws -> PushOutcome {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Entry(row: row, answer: continuation), ticket)
            }
        } onCancel: {
            takeBack(ticket)
        }
    }

    private func add(_ entry: Entry, _ ticket: UInt64) {
        var refusal: (any Error)?
        let taker = state.withLock { state -> (CheckedContinuation<PushRow?, Never>, PushRow?)? in
            if let end = state.end {
                refusal = end
            } else if state.isClosed {
                refusal = PushClient.isShutDown
            } else if Task.isCancelled {
                // Asked under the lock: a task that is canceled later finds the row here.
                refusal = CancellationError()
            }
            guard refusal == nil else { return nil }
            state.entries[ticket] = entry
            state.order.append(ticket)
            guard let taker = state.taker else { return nil }
            state.taker = nil
            return (taker, state.take())
        }
        if let refusal { entry.answer.resume(throwing: refusal) }
        if let (taker, row) = taker { taker.resume(returning: row) }
    }

    private func takeBack(_ ticket: UInt64) {
        let entry = state.withLock { state in
            defer { state.tidy() }
            return state.entries.removeValue(forKey: ticket)
        }
        entry?.answer.resume(throwing: CancellationError())
    }

    // MARK: The job

    /// The next row; `nil` when no more will come.
    func next() async -> PushRow? {
        await withCheckedContinuation { continuation in
            let (row, isKnown) = state.withLock { state -> (PushRow?, Bool) in
                if let row = state.take() { return (row, true) }
                if state.isClosed || state.end != nil { return (nil, true) }
                state.taker = continuation
                return (nil, false)
            }
            if isKnown { continuation.resume(returning: row) }
        }
    }

    private func answer(_ outcome: PushOutcome) {
        let answer = state.withLock { $0.answers.removeValue(forKey: outcome.row) }
        answer?.resume(returning: outcome)
    }

    /// The job is over: rows without an outcome were not sent.
    private func end(_ reason: FanfareError) {
        let (answers, taker) = state.withLock { state in
            state.end = reason
            state.job = nil
            let answers = Array(state.answers.values) + state.entries.values.map(\.answer)
            state.answers = [:]
            state.entries = [:]
            state.order = []
            defer { state.taker = nil }
            return (answers, state.taker)
        }
        taker?.resume(returning: nil)
        for answer in answers { answer.resume(throwing: reason) }
    }
}

/// The rows of a session, as a job takes them.
private struct SessionRows: AsyncSequence, Sendable {
    typealias Element = PushRow

    let session: PushSession

    func makeAsyncIterator() -> Iterator { Iterator(session: session) }

    struct Iterator: AsyncIteratorProtocol {
        let session: PushSession

        mutating func next() async -> PushRow? { await session.next() }
    }
}
