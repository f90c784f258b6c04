import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Blocks of report lines on their way from the writer's thread to a task that wants outcomes.
///
/// It holds `Limits.outcomeBlocks`. With that many waiting the writer waits too, then the lanes see that
/// it is behind and start nothing more: so a slow consumer slows the job, as a slow disk does.
package final class OutcomeFeed: Sendable {
    private struct State {
        var format: ReportFormat?
        /// The blocks that were not taken, the oldest first.
        var blocks: [[UInt8]] = []
        /// The task that waits for a block.
        var taker: CheckedContinuation<[UInt8]?, Never>?
        /// No more blocks will come.
        var isOver = false
        /// The consumer wants no more blocks.
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// One for each block that finds room.
    private let room = Handoff<Void>(capacity: Limits.outcomeBlocks)

    init() {
        for _ in 0..<Limits.outcomeBlocks { _ = room.push(()) }
    }

    // MARK: The job

    /// How the lines are made; said before the first block.
    var format: ReportFormat? {
        get { state.withLock { $0.format } }
        set { state.withLock { $0.format = newValue } }
    }

    /// Hands over whole lines; waits while there is no room, unless the consumer wants no more.
    func push(_ lines: [UInt8]) {
        guard room.pop() != nil else { return }
        let taker = state.withLock { state -> CheckedContinuation<[UInt8]?, Never>? in
            guard !state.isAbandoned else { return nil }
            if let taker = state.taker {
                state.taker = nil
                return taker
            }
            state.blocks.append(lines)
            return nil
        }
        guard let taker else { return }
        taker.resume(returning: lines)
        _ = room.tryPush(())
    }

    /// No more blocks will come; those that are there can still be taken.
    func finish() {
        let taker = state.withLock { state in
            state.isOver = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }

    // MARK: The consumer

    /// Waits for the next block; `nil` at the end.
    ///
    /// For one task at a time. It does not look whether that is canceled: a job that is told to stop
    /// ends by itself, and has something to say until then.
    func next() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let (lines, isKnown) = state.withLock { state -> ([UInt8]?, Bool) in
                if !state.blocks.isEmpty { return (state.blocks.removeFirst(), true) }
                if state.isOver { return (nil, true) }
                precondition(state.taker == nil, "BUG: two tasks take outcomes from one iterator")
                state.taker = continuation
                return (nil, false)
            }
            guard isKnown else { return }
            continuation.resume(returning: lines)
            if lines != nil { _ = room.tryPush(()) }
        }
    }

    /// The consumer will not take another block: those that come are thrown away.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.blocks.removeAll()
        }
        room.close()
    }
}
