package import FanfareBase
import FanfareCore
import Synchronization

/// The places at which the provider makes its answers, over all connections and threads.
///
/// A request that finds one free has it for the time of its answer, the others wait for one in order of
/// arrival. So latency is flat up to so many requests in flight; beyond this knee it rises with each one
/// more, and the answers per second do not.
package final class AnsweringPlaces: Sendable {
    private let count: Int
    /// The times at which the taken places become free: a binary heap, the earliest on top.
    private let freeAt = Mutex<[Int64]>([])

    /// - Parameter count: The number of places, at least one.
    package init(_ count: Int) {
        precondition(count > 0)
        self.count = count
    }

    /// Takes a place for a request's answer.
    /// - Parameters:
    ///   - latency: Nanoseconds that the answer takes at its place.
    ///   - now: The time.
    /// - Returns: Nanoseconds until the answer is made, the wait for a place among them.
    package func delay(latency: Int64, now: Instant) -> Int64 {
        freeAt.withLock { heap in
            guard heap.count >= count else {
                Self.insert(now.nanoseconds + latency, into: &heap)
                return latency
            }
            let start = max(heap[0], now.nanoseconds)
            Self.replaceFirst(of: &heap, by: start + latency)
            return start + latency - now.nanoseconds
        }
    }

    private static func insert(_ moment: Int64, into heap: inout [Int64]) {
        heap.append(moment)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private static func replaceFirst(of heap: inout [Int64], by moment: Int64) {
        heap[0] = moment
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && heap[child] < heap[least] { least = child }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
