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
        /// The failure that ended the rows early, if one did.
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

    /// Notes that no more rows will come.
    /// - Parameter failure: The reason, if the sequence is not at its end.
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

    /// True if there is nothing to read now, and the rows are not at their end.
    var isEmpty: Bool {
        state.withLock { $0.lines.isEmpty && !$0.isAtEnd && !$0.isClosed }
    }

    /// The result of a read.
    enum Reading {
        /// So many bytes.
        case bytes(Int)
        /// Nothing, and nothing will come.
        case end
        /// The sequence has failed.
        case failure(String)
    }

    /// Reads the rows that are there, and waits for the first one.
    /// - Parameters:
    ///   - space: The memory for the rows.
    ///   - isCancelled: Called now and then while there is nothing; if it returns true, that counts
    ///     as the end.
    /// - Returns: The result.
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
    /// The sequence's name in messages.
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

    /// Returns true if it is the same sequence; equal rows do not make two sequences equal.
    public static func == (left: RowSequence, right: RowSequence) -> Bool {
        left.feed === right.feed
    }
}
