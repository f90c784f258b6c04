import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Outcomes on their way from the writer's thread to a task that wants them, a block at a time.
///
/// It holds `Limits.outcomeBlocks`. With that many waiting the writer waits too, then the lanes see that
/// it is behind and start nothing more: so a slow consumer slows the job, as a slow disk does.
package final class OutcomeFeed: Sendable {
    private struct State {
        var carriedNames: [String] = []
        /// The blocks that were not taken, the oldest first.
        var blocks: [RowOutcomes] = []
        /// The task that waits for a block.
        var taker: CheckedContinuation<RowOutcomes?, Never>?
        /// No more blocks will come.
        var isOver = false
        /// The consumer wants no more blocks.
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// One for each block that finds room.
    private let room = Handoff<Void>(capacity: Limits.outcomeBlocks)

    /// Takes blocks at once, on the writer's thread, in place of a task; `nil` for none.
    private let taker: (@Sendable (RowOutcomes, _ carriedNames: [String]) -> Void)?

    /// A feed that a task takes blocks from.
    convenience init() { self.init(taker: nil) }

    /// A feed whose blocks are taken as they come, on the writer's thread, which waits for it.
    init(taker: (@Sendable (RowOutcomes, _ carriedNames: [String]) -> Void)?) {
        self.taker = taker
        for _ in 0..<Limits.outcomeBlocks { _ = room.push(()) }
    }

    // MARK: The job

    /// The names of the carried columns; said before the first block.
    var carriedNames: [String] {
        get { state.withLock { $0.carriedNames } }
        set { state.withLock { $0.carriedNames = newValue } }
    }

    /// Hands over a block; waits while there is no room, unless the consumer wants no more.
    func push(_ outcomes: RowOutcomes) {
        if let taker {
            taker(outcomes, carriedNames)
            return
        }
        guard room.pop() != nil else { return }
        let taker = state.withLock { state -> CheckedContinuation<RowOutcomes?, Never>? in
            guard !state.isAbandoned else { return nil }
            if let taker = state.taker {
                state.taker = nil
                return taker
            }
            state.blocks.append(outcomes)
            return nil
        }
        guard let taker else { return }
        taker.resume(returning: outcomes)
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
    /// It is for one task at a time. It does not look whether that task is canceled: a job that is
    /// stopped ends by itself, and has outcomes to deliver until then.
    func next() async -> RowOutcomes? {
        await withCheckedContinuation { continuation in
            let (block, isKnown) = state.withLock { state -> (RowOutcomes?, Bool) in
                if !state.blocks.isEmpty { return (state.blocks.removeFirst(), true) }
                if state.isOver { return (nil, true) }
                precondition(state.taker == nil, "BUG: two tasks take outcomes from one iterator")
                state.taker = continuation
                return (nil, false)
            }
            guard isKnown else { return }
            continuation.resume(returning: block)
            if block != nil { _ = room.tryPush(()) }
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
