import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Rows on their way from a sequence to the reader's thread, as lines of NDJSON.
///
/// The sequence is iterated by a task of its own, which is suspended while `Limits.rowFeedBytes` wait to
/// be read; the reader's thread sleeps while there are none.
final class RowFeed: Sendable {
    private struct State: ~Copyable {
        var lines = ByteBuffer()
        var isStarted = false
        /// No more rows will come.
        var isAtEnd = false
        /// The job wants no more rows.
        var isClosed = false
        /// Why there are no more rows, if that is not how they end.
        var failure: String?
        /// The task of the sequence, while it waits for room.
        var giver: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
    }

    private let state: Mutex<State>
    /// Wakes the reader.
    private let alarm = Alarm()
    private let give: @Sendable (RowFeed) async -> Void

    /// - Parameter give: Puts all rows, and ends the feed; runs in a task once the job reads.
    init(_ give: @escaping @Sendable (RowFeed) async -> Void) {
        state = Mutex(State())
        self.give = give
    }

    // MARK: The sequence's task

    /// Adds a row, waiting for room.
    /// - Returns: False when the job wants no more rows.
    func put(_ row: PushRow) async -> Bool {
        let (isFull, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            let wasEmpty = state.lines.isEmpty
            row.appendLine(to: &state.lines)
            if wasEmpty { alarm.ring() }
            return (state.lines.count >= Limits.rowFeedBytes, false)
        }
        guard isFull else { return !isClosed }
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isClosed || state.lines.count < Limits.rowFeedBytes { return true }
                state.giver = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
        return state.withLock { !$0.isClosed }
    }

    /// No more rows will come.
    /// - Parameter failure: Why not, if the sequence is not at its end.
    func end(_ failure: String? = nil) {
        state.withLock { state in
            state.isAtEnd = true
            state.failure = failure
        }
        alarm.ring()
    }

    // MARK: The reader

    /// Begins to iterate over the rows.
    /// - Returns: False when that was done before: a sequence has its rows once.
    func start() -> Bool {
        state.withLock { state in
            guard !state.isStarted else { return false }
            state.isStarted = true
            guard !state.isClosed else { return true }
            state.task = Task { [self] in await give(self) }
            return true
        }
    }

    /// Whether there is nothing to read now, and not the end either.
    var isEmpty: Bool {
        state.withLock { $0.lines.isEmpty && !$0.isAtEnd && !$0.isClosed }
    }

    /// What a read has found.
    enum Reading {
        /// So many bytes.
        case bytes(Int)
        /// Nothing, and nothing will come.
        case end
        /// The sequence has failed.
        case failure(String)
    }

    /// Reads what there is, waiting for the first row.
    /// - Parameters:
    ///   - space: Where it goes.
    ///   - isCancelled: Asked now and then while there is nothing; when true, that is the end.
    /// - Returns: What was there.
    func read(
        into space: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool
    ) -> Reading {
        while true {
            if let reading = unsafe take(into: space) { return reading }
            if isCancelled() { return .end }
            let pause = Duration.milliseconds(Int(Limits.cancellationCheckMilliseconds))
            _ = alarm.sleep(until: MachineClock.now.advanced(by: pause))
        }
    }

    private func take(into space: UnsafeMutableRawBufferPointer) -> Reading? {
        let spaceCount = space.count
        var (bytes, giver, reading) = state.withLock { state in
            let bytes = unsafe Array(state.lines.bytes.prefix(spaceCount))
            state.lines.removeFirst(bytes.count)
            var giver: CheckedContinuation<Void, Never>?
            if state.lines.count < Limits.rowFeedBytes { swap(&giver, &state.giver) }
            let end: Reading? = state.isAtEnd || state.isClosed ? .end : nil
            return (bytes, giver, state.failure.map { .failure($0) } ?? end)
        }
        if !bytes.isEmpty {
            unsafe space.copyBytes(from: bytes)
            reading = .bytes(bytes.count)
        }
        giver?.resume()
        return reading
    }

    /// The job wants no more rows: the task is canceled, and the job does not wait for it.
    func close() {
        let (giver, task) = state.withLock { state in
            state.isClosed = true
            defer {
                state.giver = nil
                state.task = nil
            }
            return (state.giver, state.task)
        }
        task?.cancel()
        giver?.resume()
        alarm.ring()
    }
}

/// Rows that a sequence gives while the job runs, as ``PushJob`` takes them.
///
/// A sequence serves one job: that is also true of copies of the ``Configuration`` which has it.
public struct RowSequence: Sendable, Equatable {
    /// What messages call it.
    static let name = "the sequence of rows"

    let feed: RowFeed

    init<Rows: AsyncSequence & Sendable>(_ rows: Rows) where Rows.Element == PushRow {
        feed = RowFeed { feed in
            do {
                for try await row in rows {
                    guard await feed.put(row) else { break }
                }
                feed.end()
            } catch {
                feed.end("\(error)")
            }
        }
    }

    init<Rows: Sequence & Sendable>(_ rows: Rows) where Rows.Element == PushRow {
        feed = RowFeed { feed in
            for row in rows {
                guard await feed.put(row) else { break }
            }
            feed.end()
        }
    }

    /// Whether it is the same sequence, not whether equal rows are in it.
    public static func == (left: RowSequence, right: RowSequence) -> Bool {
        left.feed === right.feed
    }
}
