import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import FanfareSystem
import Testing

/// The figures from moments of a job.
@Suite struct ProgressHistoryTests {
    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 7_000_000_000 + Int64(seconds * 1e9))
    }

    private func snapshot(_ rows: UInt64, share: Double? = nil) -> ProgressSnapshot {
        var snapshot = ProgressSnapshot()
        snapshot.counts.outcomes[.accepted] = rows
        snapshot.inputShare = share
        return snapshot
    }

    @Test func `the rate is that of the last two seconds`() {
        var history = ProgressHistory(started: at(0))
        // 100 rows a second for ten seconds, then 300.
        for step in 1...40 {
            _ = history.read(snapshot(UInt64(step) * 25), at: at(Double(step) / 4))
        }
        var reading = ProgressReading()
        for step in 1...8 {
            let rows = 1000 + UInt64(step) * 75
            reading = history.read(snapshot(rows), at: at(10 + Double(step) / 4))
        }
        #expect(reading.recentSeconds == 2)
        #expect(reading.rowsPerSecond == 300)
        #expect(reading.elapsedSeconds == 12)
    }

    @Test func `the first reading looks back to the start`() {
        var history = ProgressHistory(started: at(0))
        let reading = history.read(snapshot(50), at: at(0.25))
        #expect(reading.rowsPerSecond == 200 && reading.recentSeconds == 0.25)
        var same = ProgressHistory(started: at(0))
        #expect(same.read(snapshot(0), at: at(0)).rowsPerSecond == 0)
    }

    @Test func `the time left follows the share of the input`() {
        var history = ProgressHistory(started: at(0))
        // A tenth in ten seconds: nine times as much is left.
        #expect(history.read(snapshot(10, share: 0.1), at: at(10)).secondsLeft == 90)
        #expect(history.read(snapshot(10), at: at(20)).secondsLeft == nil)
        var paused = snapshot(10, share: 0.1)
        paused.isPaused = true
        #expect(history.read(paused, at: at(21)).secondsLeft == nil)
        #expect(history.read(paused, at: at(21)).state == .paused)
        #expect(
            history.read(snapshot(10, share: 0.2), isStopping: true, at: at(22)).state == .stopping)
    }

    private func snapshot(
        _ apns: (UInt64, of: Double?), _ fcm: (UInt64, of: Double?), share: Double
    ) -> ProgressSnapshot {
        var whole = snapshot(apns.0 + fcm.0, share: share)
        whole.routes = [(Provider.apns, apns), (.fcm, fcm)].map { provider, rows in
            RouteProgress(provider, counts: snapshot(rows.0).counts, expectedRows: rows.of)
        }
        return whole
    }

    @Test func `the time left is that of the slowest provider`() {
        var history = ProgressHistory(started: at(0))
        // 100 rows a second of 2,000, and 10 a second of 1,000: 10 and 90 s are left.
        let both = snapshot((1000, of: 2000), (100, of: 1000), share: 1100.0 / 3000)
        #expect(history.read(both, at: at(10)).secondsLeft == 90)
        // The fast one is done.
        let slow = snapshot((2000, of: 2000), (200, of: 1000), share: 2200.0 / 3000)
        #expect(history.read(slow, at: at(20)).secondsLeft == 80)
    }

    @Test func `the time left is known by the share, or not at all if one provider stands still`() {
        var history = ProgressHistory(started: at(0))
        let unknown = snapshot((100, of: nil), (100, of: 1000), share: 0.1)
        #expect(history.read(unknown, at: at(10)).secondsLeft == 90)
        var other = ProgressHistory(started: at(0))
        // One has not begun.
        let idle = snapshot((100, of: 200), (0, of: 1000), share: 0.1)
        #expect(other.read(idle, at: at(10)).secondsLeft == nil)
    }

    /// 1,000 rows in ten seconds; the clock goes on while this is read.
    @Test func `the time left counts the windows that rows wait for`() throws {
        let hour = WallClock.milliseconds + 3_600_000
        var history = ProgressHistory(started: at(0))
        var moment = snapshot(1000, share: 0.5)
        moment.lastOpeningMilliseconds = hour
        // Some are sent now, others in an hour.
        let both = try #require(history.read(moment, at: at(10)).secondsLeft)
        #expect((3_500...3_600).contains(both))

        // All 60,000 that are left wait: they take ten minutes at a hundred a second.
        moment.waitingRows = 60_000
        moment.waitsUntilMilliseconds = hour
        let waiting = try #require(history.read(moment, at: at(500)).secondsLeft)
        #expect((4_100...4_200).contains(waiting))

        // Nothing was sent yet, so how long that takes is not known.
        moment.counts.outcomes = OutcomeCounts()
        var new = ProgressHistory(started: at(0))
        let opening = try #require(new.read(moment, at: at(5)).secondsLeft)
        #expect((3_500...3_600).contains(opening))
    }

    @Test func `nothing is said of the time left while only retries are waited for`() {
        var history = ProgressHistory(started: at(0))
        for second in 1...10 { _ = history.read(snapshot(99, share: 0.99), at: at(Double(second))) }
        #expect(history.read(snapshot(99, share: 0.99), at: at(11)).secondsLeft == nil)
    }

    @Test func `what was before half a minute does not count`() {
        var history = ProgressHistory(started: at(0))
        // An earlier run's rows are passed over in a second, then it is a hundredth in ten seconds.
        _ = history.read(snapshot(0, share: 0.5), at: at(1))
        var reading = ProgressReading()
        for step in 1...10 {
            reading = history.read(
                snapshot(0, share: 0.5 + Double(step) / 100), at: at(1 + Double(step) * 10))
        }
        let left = reading.secondsLeft ?? 0
        #expect(abs(left - 400) < 0.001)
    }

    @Test func `latencies are those of the last answers, not of the whole job`() throws {
        var history = ProgressHistory(started: at(0))
        var slow = snapshot(1000)
        slow.counts.latency.record(nanoseconds: 900_000_000, count: 1000)
        let first = history.read(slow, at: at(10))
        #expect(first.latency == .init(p50: 900_000_000, p99: 900_000_000))
        #expect(history.read(slow, at: at(12)).latency == nil)
        var quick = slow
        quick.counts.latency.record(nanoseconds: 1_000_000, count: 98)
        quick.counts.latency.record(nanoseconds: 50_000_000, count: 2)
        let latency = try #require(history.read(quick, at: at(14)).latency)
        // A bucket is 1/128 of its values wide.
        #expect(abs(Double(latency.p50) / 1_000_000 - 1) < 1.0 / 128)
        #expect(abs(Double(latency.p99) / 50_000_000 - 1) < 1.0 / 128)
    }

    @Test func `the limitation is that of the last seconds`() {
        var history = ProgressHistory(started: at(0))
        var early = snapshot(0)
        early.counts.limits[.connecting] = 5_000_000_000
        #expect(history.read(early, at: at(5)).limitation == .connecting)
        var late = early
        late.counts.limits[.input] = 2_000_000_000
        #expect(history.read(late, at: at(7)).limitation == .input)
    }
}
