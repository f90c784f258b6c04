import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The answers that wait for their time, earliest first; answers of the same moment in order of
/// arrival.
///
/// With a fixed latency every answer is due after all others, and the queue is a ring. An answer
/// that is due before the ring's last entry goes to a heap. The next answer is the earlier of the
/// two fronts.
struct AnswerQueue {
    struct Entry {
        var due: Instant
        /// Order of arrival, for entries that are due at the same moment.
        var number: UInt64
        var stream: StreamHandle

        @inline(__always)
        static func < (left: Entry, right: Entry) -> Bool {
            left.due == right.due ? left.number < right.number : left.due < right.due
        }
    }

    /// The ring: a power of two of places, `head` and `tail` count on for ever.
    private var ring: [Entry] = []
    private var head = 0
    private var tail = 0
    private var heap: [Entry] = []
    private var nextNumber: UInt64 = 0

    init() {}

    var count: Int { tail - head + heap.count }

    /// The time of the next answer; nil if none waits.
    var nextDue: Instant? {
        if head < tail {
            let first = ring[head & (ring.count - 1)].due
            return heap.isEmpty ? first : min(first, heap[0].due)
        }
        return heap.isEmpty ? nil : heap[0].due
    }

    /// Adds an answer.
    mutating func append(_ stream: StreamHandle, due: Instant) {
        let entry = Entry(due: due, number: nextNumber, stream: stream)
        nextNumber += 1
        if head == tail || ring[(tail - 1) & (ring.count - 1)].due <= due {
            if tail - head == ring.count { growRing() }
            ring[tail & (ring.count - 1)] = entry
            tail += 1
        } else {
            heap.append(entry)
            siftUp(heap.count - 1)
        }
    }

    /// Takes the next answer that is due.
    /// - Returns: Its stream, or nil if nothing is due yet.
    mutating func popDue(now: Instant) -> StreamHandle? {
        let hasRing = head < tail
        if hasRing && (heap.isEmpty || ring[head & (ring.count - 1)] < heap[0]) {
            let entry = ring[head & (ring.count - 1)]
            guard entry.due <= now else { return nil }
            head += 1
            return entry.stream
        }
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown(0)
        }
        return first.stream
    }

    private mutating func growRing() {
        var larger = Array(
            repeating: Entry(due: .distantFuture, number: 0, stream: StreamHandle(id: 0, slot: 0)),
            count: max(16, 2 * ring.count))
        let waiting = tail - head
        for index in 0..<waiting { larger[index] = ring[(head + index) & (ring.count - 1)] }
        ring = larger
        head = 0
        tail = waiting
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in 2 * index + 1...2 * index + 2
            where child < heap.count && heap[child] < heap[smallest] {
                smallest = child
            }
            if smallest == index { return }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
