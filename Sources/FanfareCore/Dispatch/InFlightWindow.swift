/// The number of requests that one connection may have in flight.
///
/// The session queues requests without bound if the peer has no room for them, so the gate is ours:
/// the smallest of our own cap, the peer's SETTINGS_MAX_CONCURRENT_STREAMS as it changes, the rest
/// of it where the peer has asked for calm or refuses streams that it allows, and, while a
/// connection proves itself, one.
package struct InFlightWindow: Equatable, Sendable {
    /// Our own cap, from `--streams`.
    package let cap: Int
    /// The limit that the peer allows; `nil` before its first SETTINGS.
    package private(set) var peerLimit: UInt32?
    /// True if it allows only one request until the first answer.
    ///
    /// With token authentication APNs allows one stream until it has seen a valid token, also if
    /// its first SETTINGS say more.
    package var isProbing: Bool
    package private(set) var inFlight = 0
    /// The limit that ENHANCE_YOUR_CALM has left; `nil` if the peer has not sent it.
    package private(set) var calm: Calm?
    /// The number that the peer was seen to take; `nil` if it takes all it allows.
    package private(set) var capacity: Capacity?

    // The most that were in flight of late: in the flight that is ending, and in the one before.
    private var peak = 0
    private var peakBefore = 0
    /// Streams that end until the next flight.
    private var flightLeft = 0

    /// - Parameters:
    ///   - cap: Our own limit.
    ///   - isProbing: True if it sends one request first, until that is answered.
    ///   - calm: The limit that ENHANCE_YOUR_CALM has left to the connections before it.
    ///   - capacity: The number that the peer was seen to take on other connections, if that is
    ///     less than it allows.
    package init(cap: Int, isProbing: Bool, calm: Int? = nil, capacity: Int? = nil) {
        precondition(cap > 0)
        self.cap = cap
        self.isProbing = isProbing
        self.capacity = capacity.map { Capacity(limit: $0, answersLeft: $0) }
        self.calm = calm.map { Calm(limit: $0, answersLeft: $0, isFresh: false, reached: $0) }
    }

    /// True if requests may be in flight side by side: the peer has told its limit, and answered
    /// the request that goes alone.
    package var isProven: Bool { peerLimit != nil && !isProbing }

    /// The requests that may be in flight together.
    ///
    /// Before SETTINGS have arrived RFC 9113 allows any number, and peers punish it with GOAWAY:
    /// one request is enough to use the round trip.
    package var limit: Int {
        guard let peerLimit, isProven else { return min(cap, Int(peerLimit ?? 1), 1) }
        // Of more than three at once `min` makes an array.
        let learned = min(calm?.limit ?? .max, capacity?.limit ?? .max)
        return min(cap, Int(clamping: peerLimit), learned)
    }

    /// True if the peer allows one request at a time, and we would have more.
    package var isCut: Bool { isProven && peerLimit == 1 && cap > 1 }

    /// The requests that may start now.
    package var room: Int { max(0, limit - inFlight) }

    package mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        peerLimit = maxConcurrentStreams
    }

    package mutating func opened() {
        inFlight += 1
        peak = max(peak, inFlight)
    }

    /// Frees a slot: only the end of its stream does that, and every kind of end.
    package mutating func closed() {
        precondition(inFlight > 0, "BUG: a stream ended that was not in flight")
        inFlight -= 1
        flightLeft -= 1
        if flightLeft <= 0 {
            peakBefore = peak
            peak = inFlight
            flightLeft = inFlight
        }
        // Of a flight that was in the way, resets are ends as much as answers.
        if calm?.isFresh == true { calm?.answersLeft -= 1 }
    }

    /// Notes that the peer has ended a stream with ENHANCE_YOUR_CALM: the limit becomes half of the
    /// number in flight, at most once in a flight.
    package mutating func calmed() {
        if let calm, calm.answersLeft > 0 && calm.isFresh { return }
        let reached = max(min(inFlight, limit), 1)
        calm = Calm(
            limit: max(reached / 2, 1), answersLeft: inFlight, isFresh: true, reached: reached)
    }

    /// Notes that the peer has refused a stream (REFUSED_STREAM) that is still counted: the limit
    /// becomes one less than the number in flight.
    ///
    /// Each refused stream of a flight takes one off, so that the limit ends at the number that the
    /// peer took. The peer may have lowered its own limit below the number under way: then its
    /// limit alone counts.
    package mutating func refused() {
        let inFlight = max(peak, peakBefore)
        guard isProven, let peerLimit, inFlight <= Int(clamping: peerLimit) else { return }
        let reached = min(limit, inFlight)
        if reached > 1 { capacity = Capacity(limit: reached - 1, answersLeft: reached - 1) }
    }

    /// Notes an answer: with each flight of them a connection whose peer refuses streams, or that
    /// was calmed, gets a bit more, and where the peer asked for calm before, with each sixteenth
    /// flight.
    package mutating func answered() {
        isProbing = false
        if capacity != nil, !isCut { growCapacity() }
        guard calm != nil else { return }
        if calm?.isFresh == false { calm?.answersLeft -= 1 }
        guard let left = calm?.answersLeft, let reached = calm?.limit, left <= 0 else { return }
        let next = reached + max(reached / 16, 1)
        let isOver = next >= min(cap, Int(clamping: peerLimit ?? .max))
        calm = isOver ? nil : calm?.grown(to: next)
    }

    private mutating func growCapacity() {
        capacity?.answersLeft -= 1
        guard let capacity, capacity.answersLeft <= 0 else { return }
        let next = capacity.limit + max(capacity.limit / 16, 1)
        let isOver = next >= min(cap, Int(clamping: peerLimit ?? .max))
        self.capacity = isOver ? nil : Capacity(limit: next, answersLeft: next)
    }

    /// The number of streams that the peer takes, measured again with each flight: a refused stream
    /// costs a round trip and no more.
    package struct Capacity: Equatable, Sendable {
        package fileprivate(set) var limit: Int
        /// Answers until it grows.
        fileprivate var answersLeft: Int
    }

    /// A window that recovers from ENHANCE_YOUR_CALM.
    package struct Calm: Equatable, Sendable {
        var limit: Int
        /// Answers until it grows; while it is fresh, ends of every kind of streams from before it
        /// shrank.
        var answersLeft: Int
        var isFresh: Bool
        /// The number in flight when the peer last asked for fewer.
        var reached: Int

        func grown(to limit: Int) -> Calm {
            // Each look above costs a request.
            let flights = limit >= reached - 1 ? 16 : 1
            return Calm(
                limit: limit, answersLeft: limit * flights, isFresh: false, reached: reached)
        }
    }
}
