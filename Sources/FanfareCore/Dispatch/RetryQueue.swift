package import FanfareBase

/// The requests that wait for the time of their next attempt: a binary heap, the earliest on top.
package struct RetryQueue: Sendable {
    private var heap: [(due: Instant, request: RequestID)] = []

    package init() {}

    package var count: Int { heap.count }

    package var nextDue: Instant? { heap.first?.due }

    package mutating func insert(_ request: RequestID, due: Instant) {
        heap.append((due, request))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].due < heap[parent].due else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest request, if its time has come.
    package mutating func popDue(now: Instant) -> RequestID? {
        guard let top = heap.first, top.due <= now else { return nil }
        return popFirst()
    }

    /// Takes out the earliest request, due or not.
    package mutating func popFirst() -> RequestID? {
        guard let top = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].due < heap[smallest].due { smallest = child }
            }
            guard smallest != parent else { break }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
        return top.request
    }
}
