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
            for lane in lanes { sum.add(lane) }
            return sum
        }
    }

    /// The sum over some lanes.
    func snapshot(ofLanes range: Range<Int>) -> ProgressSnapshot {
        lanes.withLock { lanes in
            var sum = ProgressSnapshot()
            for lane in lanes[range] { sum.add(lane) }
            return sum
        }
    }

    /// Rows of all lanes that have an outcome; asking for them watches nothing.
    var finished: UInt64 {
        lanes.withLock { $0.reduce(0) { $0 + $1.finished } }
    }

    /// A caller is going to look.
    func watch() {
        hasBeenLookedAt.store(true, ordering: .relaxed)
    }
}

/// A moment of a job.
public struct ProgressSnapshot: Sendable, Equatable {
    /// Rows that have an outcome.
    public package(set) var finished: UInt64 = 0
    /// Rows that the provider took.
    public package(set) var accepted: UInt64 = 0
    /// Rows whose token is dead.
    public package(set) var unregistered: UInt64 = 0
    /// Requests that wait for their answer.
    public package(set) var inFlight = 0
    /// Connections that are open.
    public package(set) var connections = 0
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
    /// Rows by their outcome.
    package var counts = OutcomeCounts()
    /// Rows of these that were only to be looked at, and are good.
    package var valid: UInt64 = 0
    /// Rows by their variant, from the first one on, and by their outcome.
    var variantCounts: [OutcomeCounts] = []
    /// The same with the names of the variants, if the job has some.
    package var variants: OutcomeGroups?
    /// The lanes' time by its limiting causes.
    package var limits = LimitTimes()
    /// The attempts that have ended, without provably unprocessed ones, by the meanings of their
    /// ends.
    package var attemptOutcomes = OutcomeCounts()
    /// Attempts beyond the first ones of rows that have an outcome.
    public package(set) var retries: UInt64 = 0
    /// Connections that got as far as sending requests.
    public package(set) var connectionsOpened: UInt64 = 0
    /// Bytes of the connections' outgoing traffic.
    public package(set) var bytesSent: UInt64 = 0
    /// The connections by their states.
    package var connectionStates = ConnectionStateCounts()
    /// Requests that may be in flight on the open connections together.
    package var streamLimit = 0
    /// Requests that may be in flight as the windows that follow the provider have it; `nil` without.
    package var adaptiveLimit: Int?
    /// The trouble of a lane whose provider has not answered for a while; the longest one.
    package var trouble: ProviderTrouble?
    /// The room in the flow-control windows of the open connections, in bytes.
    package var sendWindow = 0
    /// The latencies of answers; nothing until a caller has looked for a tenth of a second.
    package var latency = LatencyHistogram()

    /// Nothing has happened yet.
    package init() {}

    /// The number of rows that have an outcome of a kind, in this run.
    public func count(of kind: PushOutcome.Kind) -> UInt64 { counts[kind.outcome] }

    /// Rows by the name of their outcome.
    package var outcomes: [String: UInt64] {
        var outcomes: [String: UInt64] = [:]
        for outcome in Outcome.allCases { outcomes[outcome.name.description] = counts[outcome] }
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
        (limits - earlier.limits).ranked.first?.limitation
    }

    mutating func add(_ other: ProgressSnapshot) {
        finished += other.finished
        accepted += other.accepted
        unregistered += other.unregistered
        inFlight += other.inFlight
        connections += other.connections
        limits = limits + other.limits
        counts += other.counts
        valid += other.valid
        while variantCounts.count < other.variantCounts.count {
            variantCounts.append(OutcomeCounts())
        }
        for index in other.variantCounts.indices {
            variantCounts[index] += other.variantCounts[index]
        }
        attemptOutcomes += other.attemptOutcomes
        if let limit = other.adaptiveLimit { adaptiveLimit = (adaptiveLimit ?? 0) + limit }
        retries += other.retries
        connectionsOpened += other.connectionsOpened
        bytesSent += other.bytesSent
        connectionStates.add(other.connectionStates)
        streamLimit += other.streamLimit
        if let longer = other.trouble, longer.seconds > trouble?.seconds ?? 0 { trouble = longer }
        sendWindow += other.sendWindow
        latency.merge(other.latency)
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
        snapshot.finished = books.report.tally.finished
        snapshot.accepted = books.report.tally.count(.accepted)
        snapshot.unregistered = books.report.tally.count(.unregistered)
        snapshot.inFlight = books.dispatcher.inFlightCount
        snapshot.attemptOutcomes = connections.attemptOutcomes
        snapshot.adaptiveLimit = books.dispatcher.adaptiveLimit
        snapshot.retries = books.report.tally.retries
        snapshot.connectionsOpened = books.report.tally.connectionsOpened
        snapshot.bytesSent = books.report.tally.bytesSent
        for index in connections.indices {
            snapshot.connectionStates.count(books.dispatcher.connections[index].state)
            guard let connection = connections[index], connection.phase == .open else { continue }
            snapshot.connections += 1
            snapshot.streamLimit += books.dispatcher.window(of: index).limit
            snapshot.sendWindow += connection.sendWindow
        }
        snapshot.trouble = connections.watch.lastingTrouble(books.dispatcher)
        snapshot.limits = limits.times
        snapshot.counts = books.report.tally.outcomes
        snapshot.valid = books.report.tally.valid
        snapshot.variantCounts = books.report.tally.variants
        return snapshot
    }
}
