package import FanfareBase

/// The connections that the hosts of a lane may have together, and the hosts that make room for others.
///
/// The first connection of a host is its place, and a host that answers gets more as long as there are some. When all
/// are in use, a host gives way that does not need its own:
/// ```
///  idle     no row, no answer awaited       closed, the one that has been so for the longest time
///  waiting  its rows wait, and nothing else sits out, the one that waits for the longest time; its rows stay with it
///  asked    an answer is awaited            given up after a time, the one that was asked first
/// ```
package struct HostPlaces: Sendable {
    /// The work of an open host.
    package enum Work: Equatable, Sendable {
        /// It has no row, since then.
        case idle(since: Instant)
        /// Its rows wait for their next attempt or for a connection, until then.
        case waiting(until: Instant)
        /// It was asked for a connection or an answer then, and has not given it.
        case asked(since: Instant)
        /// It has no connection, so that others may, until then.
        case sittingOut(until: Instant)
        /// It was given up, and has its last rows reported.
        case givenUp
        /// It needs no connection.
        case apart
    }

    /// The next step to make room for a host.
    package enum Action: Equatable, Sendable {
        /// There is room.
        case open
        /// The host is closed: it has no rows.
        case close(Int)
        /// The host sits out.
        case sitOut(Int)
        /// The host is given up, and asked no more; the time for which it has given no answer.
        case giveUp(Int, after: Duration)
        /// The host that sits out for the longest time is given up; the wait that it asks for.
        case dismiss(Int, waiting: Duration)
        /// There is no room now.
        case wait
    }

    /// The most connections.
    package let connectionsMax: Int
    /// The most hosts that sit out.
    package let sittingOutMax: Int

    package init(connectionsMax: Int, sittingOutMax: Int = Limits.hostsSittingOutMax) {
        self.connectionsMax = connectionsMax
        self.sittingOutMax = sittingOutMax
    }

    /// Makes room for a host that needs a connection.
    /// - Parameters:
    ///   - connections: The connections that the open hosts have or want, those that sit out left out.
    ///   - works: The work of each open host.
    ///   - now: The time.
    /// - Returns: The next step; after each but `open` and `wait` there is another.
    package func room(connections: Int, works: some Sequence<Work>, now: Instant) -> Action {
        guard connections >= connectionsMax else { return .open }
        var idle: (index: Int, since: Instant)?
        var waiting: (index: Int, until: Instant)?
        var asked: (index: Int, since: Instant)?
        var out: (index: Int, until: Instant)?
        var outCount = 0
        var isEnding = false
        for (index, work) in works.enumerated() {
            switch work {
            case .idle(let since):
                if since < idle?.since ?? .distantFuture { idle = (index, since) }
            case .waiting(let until):
                if until > waiting?.until ?? now { waiting = (index, until) }
            case .asked(let since):
                if since < asked?.since ?? .distantFuture { asked = (index, since) }
            case .sittingOut(let until):
                outCount += 1
                if until > out?.until ?? .distantPast { out = (index, until) }
            case .givenUp: isEnding = true
            case .apart: continue
            }
        }
        if let idle { return .close(idle.index) }
        // A host that was given up makes room by itself.
        if isEnding { return .wait }
        if let waiting {
            guard let out, outCount >= sittingOutMax else { return .sitOut(waiting.index) }
            return .dismiss(out.index, waiting: .nanoseconds(out.until.nanoseconds(since: now)))
        }
        if let asked {
            let time = Duration.nanoseconds(now.nanoseconds(since: asked.since))
            if time >= Limits.hostPatienceWanted { return .giveUp(asked.index, after: time) }
        }
        return .wait
    }
}

extension Limits {
    /// The hosts that sit out at a time.
    ///
    /// Each keeps its rows and the little that an engine has without connections. When there are more, the one that
    /// waits for the longest time is given up, and its rows are for a later run.
    package static let hostsSittingOutMax = 1024

    /// The time without an answer after which a host is given up whose connection another one needs.
    ///
    /// Senders of webhooks commonly wait for ten seconds, so that a receiver has to be faster anyway.
    package static let hostPatienceWanted = Duration.seconds(10)
}
