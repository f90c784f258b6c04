package import FanfareBase

/// The number of a request in its lane: an index into the lane's tables.
package typealias RequestID = Int32

/// The dispatcher's state of one row that it has taken up and not yet finished.
package struct Request: Sendable {
    package enum Phase: UInt8, Sendable {
        /// The entry is not in use.
        case free
        /// In the engine's hands: being prepared, or being reported.
        case held
        /// Waiting for its turn.
        case ready
        /// On a connection.
        case inFlight
        /// Waiting for the time of its next attempt.
        case backingOff
        /// Waiting for the retry budget.
        case overBudget
        /// Waiting until nothing else is to be sent: it may be what ends connections.
        case setAside
    }

    package internal(set) var phase: Phase = .free
    /// The connection it is on, or was on last; −1 for none.
    package internal(set) var connection: Int32 = -1
    /// Attempts that count: put on the wire and not provably unprocessed.
    package internal(set) var attempts: UInt16 = 0
    /// The number of times in a row that it came back provably unprocessed.
    package internal(set) var refusals: UInt16 = 0
    /// True if it has been on the wire and come back unprocessed.
    package internal(set) var isRepeated = false
    /// True if its retry has been paid for: see `RetryBudget`.
    package internal(set) var holdsToken = false
    /// True if the provider may have acted on an attempt whose answer is not known.
    package internal(set) var wasInDoubt = false
    /// The number of times in a row that its connection was cut with it on its way.
    package internal(set) var cuts: UInt8 = 0
    /// The time from which no further attempt may start.
    package internal(set) var notAfter = Instant.distantFuture
    /// The time when the last attempt started; `.distantPast` before the first one.
    package internal(set) var startedAt = Instant.distantPast
    /// True if our reset of the last attempt is on its way, because the time for its answer was
    /// over.
    package internal(set) var hasTimedOut = false
    /// The attempts that cost it nothing: see `Dispatcher.noteTooMany`.
    var freeAttempts: UInt16 = 0
    /// True if its next wait is that of the other rows of its last request.
    var sharesWait = false

    /// True if it may be what ends connections: see `Limits.cutsOfSuspect`.
    package var isSuspect: Bool { cuts >= Limits.cutsOfSuspect }

    /// True if it was ever on the wire in this run.
    package var hasStarted: Bool { startedAt > .distantPast }

    // Neighbors in the one list that the request is in; −1 at the ends.
    var previous: RequestID = -1
    var next: RequestID = -1
}

/// A doubly linked list through the entries of a `RequestTable`.
struct RequestList: Sendable {
    var first: RequestID = -1
    var last: RequestID = -1
    var count = 0
}

/// All requests of a lane in one piece of memory, and the lists that run through it.
///
/// Grows to the most that were ever in use together, which the windows and
/// `Limits.backingOffMax` bound; entries are used again, the last one freed first. An array would
/// ask at each change whether it is shared, a dozen times for a row.
@safe
package struct RequestTable: ~Copyable {
    private var entries = UnsafeMutablePointer<Request>.allocate(capacity: 64)
    private var capacity = 64
    /// Entries that were ever in use: the first so many.
    private var used = 0
    /// The free ones of them, by `next`.
    private var firstFree: RequestID = -1
    /// Entries in use.
    package private(set) var count = 0

    init() {}

    deinit {
        unsafe entries.deallocate()
    }

    package subscript(id: RequestID) -> Request {
        _read { yield unsafe entries[place(id)] }
        _modify { yield unsafe &entries[place(id)] }
    }

    @inline(__always)
    private func place(_ id: RequestID) -> Int {
        precondition(id >= 0 && id < used, "BUG: no such request")
        return Int(id)
    }

    mutating func take() -> RequestID {
        let id = firstFree >= 0 ? firstFree : grow()
        firstFree = self[id].next
        self[id] = Request()
        self[id].phase = .held
        count += 1
        return id
    }

    private mutating func grow() -> RequestID {
        if used == capacity {
            capacity *= 2
            let larger = UnsafeMutablePointer<Request>.allocate(capacity: capacity)
            unsafe larger.moveInitialize(from: entries, count: used)
            unsafe entries.deallocate()
            unsafe entries = larger
        }
        unsafe (entries + used).initialize(to: Request())
        used += 1
        return RequestID(used - 1)
    }

    mutating func release(_ id: RequestID) {
        precondition(self[id].phase != .free, "BUG: a request was released twice")
        self[id].phase = .free
        self[id].next = firstFree
        firstFree = id
        count -= 1
    }

    mutating func append(_ id: RequestID, to list: inout RequestList) {
        self[id].previous = list.last
        self[id].next = -1
        if list.last >= 0 { self[list.last].next = id } else { list.first = id }
        list.last = id
        list.count += 1
    }

    mutating func remove(_ id: RequestID, from list: inout RequestList) {
        let (previous, next) = (self[id].previous, self[id].next)
        if previous >= 0 { self[previous].next = next } else { list.first = next }
        if next >= 0 { self[next].previous = previous } else { list.last = previous }
        list.count -= 1
    }
}
