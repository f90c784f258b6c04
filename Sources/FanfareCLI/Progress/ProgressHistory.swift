package import Fanfare
package import FanfareBase
import FanfareCore
import FanfareSystem

/// The last half minute of a job, which gives its speed and its remaining time.
///
/// The last two seconds give the speed, so that people can read a line that changes four times a
/// second; the whole half minute gives the remaining time, so that it does not jump.
package struct ProgressHistory {
    private struct Sample {
        var at: Instant
        var snapshot: ProgressSnapshot
    }

    private static let recent = Duration.seconds(2).wholeNanoseconds
    private static let trend = Duration.seconds(30).wholeNanoseconds
    /// No sample is taken sooner after another one.
    private static let pause = Duration.milliseconds(500).wholeNanoseconds

    private let started: Instant
    /// The oldest first; never empty.
    private var samples: [Sample]
    /// It is an estimate, and does not go back.
    private var shareMax = 0.0
    /// Rows that have had their outcomes since the start, and the seconds in which some had.
    private var sent = (rows: UInt64(0), seconds: 0.0)
    /// The moment of the last entry.
    private var last: Instant

    /// The history of a job that begins now.
    package init(started: Instant) {
        self.started = started
        last = started
        samples = [Sample(at: started, snapshot: ProgressSnapshot())]
    }

    /// Takes in a moment and returns the figures to show of it.
    package mutating func read(
        _ snapshot: ProgressSnapshot, isStopping: Bool = false, at now: Instant
    ) -> ProgressReading {
        while samples.count > 1, now.nanoseconds(since: samples[1].at) >= Self.trend {
            samples.removeFirst()
        }
        var snapshot = snapshot
        if let share = snapshot.inputShare {
            shareMax = max(shareMax, share)
            snapshot.inputShare = shareMax
        }
        if snapshot.finished > sent.rows { sent.seconds += Self.seconds(from: last, to: now) }
        sent.rows = snapshot.finished
        last = now
        let oldest = samples[0]
        let before =
            samples.last { now.nanoseconds(since: $0.at) >= Self.recent } ?? oldest
        var reading = ProgressReading()
        reading.state =
            snapshot.isOrdering
            ? .ordering : isStopping ? .stopping : snapshot.isPaused ? .paused : .running
        reading.elapsedSeconds = Self.seconds(from: started, to: now)
        reading.inputShare = snapshot.inputShare
        reading.rows = snapshot.finished
        reading.wholeJob = snapshot.wholeJob
        reading.counts = snapshot.counts.outcomes
        reading.valid = snapshot.counts.valid
        reading.inFlight = snapshot.inFlight
        reading.connections = snapshot.connections
        reading.recentSeconds = Self.seconds(from: before.at, to: now)
        if reading.recentSeconds > 0 {
            // A load test's next step may begin anew.
            let rows = snapshot.finished - min(before.snapshot.finished, snapshot.finished)
            reading.rowsPerSecond = Double(rows) / reading.recentSeconds
        }
        reading.latency = Self.latency(from: before.snapshot, to: snapshot)
        reading.waitingRows = snapshot.waitingRows
        reading.waitsUntilMilliseconds = snapshot.waitsUntilMilliseconds
        reading.trouble = snapshot.gauges.trouble
        reading.pauses = PauseReading.of(snapshot, at: now)
        reading.routes = snapshot.routes
        reading.limitation = snapshot.heldBy(since: before.snapshot)
        if reading.state == .running {
            reading.secondsLeft = left(snapshot, before.snapshot, reading, at: now)
        }
        if let last = samples.last, now.nanoseconds(since: last.at) >= Self.pause {
            samples.append(Sample(at: now, snapshot: snapshot))
        }
        return reading
    }

    /// Returns the remaining time: that of the rows that can be sent now, and no less than until
    /// the last window opens.
    ///
    /// If all rows wait, they are sent after that, as fast as the rows before them. There is no
    /// result when the job waits only for retries, or a provider takes nothing for now.
    private func left(
        _ snapshot: ProgressSnapshot, _ before: ProgressSnapshot, _ reading: ProgressReading,
        at now: Instant
    ) -> Double? {
        guard reading.pauses.isEmpty else { return nil }
        let opening = snapshot.lastOpeningMilliseconds.map {
            Double($0 - WallClock.milliseconds) / 1000
        }
        if let opening, opening > 0, reading.waitsUntilMilliseconds != nil {
            let secondsPerRow = sent.rows > 0 ? sent.seconds / Double(sent.rows) : 0
            return opening + Double(snapshot.waitingRows) * secondsPerRow
        }
        let moves = reading.rowsPerSecond > 0 || snapshot.inputShare != before.inputShare
        guard moves || reading.recentSeconds < 2 else { return nil }
        let seconds = Self.seconds(from: samples[0].at, to: now)
        let sending =
            Self.areTimedApart(snapshot)
            ? Self.secondsLeft(
                ofRoutes: snapshot.routes, since: samples[0].snapshot.routes, in: seconds)
            : Self.secondsLeft(
                from: samples[0].snapshot.inputShare ?? 0, to: snapshot.inputShare, in: seconds)
        return sending.map { max($0, opening ?? 0) }
    }

    /// True if the rows that each of several providers has left are known, and none wait for their hours.
    private static func areTimedApart(_ snapshot: ProgressSnapshot) -> Bool {
        snapshot.routes.count > 1 && snapshot.waitingRows == 0
            && snapshot.routes.allSatisfy { $0.expectedRows != nil }
    }

    /// Returns the remaining time of the slowest of several providers, which all send at the same time.
    ///
    /// There is no result when one has rows left and does not move.
    private static func secondsLeft(
        ofRoutes routes: [RouteProgress], since earlier: [RouteProgress], in seconds: Double
    ) -> Double? {
        guard seconds > 0 else { return nil }
        var longest = 0.0
        for (index, route) in routes.enumerated() {
            guard let expected = route.expectedRows else { return nil }
            let rest = expected - Double(route.finished)
            guard rest > 0 else { continue }
            let before = earlier.indices.contains(index) ? earlier[index].finished : 0
            guard route.finished > before else { return nil }
            longest = max(longest, rest * seconds / Double(route.finished - before))
        }
        return longest
    }

    private static func seconds(from: Instant, to: Instant) -> Double {
        Double(to.nanoseconds(since: from)) / 1e9
    }

    private static func latency(
        from earlier: ProgressSnapshot, to later: ProgressSnapshot
    ) -> ProgressReading.Latency? {
        guard later.counts.latency.count > earlier.counts.latency.count else { return nil }
        let latency = later.counts.latency.since(earlier.counts.latency)
        return ProgressReading.Latency(
            p50: latency.percentile(50), p99: latency.percentile(99))
    }

    private static func secondsLeft(from: Double, to: Double?, in seconds: Double) -> Double? {
        guard let to, to > from, seconds > 0 else { return nil }
        return (1 - to) * seconds / (to - from)
    }
}
