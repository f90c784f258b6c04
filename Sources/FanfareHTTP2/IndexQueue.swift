/// A queue of slot numbers with room for as many as there can ever be, so it never grows.
@safe
package struct IndexQueue: ~Copyable {
    private let memory: UnsafeMutablePointer<UInt32>
    private let mask: Int
    private var head = 0
    private var tail = 0

    /// - Parameter capacity: The largest number of entries; rounded up to a power of two.
    package init(capacity: Int) {
        var size = 16
        while size < capacity { size *= 2 }
        mask = size - 1
        unsafe memory = .allocate(capacity: size)
        unsafe memory.initialize(repeating: 0, count: size)
    }

    deinit {
        unsafe memory.deallocate()
    }

    package mutating func append(_ index: UInt32) {
        assert(tail - head <= mask, "BUG: a slot is queued twice")
        // The mask keeps the place inside the memory.
        unsafe memory[tail & mask] = index
        tail &+= 1
    }

    /// Returns the entry at an offset behind the first one, if there is one.
    package func peek(_ offset: Int) -> UInt32? {
        guard tail &- head > offset else { return nil }
        return unsafe memory[(head &+ offset) & mask]
    }

    package mutating func popFirst() -> UInt32? {
        guard head != tail else { return nil }
        let index = unsafe memory[head & mask]
        head &+= 1
        return index
    }
}
