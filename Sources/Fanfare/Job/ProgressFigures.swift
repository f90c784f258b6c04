package import FanfareCore

/// The sums of what a job has done so far, which never fall: those of lanes, of routes and of a client's jobs
/// add up.
package struct ProgressCounts: Sendable, Equatable {
    /// Rows by their outcome.
    package var outcomes = OutcomeCounts()
    /// Rows that lanes have taken up, with those that have no outcome yet.
    var rowsTaken: UInt64 = 0
    /// Rows of these that were only to be looked at, and are good.
    package var valid: UInt64 = 0
    /// Rows of these that are for no provider of the job; all are `invalid`.
    var routeless: UInt64 = 0
    /// Rows by their variant, from the first one on, and by their outcome.
    var variants: [OutcomeCounts] = []
    /// The attempts that have ended, without provably unprocessed ones, by the meanings of their
    /// ends.
    package var attemptOutcomes = OutcomeCounts()
    /// Attempts beyond the first ones of rows that have an outcome.
    package var retries: UInt64 = 0
    /// Connections that got as far as sending requests.
    package var connectionsOpened: UInt64 = 0
    /// Bytes of the connections' outgoing traffic.
    package var bytesSent: UInt64 = 0
    /// The lanes' time by its limiting causes.
    package var limits = LimitTimes()
    /// The latencies of answers; nothing until a caller has looked for a tenth of a second.
    package var latency = LatencyHistogram()

    /// Nothing was done yet.
    package init() {}

    /// The sums that a tally has.
    init(_ tally: Tally) {
        outcomes = tally.outcomes
        rowsTaken = tally.rowsRead
        valid = tally.valid
        routeless = tally.routelessCount
        variants = tally.variants
        retries = tally.retries
        connectionsOpened = tally.connectionsOpened
        bytesSent = tally.bytesSent
    }

    /// Rows that have an outcome.
    package var finished: UInt64 { outcomes.all }

    /// The same without the rows that are for no provider.
    var ofRoutes: ProgressCounts {
        var counts = self
        counts.outcomes[.invalid] -= routeless
        counts.routeless = 0
        return counts
    }

    static func += (sum: inout ProgressCounts, more: ProgressCounts) {
        sum.outcomes += more.outcomes
        sum.rowsTaken += more.rowsTaken
        sum.valid += more.valid
        sum.routeless += more.routeless
        while sum.variants.count < more.variants.count { sum.variants.append(OutcomeCounts()) }
        for index in more.variants.indices { sum.variants[index] += more.variants[index] }
        sum.attemptOutcomes += more.attemptOutcomes
        sum.retries += more.retries
        sum.connectionsOpened += more.connectionsOpened
        sum.bytesSent += more.bytesSent
        sum.limits = sum.limits + more.limits
        sum.latency.merge(more.latency)
    }
}

/// The state of a job at a moment, of which nothing is left at its end.
package struct ProgressGauges: Sendable, Equatable {
    /// Requests that wait for their answer.
    package var inFlight = 0
    /// Connections that are open.
    package var connections = 0
    /// The connections by their states.
    package var connectionStates = ConnectionStateCounts()
    /// Requests that may be in flight on the open connections together.
    package var streamLimit = 0
    /// Requests that may be in flight as the windows that follow the provider have it; `nil` without.
    package var adaptiveLimit: Int?
    /// The room in the flow-control windows of the open connections, in bytes.
    package var sendWindow = 0
    /// The trouble of a lane whose provider has not answered for a while; the longest one.
    package var trouble: ProviderTrouble?
    /// The pauses of lanes whose provider has refused what it got, as one; `nil` without.
    package var lanePause: ProviderPause?
    /// Requests that wait for their answer on lanes without a pause.
    package var inFlightElsewhere = 0

    /// Nothing is there yet.
    package init() {}

    /// The pause of one provider, if all of its lanes wait; `nil` if it takes the rows of any.
    package var pause: ProviderPause? { inFlightElsewhere == 0 ? lanePause : nil }

    static func += (sum: inout ProgressGauges, more: ProgressGauges) {
        sum.inFlight += more.inFlight
        sum.connections += more.connections
        sum.connectionStates.add(more.connectionStates)
        sum.streamLimit += more.streamLimit
        if let limit = more.adaptiveLimit { sum.adaptiveLimit = (sum.adaptiveLimit ?? 0) + limit }
        sum.sendWindow += more.sendWindow
        if let longer = more.trouble, longer.seconds > sum.trouble?.seconds ?? 0 {
            sum.trouble = longer
        }
        sum.inFlightElsewhere += more.inFlightElsewhere
        if let pause = more.lanePause {
            if sum.lanePause == nil { sum.lanePause = pause } else { sum.lanePause? += pause }
        }
    }
}

/// The number of connections in each state.
package struct ConnectionStateCounts: Sendable, Equatable {
    package var connecting = 0
    package var open = 0
    package var leaving = 0
    package var draining = 0

    /// The counts with their names.
    package var named: [(name: String, count: Int)] {
        [
            ("connecting", connecting), ("open", open), ("leaving", leaving),
            ("draining", draining),
        ]
    }

    mutating func count(_ state: ConnectionRecord.State) {
        switch state {
        case .unused: break
        case .connecting: connecting += 1
        case .open: open += 1
        case .leaving: leaving += 1
        case .draining: draining += 1
        }
    }

    mutating func add(_ other: ConnectionStateCounts) {
        connecting += other.connecting
        open += other.open
        leaving += other.leaving
        draining += other.draining
    }
}
