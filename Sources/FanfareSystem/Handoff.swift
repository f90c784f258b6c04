#if canImport(Glibc)
    internal import Glibc
#endif

/// A bounded queue between threads: a thread that adds to a full one waits, and so does a thread
/// that takes from an empty one.
///
/// First in, first out, for any number of threads on both sides. An element belongs to one side at a
/// time, so it need not be `Sendable`.
@safe
package final class Handoff<Element>: @unchecked Sendable {
    // The system's locks must not move, hence the pointers.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let emptied = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private let capacity: Int
    // A ring that grows to the capacity when it has to; all below is touched only under the lock.
    private var slots: [Element?]
    private var head = 0
    private var filledCount = 0
    private var isClosed = false

    /// Makes an empty queue.
    /// - Parameter capacity: The elements it holds, at least 1.
    package init(capacity: Int) {
        precondition(capacity > 0, "BUG: a queue without room")
        self.capacity = capacity
        slots = Array(repeating: nil, count: min(capacity, Self.firstCount))
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(filled, nil)
        unsafe pthread_cond_init(emptied, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(emptied)
        unsafe pthread_cond_destroy(filled)
        unsafe pthread_mutex_destroy(lock)
        unsafe emptied.deallocate()
        unsafe filled.deallocate()
        unsafe lock.deallocate()
    }

    /// Adds an element, waiting while there is no room.
    /// - Returns: True if the element was taken; false after `close`.
    package func push(_ element: sending Element) -> Bool {
        unsafe pthread_mutex_lock(lock)
        while filledCount == capacity && !isClosed { unsafe pthread_cond_wait(emptied, lock) }
        guard !isClosed else {
            unsafe pthread_mutex_unlock(lock)
            return false
        }
        append(element)
        unsafe unlock(telling: filled)
        return true
    }

    /// Adds an element if there is room now.
    /// - Returns: The element, given back, if there was none or the queue is closed.
    package func tryPush(_ element: sending Element) -> sending Element? {
        unsafe pthread_mutex_lock(lock)
        guard filledCount < capacity && !isClosed else {
            unsafe pthread_mutex_unlock(lock)
            return element
        }
        append(element)
        unsafe unlock(telling: filled)
        return nil
    }

    /// Takes the oldest element, waiting for one.
    /// - Returns: Nothing once the queue is closed and empty.
    package func pop() -> sending Element? {
        unsafe pthread_mutex_lock(lock)
        while filledCount == 0 && !isClosed { unsafe pthread_cond_wait(filled, lock) }
        return takeFirst()
    }

    /// Takes the oldest element if there is one now.
    package func tryPop() -> sending Element? {
        unsafe pthread_mutex_lock(lock)
        return takeFirst()
    }

    /// Takes the oldest element if there is one now, and it meets a condition.
    package func tryPop(if condition: (Element) -> Bool) -> sending Element? {
        unsafe pthread_mutex_lock(lock)
        guard filledCount > 0, let first = slots[head], condition(first) else {
            unsafe pthread_mutex_unlock(lock)
            return nil
        }
        return takeFirst()
    }

    /// Lets no more elements in; those that are there can still be taken.
    ///
    /// It ends all waiting.
    package func close() {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        isClosed = true
        unsafe pthread_cond_broadcast(filled)
        unsafe pthread_cond_broadcast(emptied)
    }

    /// The elements there are at this moment.
    package var count: Int {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return filledCount
    }

    private static var firstCount: Int { 16 }

    private func append(_ element: Element) {
        if filledCount == slots.count { grow() }
        slots[(head + filledCount) % slots.count] = element
        filledCount += 1
    }

    /// Ends a change, and wakes one of the threads that wait for it.
    ///
    /// The order matters: the thread that is woken needs the lock first.
    private func unlock(telling condition: UnsafeMutablePointer<pthread_cond_t>) {
        unsafe pthread_mutex_unlock(lock)
        unsafe pthread_cond_signal(condition)
    }

    private func grow() {
        let inOrder = slots[head...] + slots[..<head]
        let more = min(capacity, 2 * slots.count) - slots.count
        slots = Array(inOrder) + Array(repeating: nil, count: more)
        head = 0
    }

    /// Takes an element, if there is one, and gives up the lock.
    private func takeFirst() -> sending Element? {
        guard filledCount > 0 else {
            unsafe pthread_mutex_unlock(lock)
            return nil
        }
        // The queue forgets it here, so the thread that takes it is its only holder.
        nonisolated(unsafe) let element = slots[head]
        slots[head] = nil
        head = (head + 1) % slots.count
        filledCount -= 1
        unsafe unlock(telling: emptied)
        return unsafe element
    }
}
