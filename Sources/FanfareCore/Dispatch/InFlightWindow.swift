/// How many requests one connection may have in flight.
///
/// The session queues without bound what the peer has no room for, so the gate is ours: the smallest of
/// our own cap, the peer's SETTINGS_MAX_CONCURRENT_STREAMS as it changes, what is left of it where the
/// peer has asked for calm, and, while a connection proves itself, one.
package struct InFlightWindow: Equatable, Sendable {
    /// Our own cap, from `--streams`.
    package let cap: Int
    /// What the peer allows; `nil` before its first SETTINGS.
    package private(set) var peerLimit: UInt32?
    /// Only one request until the first answer: with token authentication APNs allows one stream
    /// until it has seen a valid token, also if its first SETTINGS say more.
    package var isProbing: Bool
    package private(set) var inFlight = 0
    /// What ENHANCE_YOUR_CALM has left of it; `nil` where the peer has not said so.
    package private(set) var calm: Calm?

    /// - Parameters:
    ///   - cap: Our own limit.
    ///   - isProbing: One request first, until it is answered.
    ///   - calm: What ENHANCE_YOUR_CALM has left of the connections before it.
    package init(cap: Int, isProbing: Bool, calm: Int? = nil) {
        precondition(cap > 0)
        self.cap = cap
        self.isProbing = isProbing
        self.calm = calm.map { Calm(limit: $0, answersLeft: $0, isFresh: false, reached: $0) }
    }

    /// Whether requests may be in flight side by side: the peer has told its limit, and answered the
    /// request that goes alone.
    package var isProven: Bool { peerLimit != nil && !isProbing }

    /// The requests that may be in flight together.
    ///
    /// Before SETTINGS have arrived RFC 9113 allows any number, and peers punish it with GOAWAY:
    /// one request is enough to use the round trip.
    package var limit: Int {
        guard let peerLimit, isProven else { return min(cap, Int(peerLimit ?? 1), 1) }
        return min(cap, Int(clamping: peerLimit), calm?.limit ?? .max)
    }

    /// Whether the peer allows one request at a time, and we would have more.
    package var isCut: Bool { isProven && peerLimit == 1 && cap > 1 }

    /// The requests that may start now.
    package var room: Int { max(0, limit - inFlight) }

    package mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        peerLimit = maxConcurrentStreams
    }

    package mutating func opened() {
        inFlight += 1
    }

    /// A slot becomes free by the end of its stream, of every kind, and by nothing else.
    package mutating func closed() {
        precondition(inFlight > 0, "BUG: a stream ended that was not in flight")
        inFlight -= 1
        // Of a flight that was in the way, resets are ends as much as answers.
        if calm?.isFresh == true { calm?.answersLeft -= 1 }
    }

    /// The peer has ended a stream with ENHANCE_YOUR_CALM: half of what is in flight, at most once in a
    /// flight.
    package mutating func calmed() {
        if let calm, calm.answersLeft > 0 && calm.isFresh { return }
        let reached = max(min(inFlight, limit), 1)
        calm = Calm(
            limit: max(reached / 2, 1), answersLeft: inFlight, isFresh: true, reached: reached)
    }

    /// An answer came: with each flight of them a connection that was calmed gets a bit more, and where
    /// the peer asked for calm before, with each sixteenth flight.
    package mutating func answered() {
        isProbing = false
        guard calm != nil else { return }
        if calm?.isFresh == false { calm?.answersLeft -= 1 }
        guard let left = calm?.answersLeft, let reached = calm?.limit, left <= 0 else { return }
        let next = reached + max(reached / 16, 1)
        let isOver = next >= min(cap, Int(clamping: peerLimit ?? .max))
        calm = isOver ? nil : calm?.grown(to: next)
    }

    /// A window that recovers from ENHANCE_YOUR_CALM.
    package struct Calm: Equatable, Sendable {
        var limit: Int
        /// Answers until it grows; while it is fresh, ends of every kind of streams from before it
        /// shrank.
        var answersLeft: Int
        var isFresh: Bool
        /// As many were in flight when the peer last asked for fewer.
        var reached: Int

        func grown(to limit: Int) -> Calm {
            // Each look above costs a request.
            let flights = limit >= reached - 1 ? 16 : 1
            return Calm(
                limit: limit, answersLeft: limit * flights, isFresh: false, reached: reached)
        }
    }
}
