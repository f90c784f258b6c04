import FanfareBase
import FanfareCore
import Synchronization

/// One job of a client: rows in, one at a time, and each one's outcome back to the task that waits for it.
///
/// Rows wait here until the job takes them, in the order in which they came; until then their task may
/// take them back. The job counts the rows that it takes, and so does the session: the number
/// joins an outcome to its task.
///
/// The job and the session hold each other until the job is over.
final class PushSession: Sendable {
    private typealias Answer = CheckedContinuation<PushOutcome, any Error>

    private struct Entry {
        var row: PushRow
        var answer: Answer
    }

    /// A row that the job has taken: as much of it as an outcome needs.
    private struct TakenRow {
        var token: String
        var id: String?
        var answer: Answer
    }

    private struct State {
        /// The rows that the job has not taken, by their tickets, and the tickets in their order.
        var entries: [UInt64: Entry] = [:]
        var order: ArraySlice<UInt64> = []
        var lastTicket: UInt64 = 0
        /// The rows that it has taken and that have no outcome, by their numbers.
        var taken: [UInt64: TakenRow] = [:]
        var lastRow: UInt64 = 0
        /// The outcomes that the job has handed over.
        var outcomeCount: UInt64 = 0
        /// The job, while it waits for a row.
        var taker: CheckedContinuation<PushRow?, Never>?
        /// No more rows will come.
        var isClosed = false
        /// The reason why the job is over, once it is.
        var end: FanfareError?
        var job: PushJob?
        /// The job's last progress, once it is over.
        var last = ProgressSnapshot()
        /// True if outcomes have whole tokens.
        var showsTokens = true

        /// The next row, which has its number from now on.
        mutating func take() -> PushRow? {
            while let ticket = order.popFirst() {
                guard let entry = entries.removeValue(forKey: ticket) else { continue }
                lastRow += 1
                let row = entry.row
                taken[lastRow] = TakenRow(token: row.token, id: row.id, answer: entry.answer)
                return row
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
        state.withLock { state in
            state.job = job
            state.showsTokens = configuration.report.token == .full
        }
        do throws(FanfareError) {
            try job.start(OutcomeFeed { [self] outcome in answer(outcome) })
        } catch {
            // There is no end of the job that would let it go.
            end(error, last: job.progress)
            throw error
        }
        Task { [self] in
            var reason = FanfareError(.stopped, "the client has ended, and did not send it")
            do throws(FanfareError) {
                if let failure = try await job.result.failure { reason = failure }
            } catch {
                reason = error
            }
            end(reason, last: job.progress)
        }
    }

    /// The job, until the session has noticed that it is over.
    var job: PushJob? { state.withLock { $0.job } }

    /// The progress of the job at this moment; in the end its last one.
    var progress: ProgressSnapshot {
        let (job, last) = state.withLock { ($0.job, $0.last) }
        return job?.progress ?? last
    }

    /// True if the job is over, so that the next row needs another one.
    var isOver: Bool {
        let (job, isEnded) = state.withLock { ($0.job, $0.end != nil) }
        // The job knows it before the session does.
        return isEnded || job?.isOver == true
    }

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
        let row = state.withLock { state in
            state.outcomeCount += 1
            return state.taken.removeValue(forKey: outcome.row)
        }
        row?.answer.resume(returning: outcome)
    }

    /// The job is over: rows without an outcome were not sent, and get the error.
    ///
    /// That is so for a job that came to rest: each of its requests has an outcome, and it has handed
    /// all of them over. After any other end the rows that it had taken are in doubt.
    /// - Parameters:
    ///   - reason: The reason why rows that wait are not sent.
    ///   - last: The last progress of the job.
    func end(_ reason: FanfareError, last: ProgressSnapshot) {
        let (taken, entries, taker, isInDoubt, showsTokens) = state.withLock { state in
            state.end = reason
            state.job = nil
            state.last = last
            let isInDoubt =
                reason.code == .bug || last.inFlight > 0 || last.finished > state.outcomeCount
            defer {
                state.taken = [:]
                state.entries = [:]
                state.order = []
                state.taker = nil
            }
            return (state.taken, state.entries, state.taker, isInDoubt, state.showsTokens)
        }
        taker?.resume(returning: nil)
        for entry in entries.values { entry.answer.resume(throwing: reason) }
        for (number, row) in taken {
            guard isInDoubt else {
                row.answer.resume(throwing: reason)
                continue
            }
            // A part of the token would need the report's ways to show it.
            var outcome = PushOutcome(
                row: number, token: showsTokens ? row.token : "", kind: .unknown)
            outcome.id = row.id
            outcome.reason = reason.message
            row.answer.resume(returning: outcome)
        }
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
