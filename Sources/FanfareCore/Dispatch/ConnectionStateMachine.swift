/// One connection to the provider, as decisions only.
///
/// ```
///  unused ──► connecting ──► open ──► leaving ──► draining ──► unused
///                 │            │         │           │           ▲
///                 └────────────┴─────────┴── lost ───┴───────────┘
/// ```
package struct ConnectionStateMachine: Sendable {
    package enum State: Equatable, Sendable {
        /// No transport. May become `connecting`.
        case unused
        /// TCP and TLS are being set up; in the clear the peer's SETTINGS are to come, too. May become `open`, `unused`.
        case connecting
        /// Requests may start, as far as the window allows. May become `leaving`, `draining`,
        /// `unused`.
        case open
        /// The same, until its replacement is up. May become `draining`, `unused`.
        case leaving
        /// Running requests may finish, none may start. May become `unused`.
        case draining
    }

    package private(set) var state: State = .unused
    package private(set) var window: InFlightWindow

    private let cap: Int

    /// - Parameter cap: Our own limit of requests in flight on the connection.
    package init(cap: Int) {
        self.cap = cap
        window = InFlightWindow(cap: cap, isProbing: true)
    }

    package mutating func dialStarted() {
        precondition(state == .unused, "BUG: dial while \(state)")
        state = .connecting
    }

    /// The transport is up, and HTTP/2 is spoken there.
    /// - Parameters:
    ///   - startsAlone: One request first, until it is answered: token authentication, or trouble.
    ///   - calm: What ENHANCE_YOUR_CALM has left of the connections before it; `nil` where all is well.
    ///   - capacity: What the peer was seen to take on others; `nil` where that is what it allows.
    package mutating func connected(startsAlone: Bool, calm: Int? = nil, capacity: Int? = nil) {
        precondition(state == .connecting, "BUG: connected while \(state)")
        state = .open
        window = InFlightWindow(
            cap: cap, isProbing: startsAlone, calm: calm, capacity: capacity)
    }

    package mutating func settingsReceived(maxConcurrentStreams: UInt32) {
        window.settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
    }

    /// The peer has ended a stream because there are too many.
    package mutating func calmed() {
        window.calmed()
    }

    /// The peer has refused a stream that it allowed.
    package mutating func refused() {
        window.refused()
    }

    /// The requests that may start now.
    package var room: Int { takesRequests ? window.room : 0 }

    package var takesRequests: Bool { state == .open || state == .leaving }

    package mutating func requestStarted() {
        precondition(takesRequests, "BUG: request started while \(state)")
        window.opened()
    }

    package enum RequestEndedAction: Equatable, Sendable {
        case goOn
        /// It was draining, and this was its last request.
        case close
    }

    /// A request has left the connection, with an answer or without one.
    /// - Parameter wasAnswered: The provider answered it, so a probe has done its work.
    /// - Returns: What becomes of the connection.
    package mutating func requestEnded(wasAnswered: Bool) -> RequestEndedAction {
        window.closed()
        if wasAnswered { window.answered() }
        return state == .draining && window.inFlight == 0 ? .close : .goOn
    }

    package enum RetireAction: Equatable, Sendable {
        /// Nothing is in flight: close it now.
        case close
        /// It closes by itself with its last request.
        case drain
        /// It was on its way out already.
        case none
    }

    /// It has become old: it goes on until another one has taken its place.
    package mutating func leave() {
        precondition(state == .open, "BUG: asked to leave while \(state)")
        state = .leaving
    }

    /// No more requests on this connection: GOAWAY, an old token, or the end of the job.
    package mutating func retire() -> RetireAction {
        switch state {
        case .unused, .draining:
            return .none
        case .connecting:
            return .close
        case .open, .leaving:
            state = .draining
            return window.inFlight == 0 ? .close : .drain
        }
    }

    /// The transport is gone.
    ///
    /// What was in flight must have been taken off before.
    package mutating func lost() {
        precondition(window.inFlight == 0, "BUG: a lost connection still has requests in flight")
        state = .unused
    }
}
