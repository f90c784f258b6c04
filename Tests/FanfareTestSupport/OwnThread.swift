import Foundation

/// Runs something that blocks on a thread of its own.
///
/// Tests share as many threads as there are cores: two that blocked there and waited for a third task
/// to end them would wait forever on a machine of two.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
