/// How many requests one connection may have in flight.
///
/// The session queues without bound what the peer has no room for, so the gate is ours: the smallest of
/// our own cap, the peer's SETTINGS_MAX_CONCURRENT_STREAMS as it changes, and, while a connection
/// proves itself, one.
package struct InFlightWindow: Equatable, Sendable {
    /// Our own cap, from `--streams`.
    package let cap: Int
    /// What the peer allows; `nil` before its first SETTINGS.
    package private(set) var peerLimit: UInt32?
    /// Only one request until the first answer: with token authentication APNs allows one stream
    /// until it has seen a valid token, whatever its first SETTINGS say.
    package var isProbing: Bool
    package private(set) var inFlight = 0

    package init(cap: Int, isProbing: Bool) {
        precondition(cap > 0)
        self.cap = cap
        self.isProbing = isProbing
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
        return min(cap, Int(clamping: peerLimit))
    }

    /// The requests that may start now.
    package var room: Int { max(0, limit - inFlight) }

    package mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        peerLimit = maxConcurrentStreams
    }

    package mutating func opened() {
        inFlight += 1
    }

    /// A slot becomes free by the end of its stream and nothing else, whatever ended it.
    package mutating func closed() {
        precondition(inFlight > 0, "BUG: a stream ended that was not in flight")
        inFlight -= 1
    }
}
