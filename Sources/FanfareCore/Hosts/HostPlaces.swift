package import FanfareBase

/// The connections that the hosts of a lane may have together, and the hosts that make room for others.
///
/// The first connection of a host is its place, and a host that answers gets more as long as there are some. When all
/// are in use, a host gives way, of the first kind that there is:
/// ```
///  idle       no row, no answer awaited     closed, the one that has been so for the longest time
///  with more  several connections           leaves one, the one that has the most
///  waiting    its rows wait, and nothing    sits out, the one that waits for the longest time; its rows stay with it
///  looked up  its name is, for long now     is taken for one whose dial failed, the one that has been so for the longest time
///  asked      it owes an answer             given up after a time, the one that has owed it for the longest time
///  at work    it answers, and has rows      sits out behind its next answers, once it has had its place for a time
/// ```
package struct HostPlaces: Sendable {
    /// The work of an open host.
    package enum Work: Equatable, Sendable {
        /// It has no row, since then.
        case idle(since: Instant)
        /// Its rows wait for their next attempt or for a connection, until then.
        case waiting(until: Instant)
        /// It has owed a connection or an answer since then, and given none meanwhile; it has had its place since
        /// the second time.
        case asked(since: Instant, placed: Instant)
        /// The same for one that leaves its place when it has answered.
        case leaving(since: Instant)
        /// It waits for the addresses of its name, since then.
        case lookedUp(since: Instant)
        /// It has no connection, so that others may, until then; the number of times that it has sat out.
        case sittingOut(until: Instant, times: Int)
        /// It was given up, and has its last rows reported.
        case givenUp
        /// It needs no connection, or owes nothing and cannot leave: its name waits to be looked up, or there is news.
        case apart
    }

    /// An open host.
    package struct Host: Equatable, Sendable {
        package var work: Work
        /// The connections that it has or wants.
        package var connections: Int

        package init(_ work: Work, connections: Int = 1) {
            self.work = work
            self.connections = connections
        }
    }

    /// The next step to make room for a host.
    package enum Action: Equatable, Sendable {
        /// There is room.
        case open
        /// The host is closed: it has no rows.
        case close(Int)
        /// The host wants a connection less.
        case shrink(Int)
        /// The host sits out.
        case sitOut(Int)
        /// The host waits for its name no longer, which counts as a failed dial: later it may try again.
        case endLookup(Int)
        /// The host is given up, and asked no more; the time for which it has given no answer.
        case giveUp(Int, after: Duration)
        /// The host starts nothing more, and sits out when it has answered.
        case endTurn(Int)
        /// The host, which sits out, is given up; the time until its rows go on.
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
    ///   - hosts: The open hosts.
    ///   - now: The time.
    /// - Returns: The next step; after each but `open` and `wait` there is another.
    package func room(connections: Int, hosts: some Sequence<Host>, now: Instant) -> Action {
        guard connections >= connectionsMax else { return .open }
        var found = Found()
        for (index, host) in hosts.enumerated() { found.look(at: host, index, now: now) }
        if let idle = found.idle { return .close(idle.index) }
        // A host that was given up makes room by itself.
        if found.isEnding { return .wait }
        if let most = found.most { return .shrink(most.index) }
        let mayLeave = found.outCount < sittingOutMax
        if let waiting = found.waiting {
            if mayLeave { return .sitOut(waiting.index) }
            if let out = found.out {
                return .dismiss(out.index, waiting: Self.time(from: now, to: out.until))
            }
        }
        if let lookup = found.lookup,
            Self.time(from: lookup.since, to: now) >= Limits.hostLookupWanted
        {
            return .endLookup(lookup.index)
        }
        if let asked = found.asked {
            let time = Self.time(from: asked.since, to: now)
            if time >= Limits.hostPatienceWanted { return .giveUp(asked.index, after: time) }
        }
        if mayLeave, let placed = found.placed,
            Self.time(from: placed.since, to: now) >= Limits.hostTurn
        {
            return .endTurn(placed.index)
        }
        return .wait
    }

    private static func time(from begin: Instant, to end: Instant) -> Duration {
        .nanoseconds(end.nanoseconds(since: begin))
    }

    /// The first host of each kind.
    private struct Found {
        var idle: (index: Int, since: Instant)?
        var most: (index: Int, connections: Int)?
        var waiting: (index: Int, until: Instant)?
        var lookup: (index: Int, since: Instant)?
        var asked: (index: Int, since: Instant)?
        var placed: (index: Int, since: Instant)?
        /// One that sits out, and whose time has not come: of those that have done so most often.
        var out: (index: Int, until: Instant, times: Int)?
        /// The hosts that sit out, or will.
        var outCount = 0
        var isEnding = false

        mutating func look(at host: Host, _ index: Int, now: Instant) {
            switch host.work {
            case .idle(let since):
                if since < idle?.since ?? .distantFuture { idle = (index, since) }
            case .waiting(let until):
                if until > waiting?.until ?? now { waiting = (index, until) }
            case .asked(let since, let placed):
                owes(index, since)
                if placed < self.placed?.since ?? .distantFuture { self.placed = (index, placed) }
            case .leaving(let since):
                outCount += 1
                owes(index, since)
            case .lookedUp(let since):
                if since < lookup?.since ?? .distantFuture { lookup = (index, since) }
            case .sittingOut(let until, let times):
                outCount += 1
                if until > now, (times, until) > (out?.times ?? 0, out?.until ?? .distantPast) {
                    out = (index, until, times)
                }
                return
            case .givenUp: isEnding = true
            case .apart: return
            }
            if host.connections > most?.connections ?? 1 { most = (index, host.connections) }
        }

        private mutating func owes(_ index: Int, _ since: Instant) {
            if since < asked?.since ?? .distantFuture { asked = (index, since) }
        }
    }
}

/// The order in which hosts get the places that become free: one of a new row and one that has sat out by turns.
///
/// Otherwise a list of ever new hosts would keep those that sit out from coming back, or the other way round.
package struct PlaceTurns: Sendable {
    /// True if a host of a new row has got the last place.
    private var isReturnsTurn = false

    package init() {}

    /// Finds a place for a host of a new row.
    /// - Parameters:
    ///   - isReturning: True if the time of any has come that sits out.
    ///   - makesRoom: Makes room for a host; false if there is none.
    ///   - bringsBack: Gives the room that was made to the one of those whose time has come first.
    /// - Returns: True if there is a place.
    package mutating func placeNew(
        isReturning: () -> Bool, makesRoom: () -> Bool, bringsBack: () -> Void
    ) -> Bool {
        if isReturnsTurn, isReturning() {
            guard makesRoom() else { return false }
            bringsBack()
            isReturnsTurn = false
        }
        guard makesRoom() else { return false }
        isReturnsTurn = true
        return true
    }
}

extension Limits {
    /// The hosts of a job that sit out at a time.
    ///
    /// Each keeps its rows, and the little that an engine has without connections. Mostly that is one batch of 32 rows
    /// with 20 KiB, which are 20 MiB for all. At most it is three batches, 64 rows of 1 KiB that wait for their next
    /// attempt, and two blocks of 16 KiB of the rows in the file: 156 MiB. When there are more hosts, one of those that
    /// have sat out most often is given up, and its rows are for a later run.
    package static let hostsSittingOutMax = 1024

    /// The time without an answer after which a host is given up whose connection another one needs.
    ///
    /// Senders of webhooks commonly wait for ten seconds, so that a receiver has to be faster anyway.
    package static let hostPatienceWanted = Duration.seconds(10)

    /// The time after which a host whose name is being looked up leaves its place to others that wait for one.
    ///
    /// Most names are known within a tenth of a second, and all but those whose name servers are silent within this. After
    /// three times (`hostDials`) it is given up.
    package static let hostLookupWanted = Duration.seconds(3)

    /// The time after which a host that has further rows leaves its place to others that wait for one.
    ///
    /// A new connection takes some tenths of a second, which are a few percent of that.
    package static let hostTurn = Duration.seconds(10)
}
