package import FanfareBase

/// The thing that keeps a lane from going faster, one at a time.
package enum Limitation: Int, CaseIterable, Sendable {
    /// No rows have been read yet that could be sent.
    case input
    /// The pace allows no further start.
    case pace
    /// No connection may be used yet: dials, handshakes, first requests that have to go alone.
    case connecting
    /// Every connection has as many requests in flight as the peer, or `--streams`, allows.
    case streamLimit
    /// The peer's flow-control windows take no further body. RFC 9113 §5.2
    case flowControl
    /// The sockets take no further byte.
    case network
    /// Our own in-flight window is full, and still grows: see `AdaptiveWindow`.
    case inFlightGrowth
    /// Our own in-flight window is full, and small because more in flight makes answers later.
    case inFlightLatency
    /// Our own in-flight window is full, and small because the provider refuses requests or cuts connections.
    case inFlightRefusals
    /// All that is left to send waits for its next attempt.
    case retries
    /// The report cannot be written as fast.
    case output
    /// The lane's own work.
    case cpu
    /// The job is paused.
    case pause
    /// All that is left waits for the hours at which it may be sent.
    case window
    /// Everything is sent, and the last answers are awaited.
    case lastAnswers

    /// The name in JSON.
    package var name: StaticString {
        switch self {
        case .input: "input"
        case .pace: "pace"
        case .connecting: "connections"
        case .streamLimit: "stream_limit"
        case .flowControl: "flow_control"
        case .network: "network"
        case .inFlightGrowth: "in_flight_growth"
        case .inFlightLatency: "in_flight_latency"
        case .inFlightRefusals: "in_flight_refusals"
        case .retries: "retries"
        case .output: "output"
        case .cpu: "cpu"
        case .pause: "pause"
        case .window: "window"
        case .lastAnswers: "last_answers"
        }
    }

    /// The name for people.
    package var text: String {
        switch self {
        case .input: "input"
        case .pace: "pace"
        case .connecting: "connections being opened"
        case .streamLimit: "stream limit"
        case .flowControl: "flow-control window"
        case .network: "network"
        case .inFlightGrowth: "our in-flight window (growing)"
        case .inFlightLatency: "our in-flight window (provider latency)"
        case .inFlightRefusals: "our in-flight window (refusals, cuts)"
        case .retries: "retries"
        case .output: "output"
        case .cpu: "CPU"
        case .pause: "pause"
        case .window: "sending window"
        case .lastAnswers: "last answers"
        }
    }
}

/// The time that each limitation has lasted, in nanoseconds.
package struct LimitTimes: Equatable, Sendable {
    /// One for each case of `Limitation`; inline, because a lane takes copies in its turns.
    private var nanoseconds = InlineArray<15, Int64>(repeating: 0)

    /// Makes the times in which nothing has lasted yet.
    package init() {
        precondition(
            nanoseconds.count == Limitation.allCases.count, "BUG: a limitation without a place")
    }

    package subscript(_ limitation: Limitation) -> Int64 {
        get { nanoseconds[limitation.rawValue] }
        set { nanoseconds[limitation.rawValue] = newValue }
    }

    package var total: Int64 { Limitation.allCases.reduce(0) { $0 + self[$1] } }

    /// The longest first, those that did not occur left out.
    package var ranked: [(limitation: Limitation, nanoseconds: Int64)] {
        Limitation.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 }
            .sorted { $0.1 > $1.1 }
    }

    package static func == (one: LimitTimes, other: LimitTimes) -> Bool {
        Limitation.allCases.allSatisfy { one[$0] == other[$0] }
    }

    package static func + (one: LimitTimes, other: LimitTimes) -> LimitTimes {
        var sum = one
        for limitation in Limitation.allCases { sum[limitation] += other[limitation] }
        return sum
    }

    package static func - (one: LimitTimes, other: LimitTimes) -> LimitTimes {
        var difference = one
        for limitation in Limitation.allCases { difference[limitation] -= other[limitation] }
        return difference
    }

    /// Returns the same times for the mean of a number of lanes.
    package func divided(by count: Int) -> LimitTimes {
        var mean = self
        for limitation in Limitation.allCases { mean[limitation] /= Int64(max(count, 1)) }
        return mean
    }
}

/// The account of a lane's time.
///
/// A lane is at work or asleep. Its work counts as CPU; its sleep counts for the thing that it
/// could not do at the end of its last turn. So the times add up to the lane's whole time.
package struct LimitClock: Sendable {
    package private(set) var times = LimitTimes()
    /// The limit of the lane at the end of its last turn.
    package private(set) var current: Limitation
    private var countedUntil: Instant
    private var idleUntil: Int64

    /// - Parameters:
    ///   - current: The first limit.
    ///   - now: The time.
    ///   - idle: The lane's sleep so far, in nanoseconds.
    package init(_ current: Limitation, now: Instant, idle: Int64) {
        self.current = current
        countedUntil = now
        idleUntil = idle
    }

    /// Begins a turn: counts the time since the last one.
    package mutating func count(now: Instant, idle: Int64) {
        let elapsed = max(now.nanoseconds(since: countedUntil), 0)
        let slept = min(max(idle - idleUntil, 0), elapsed)
        times[current] += slept
        times[.cpu] += elapsed - slept
        countedUntil = now
        idleUntil = idle
    }

    /// Ends a turn: notes the thing that the lane could not do.
    package mutating func hold(_ limitation: Limitation) {
        current = limitation
    }
}
