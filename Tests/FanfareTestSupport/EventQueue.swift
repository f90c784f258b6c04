import FanfareBase

/// The events of a simulation by time; those that are due at the same moment are in the order in which
/// they were planned.
package struct EventQueue<Event> {
    private var heap: [(due: Instant, number: UInt64, event: Event)] = []
    private var nextNumber: UInt64 = 0

    package init() {}

    package var count: Int { heap.count }

    package var nextDue: Instant? { heap.first?.due }

    package mutating func insert(_ event: Event, at due: Instant) {
        heap.append((due, nextNumber, event))
        nextNumber += 1
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    package mutating func popFirst() -> (due: Instant, event: Event)? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && isBefore(child, smallest) {
                smallest = child
            }
            if smallest == parent { break }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
        return (first.due, first.event)
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        // Field by field: tuples of this many parts are slow to compare in a debug build.
        let (one, other) = (heap[left].due.nanoseconds, heap[right].due.nanoseconds)
        return one != other ? one < other : heap[left].number < heap[right].number
    }
}
