import Synchronization

/// Cuts a thread's wait short, from any other thread.
final class TokenInterruption: Sendable {
    private struct State: Sendable {
        var isOver = false
        var cut: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Ends the present wait, and all later ones.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.cut?()
        }
    }

    /// Waits for something that `end` cuts short.
    /// - Parameters:
    ///   - body: Waits.
    ///   - cut: Ends that soon; called on another thread.
    /// - Returns: The result of `body`; nil if `end` was called before.
    func waiting<Result>(
        for body: () -> Result, cutBy cut: @escaping @Sendable () -> Void
    ) -> Result? {
        let isOver = state.withLock { state in
            state.cut = cut
            return state.isOver
        }
        defer { state.withLock { $0.cut = nil } }
        return isOver ? nil : body()
    }
}
