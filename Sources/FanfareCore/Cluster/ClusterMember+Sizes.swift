import FanfareBase

/// The sizes of what a worker has in its hands.
///
/// If its machine dies, all that it was granted and has told no lines of is in doubt. With a pace that is what waits here
/// (two fifths of a second of work at most), what lanes have not taken up (as much), what is in flight, and the lines since
/// the last word about them (a third of one). A server that is far is asked less often, and for as much more.
extension ClusterMember {
    /// The rows that the worker gets at once.
    ///
    /// With a pace they are no more than three tenths of a second of it, also if lanes could do more.
    package var blockRows: UInt64 {
        let (least, most) = (patience.blockRows.lowerBound, patience.blockRows.upperBound)
        // One that waits for rows shows no speed: the least counts as a speed, too.
        let perSecond = max(rowsPerSecond, least * 2)
        let usual = min(
            max(Self.rows(perSecond, in: patience.block + farTime * 3), least), most)
        guard let startsPerSecond else { return usual }
        let near = Self.rows(lastingStarts(startsPerSecond), in: patience.pacedBlock)
        return min(
            usual, max(near + Self.rows(startsPerSecond, in: farTime * 3), Self.blockRowsMin))
    }

    /// The rows that may wait here when the next block is asked for: those that go while the answer is on its way, and
    /// some to spare; half a block without a pace.
    var blockIsDueAt: UInt64 {
        let half = blockRows / 2
        guard let startsPerSecond else { return half }
        let near = Self.rows(lastingStarts(startsPerSecond), in: patience.pacedBlock / 3)
        return min(half, near + Self.rows(startsPerSecond, in: farTime * 2))
    }

    /// The rows that lanes may have and have not taken up; `nil` without a pace.
    package var rowsAhead: UInt64? {
        startsPerSecond.map { max(Self.rows($0, in: patience.ahead), Self.aheadRowsMin) }
    }

    /// The rows of a block at the slowest pace: one request of a worker for each two of its rows.
    private static let blockRowsMin: UInt64 = 4
    /// The rows of lanes at the slowest pace: a connection has some in flight while one is read.
    private static let aheadRowsMin: UInt64 = 8

    /// The pace of the worker; `nil` without one.
    private var startsPerSecond: UInt64? {
        pace.map { UInt64(max(0, $0 / ShareRule.unitsPerStart)) }
    }

    /// Returns the part of a pace that the worker keeps: a job that is proved goes on with all workers that are there, and
    /// the prover has no more than its part then.
    private func lastingStarts(_ perSecond: UInt64) -> UInt64 {
        guard let job, job.state == .proving, let rate = job.terms.rate else { return perSecond }
        return min(
            perSecond, UInt64(rate / ShareRule.unitsPerStart) / UInt64(max(1, activeWorkers)))
    }

    /// The part of a step's time that is too much for what is asked half a second ahead.
    private var farTime: Duration { max(.zero, stepTime - patience.nearStep) }

    private static func rows(_ perSecond: UInt64, in time: Duration) -> UInt64 {
        UInt64(clamping: Int128(perSecond) * Int128(time.wholeNanoseconds) / 1_000_000_000)
    }
}

/// The time from a request to its answer: the middle one of the last five.
///
/// One that the server took long for is no distance.
package struct StepTime: Equatable, Sendable {
    private var times: [Int64] = []
    private var next = 0

    package init() {}

    /// The time; nothing before the first answer.
    package private(set) var value = Duration.zero

    /// Notes the time of another one.
    package mutating func note(nanoseconds: Int64) {
        if times.count < Self.countMax {
            times.append(nanoseconds)
        } else {
            times[next] = nanoseconds
        }
        next = (next + 1) % Self.countMax
        value = .nanoseconds(times.sorted()[times.count / 2])
    }

    private static let countMax = 5
}
