/// The number of a request in its lane: an index into the lane's tables.
package typealias RequestID = Int32

/// What the dispatcher knows about one row that it has taken up and not yet finished.
package struct Request: Sendable {
    package enum Phase: UInt8, Sendable {
        /// Nobody uses this entry.
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
    }

    package internal(set) var phase: Phase = .free
    /// The connection it is on, or was on last; −1 for none.
    package internal(set) var connection: Int32 = -1
    /// Attempts that count: put on the wire and not provably unprocessed.
    package internal(set) var attempts: UInt16 = 0
    /// How often it came back provably unprocessed, in a row.
    package internal(set) var refusals: UInt16 = 0
    /// Whether its retry has been paid for: see `RetryBudget`.
    package internal(set) var holdsToken = false
    /// Whether the provider may have acted on an attempt whose answer is not known.
    package internal(set) var wasInDoubt = false
    /// When no further attempt may start any more.
    package internal(set) var notAfter = Instant.distantFuture
    /// When the last attempt started.
    package internal(set) var startedAt = Instant(nanoseconds: 0)

    // Neighbours in the one list that the request is in; −1 at the ends.
    var previous: RequestID = -1
    var next: RequestID = -1
}

/// A doubly linked list through the entries of a `RequestTable`.
struct RequestList: Sendable {
    var first: RequestID = -1
    var last: RequestID = -1
    var count = 0
}

/// All requests of a lane in one array, and the lists that run through it.
///
/// Grows to the most that were ever in use together, which the windows and
/// `Limits.backingOffMax` bound; entries are used again, the last one freed first.
package struct RequestTable: ~Copyable {
    private(set) var requests: [Request] = []
    private var free: [RequestID] = []

    package subscript(id: RequestID) -> Request {
        _read { yield requests[Int(id)] }
        _modify { yield &requests[Int(id)] }
    }

    /// Entries in use.
    package var count: Int { requests.count - free.count }

    mutating func take() -> RequestID {
        let id = free.popLast() ?? grow()
        requests[Int(id)] = Request()
        requests[Int(id)].phase = .held
        return id
    }

    private mutating func grow() -> RequestID {
        requests.append(Request())
        free.reserveCapacity(requests.capacity)
        return RequestID(requests.count - 1)
    }

    mutating func release(_ id: RequestID) {
        precondition(requests[Int(id)].phase != .free, "BUG: a request was released twice")
        requests[Int(id)].phase = .free
        free.append(id)
    }

    mutating func append(_ id: RequestID, to list: inout RequestList) {
        requests[Int(id)].previous = list.last
        requests[Int(id)].next = -1
        if list.last >= 0 { requests[Int(list.last)].next = id } else { list.first = id }
        list.last = id
        list.count += 1
    }

    mutating func remove(_ id: RequestID, from list: inout RequestList) {
        let (previous, next) = (requests[Int(id)].previous, requests[Int(id)].next)
        if previous >= 0 { requests[Int(previous)].next = next } else { list.first = next }
        if next >= 0 { requests[Int(next)].previous = previous } else { list.last = previous }
        list.count -= 1
    }
}
