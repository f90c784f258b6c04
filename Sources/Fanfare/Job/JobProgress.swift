import FanfareBase
package import FanfareCore
import FanfareHTTP2
import Synchronization

/// The progress of a job, for a caller that shows it.
///
/// The lanes update it a few times a second.
final class JobProgress: Sendable {
    private let lanes: Mutex<[ProgressSnapshot]>
    private let hasBeenLookedAt = Atomic(false)

    init(lanes: Int) {
        self.lanes = Mutex(Array(repeating: ProgressSnapshot(), count: lanes))
    }

    func update(lane: Int, _ snapshot: ProgressSnapshot) {
        lanes.withLock { $0[lane] = snapshot }
    }

    /// True if a caller has looked: only then are a lane's latencies copied, which are 33 KiB.
    var isWatched: Bool { hasBeenLookedAt.load(ordering: .relaxed) }

    /// The sum over all lanes.
    ///
    /// The first look has no latencies yet, unless the lanes have been told to expect it.
    var snapshot: ProgressSnapshot {
        watch()
        return lanes.withLock { lanes in
            var sum = ProgressSnapshot()
            for lane in lanes { sum += lane }
            return sum
        }
    }

    /// The sum over some lanes.
    func snapshot(ofLanes range: Range<Int>) -> ProgressSnapshot {
        lanes.withLock { lanes in
            var sum = ProgressSnapshot()
            for lane in lanes[range] { sum += lane }
            return sum
        }
    }

    /// Rows of all lanes that have an outcome; asking for them watches nothing.
    var finished: UInt64 {
        lanes.withLock { $0.reduce(0) { $0 + $1.counts.finished } }
    }

    /// Rows that lanes have taken up, a tenth of a second ago at most.
    var rowsTaken: UInt64 {
        lanes.withLock { $0.reduce(0) { $0 + $1.counts.rowsTaken } }
    }

    /// The outcomes of all lanes; asking for them watches nothing.
    var outcomes: OutcomeCounts {
        lanes.withLock { lanes in
            var sum = OutcomeCounts()
            for lane in lanes { sum += lane.counts.outcomes }
            return sum
        }
    }

    /// A caller is going to look.
    func watch() {
        hasBeenLookedAt.store(true, ordering: .relaxed)
    }
}

/// A moment of a job.
public struct ProgressSnapshot: Sendable, Equatable {
    /// The sums of what the job has done so far.
    package var counts = ProgressCounts()
    /// The state at the moment.
    package var gauges = ProgressGauges()
    /// True if the job is paused: it starts no new requests for now.
    public package(set) var isPaused = false
    /// True if all rows are done, and the job puts the report in their order.
    public package(set) var isOrdering = false
    /// Rows that wait for their window, while there is nothing else to send.
    public package(set) var waitingRows: UInt64 = 0
    /// Until when they wait, in milliseconds of UNIX time.
    public package(set) var waitsUntilMilliseconds: Int64?
    /// The opening of the last window that rows wait for, in milliseconds of UNIX time; `nil` if
    /// none waits.
    package var lastOpeningMilliseconds: Int64?
    /// The finished share of the inputs, from 0 to 1; `nil` if one of them is a pipe, or has no
    /// end.
    ///
    /// It is the share of the bytes that have been read, compressed ones in a compressed file,
    /// times the share of the rows read that have an outcome.
    public package(set) var inputShare: Double?
    /// The same for each provider, if the job has several.
    public package(set) var routes: [RouteProgress] = []
    /// The figures of all workers together, if several share the job.
    package var wholeJob: WholeJob?
    /// Rows by the name of their variant and by their outcome, if the job has variants.
    package var variants: OutcomeGroups?

    /// Nothing has happened yet.
    package init() {}

    /// Rows that have an outcome.
    public var finished: UInt64 { counts.finished }
    /// Rows that the provider took.
    public var accepted: UInt64 { counts.outcomes[.accepted] }
    /// Rows whose token is dead.
    public var unregistered: UInt64 { counts.outcomes[.unregistered] }
    /// Requests that wait for their answer.
    public var inFlight: Int { gauges.inFlight }
    /// Connections that are open.
    public var connections: Int { gauges.connections }
    /// Attempts beyond the first ones of rows that have an outcome.
    public var retries: UInt64 { counts.retries }
    /// Connections that got as far as sending requests.
    public var connectionsOpened: UInt64 { counts.connectionsOpened }
    /// Bytes of the connections' outgoing traffic.
    public var bytesSent: UInt64 { counts.bytesSent }

    /// The number of rows that have an outcome of a kind, in this run.
    public func count(of kind: PushOutcome.Kind) -> UInt64 { counts.outcomes[kind.outcome] }

    /// Rows by the name of their outcome.
    package var outcomes: [String: UInt64] {
        var outcomes: [String: UInt64] = [:]
        for outcome in Outcome.allCases {
            outcomes[outcome.name.description] = counts.outcomes[outcome]
        }
        return outcomes
    }

    /// Returns the cause that has limited the job most since an earlier moment, in words: `stream
    /// limit`.
    ///
    /// The result is `nil` if no time has passed.
    public func limitation(since earlier: ProgressSnapshot) -> String? {
        heldBy(since: earlier)?.text
    }

    /// Returns the cause that has limited the job most since an earlier moment.
    package func heldBy(since earlier: ProgressSnapshot) -> Limitation? {
        (counts.limits - earlier.counts.limits).ranked.first?.limitation
    }

    /// The providers that let nothing start for now, with their names if the job has several.
    package var pauses: [(provider: Provider?, pause: ProviderPause)] {
        guard !routes.isEmpty else { return gauges.pause.map { [(nil, $0)] } ?? [] }
        return routes.compactMap { route in
            route.gauges.pause.map { (route.provider, $0) }
        }
    }

    /// Adds the figures of another part of the job at the same moment.
    static func += (sum: inout ProgressSnapshot, part: ProgressSnapshot) {
        sum.counts += part.counts
        sum.gauges += part.gauges
    }
}

extension LaneEngine {
    /// The gauges at this moment.
    var levels: SeriesSampler.Levels {
        var levels = SeriesSampler.Levels(requestsInFlight: UInt64(books.dispatcher.inFlightCount))
        for index in connections.indices where connections[index]?.phase == .open {
            levels.connections += 1
            // Some peers allow billions, and mean as many as one likes.
            let allowed = min(books.dispatcher.window(of: index).limit, Limits.streamsMax)
            levels.requestsAllowed += UInt64(allowed)
        }
        return levels
    }

    /// The lane's part of the progress.
    var snapshot: ProgressSnapshot {
        var snapshot = ProgressSnapshot()
        snapshot.counts = ProgressCounts(books.report.tally)
        snapshot.counts.attemptOutcomes = connections.attemptOutcomes
        snapshot.counts.limits = limits.times
        snapshot.gauges = gauges
        return snapshot
    }

    /// The state of the lane at the moment.
    var gauges: ProgressGauges {
        var gauges = ProgressGauges()
        gauges.inFlight = books.dispatcher.inFlightCount
        gauges.adaptiveLimit = books.dispatcher.adaptiveLimit
        for index in connections.indices {
            gauges.connectionStates.count(books.dispatcher[connection: index].state)
            guard let connection = connections[index], connection.phase == .open else { continue }
            gauges.connections += 1
            gauges.streamLimit += books.dispatcher.window(of: index).limit
            gauges.sendWindow += connection.sendWindow
        }
        gauges.trouble = connections.watch.lastingTrouble(books.dispatcher)
        gauges.lanePause = connections.watch.pause
        if gauges.lanePause == nil { gauges.inFlightElsewhere = gauges.inFlight }
        return gauges
    }
}
