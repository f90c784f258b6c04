package import FanfareBase

/// The proof that a route's provider takes what all of its rows have in common: the project, the key, the topic.
///
/// Until its first answer one request of the route is on its way, on one of the connections of all lanes. So
/// an answer that is about all rows costs one of them. A provider that says nothing for a while is asked by
/// all, for a single connection may lead to a server that is dead.
///
/// Two other rules begin with little, and no value serves all three, because they ask different things at
/// different places. A connection begins with one request (`DispatchSettings.firstRequestAlone`) because its
/// own token and its peer's limit of streams are not known yet: the question comes again with each connection,
/// and its answer opens one window. A job of several workers begins with one of them
/// (`ClusterPatience.provingRows`), because the rows themselves may be wrong: that takes the outcomes of many
/// rows, and the workers share the state by a server, where no five seconds end it.
///
/// ```
///  open ──► asked ──► answered
///   ▲         │
///   └─────────┘ the attempt has ended without an answer
/// ```
package struct RouteProof: Sendable, Equatable {
    /// The time for which a first request keeps the others back.
    package static let patience = Duration.seconds(5)

    private enum State: Equatable {
        case open
        /// The first request of this lane is on its way.
        case asked(lane: Int, until: Instant)
        case answered
    }
    private var state = State.open

    /// The news that a lane has about its own requests.
    package enum News: Equatable, Sendable {
        case none
        /// The provider has answered, and not about all rows.
        case answered
        /// The lane's first request has ended without an answer.
        case unanswered
    }

    /// The leave of a lane to start requests.
    package enum Leave: Equatable, Sendable {
        /// As many as it likes.
        case any
        /// One, if it claims it.
        case first
        /// None before this time, unless the answer comes.
        case none(until: Instant)
    }

    package init() {}

    /// True while lanes wait for the answer to a first request.
    package var isHolding: Bool { if case .asked = state { true } else { false } }

    /// Hears a lane's news.
    /// - Parameters:
    ///   - news: The news.
    ///   - lane: The number of the lane.
    ///   - now: The time.
    /// - Returns: The leave that the lane has.
    package mutating func hear(_ news: News, from lane: Int, now: Instant) -> Leave {
        switch (news, state) {
        case (.answered, _): state = .answered
        case (.unanswered, .asked(lane, _)): state = .open
        case (.none, _), (.unanswered, _): break
        }
        switch state {
        case .open: return .first
        case .answered: return .any
        case .asked(_, let until): return now < until ? .none(until: until) : .any
        }
    }

    /// Takes the first request for a lane.
    /// - Parameters:
    ///   - lane: The number of the lane.
    ///   - now: The time.
    /// - Returns: The time until which it keeps the others back; `nil` if another lane was first.
    package mutating func claim(by lane: Int, now: Instant) -> Instant? {
        guard state == .open else { return nil }
        let until = now.advanced(by: Self.patience)
        state = .asked(lane: lane, until: until)
        return until
    }
}
