import FanfareBase
import FanfareCore

/// Sums over hosts; nothing in them grows with the number of hosts.
struct HostSums {
    var tally = Tally()
    var latency = LatencyHistogram()
    /// Rows taken up that got no outcome because the job stopped.
    var rowsLeft: UInt64 = 0
    /// Rows that an earlier run has left in doubt.
    var interrupted: UInt64 = 0
    var attemptOutcomes = OutcomeCounts()

    /// Adds what a host has done.
    mutating func add(_ engine: borrowing LaneEngine) {
        tally.merge(engine.books.report.tally)
        latency.merge(engine.connections.latency)
        rowsLeft += engine.books.rowsLeft
        interrupted += engine.books.report.interruptedCount
        attemptOutcomes += engine.connections.attemptOutcomes
    }
}

/// The reports of a lane of hosts to others: progress, the course over time, the guard, the log.
struct HostFigures {
    private let isGuarded: Bool
    private let route: Lane.Route
    private var sampler: SeriesSampler?
    private var nextProgress = Instant(nanoseconds: .min)
    private var toldAnswers: UInt64 = 0

    /// - Parameters:
    ///   - settings: The settings of the lane.
    ///   - route: The state that it shares with the other lanes of its route.
    ///   - moment: UNIX time in milliseconds.
    init(_ settings: LaneSettings, _ route: Lane.Route, at moment: Int64) {
        isGuarded = route.outcomeGuard.isWatching
        self.route = route
        if settings.keepsSeries { sampler = SeriesSampler(now: moment) }
    }

    var series: TimeSeries? { sampler?.series }

    /// The time at which it has something to tell.
    var due: Instant { nextProgress }

    /// Tells all that is due.
    mutating func tell(_ hosts: HostLanes, now: Instant) {
        for lane in hosts.lanes { lane.tellEvents(to: hosts.shared.log) }
        let isDue = now >= nextProgress
        // The last word counts, however short the job was.
        guard isDue || hosts.isFinished else { return }
        nextProgress = now.advanced(by: Limits.progressInterval)
        for lane in hosts.lanes { lane.look(rowCount: route.rows.rowCount) }
        let sums = hosts.sums
        let moment = hosts.unixMilliseconds(at: now)
        if sampler != nil {
            let levels = hosts.table.levels
            sampler?.sample(
                at: moment, sums.tally, sums.latency,
                levels: SeriesSampler.Levels(
                    connections: UInt64(levels.connections),
                    requestsInFlight: UInt64(levels.requestsInFlight),
                    requestsAllowed: UInt64(levels.connections)))
        }
        if isGuarded {
            var outcomes = sums.tally.judged
            outcomes[.unknown] -= sums.interrupted
            _ = route.outcomeGuard.update(
                lane: hosts.number, outcomes, rowCount: route.rows.rowCount)
        }
        hosts.shared.progress.update(lane: hosts.number, hosts.snapshot(sums))
        if !route.contact.isReached, sums.tally.connectionsOpened > 0 {
            route.contact.wasReached()
        }
        if sums.latency.count != toldAnswers {
            toldAnswers = sums.latency.count
            route.contact.wasAnswered(at: now)
        }
    }
}
