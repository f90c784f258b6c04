import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

/// The look of a reading.
@Suite struct ProgressLineTests {
    @Test func `a worker says what all of them do together`() {
        var reading = ProgressReading()
        reading.rows = 500
        reading.wholeJob = WholeJob(finished: 1_500, rows: 60_000, isAllCounted: true, workers: 3)
        #expect(
            ProgressLine(reading).plain.contains("1,500 of 60,000 rows by 3 workers, 500 rows"))
        reading.wholeJob = WholeJob(finished: 7, rows: 9, isAllCounted: false, workers: 1)
        #expect(ProgressLine(reading).live(width: 200).contains("7 of 9 rows so far by 1 worker"))
    }

    @Test func `the share of a job is known when all rows are counted`() {
        #expect(WholeJob(finished: 1, rows: 4, isAllCounted: true, workers: 1).share == 0.25)
        #expect(WholeJob(finished: 1, rows: 4, isAllCounted: false, workers: 1).share == nil)
        #expect(WholeJob(finished: 0, rows: 0, isAllCounted: true, workers: 1).share == 1)
    }

    private var reading: ProgressReading {
        var reading = ProgressReading()
        reading.elapsedSeconds = 61.25
        reading.inputShare = 0.4299
        reading.rows = 1_234_567
        reading.counts[.accepted] = 1_221_352
        reading.counts[.unregistered] = 13_210
        reading.counts[.rejected] = 5
        reading.inFlight = 640
        reading.connections = 4
        reading.recentSeconds = 2.02
        reading.rowsPerSecond = 12_345.4
        reading.latency = .init(p50: 42_000_000, p99: 250_400_000)
        reading.limitation = .streamLimit
        reading.secondsLeft = 192
        return reading
    }

    @Test(
        arguments: [
            (10, "42 %"),
            (30, "42 %  1,234,567 rows  12,345/s"),
            (59, "42 %  1,234,567 rows  12,345/s  3 min 12 s left"),
            (78, "42 %  1,234,567 rows  12,345/s  3 min 12 s left  98.9 % accepted"),
            (
                79,
                "42 %  1,234,567 rows  12,345/s  3 min 12 s left  98.9 % accepted  640 in flight"
            ),
            (
                199,
                "42 %  1,234,567 rows  12,345/s  3 min 12 s left  "
                    + "1,221,352 accepted, 13,210 unregistered, 5 other  "
                    + "640 in flight on 4 connections  p50 42.0 ms, p99 250 ms in the last 2 s  "
                    + "limit: stream limit"
            ),
        ])
    func `the live line shows what there is room for, the most important first`(
        width: Int, line: String
    ) {
        #expect(ProgressLine(reading).live(width: width) == line)
    }

    @Test func `it is never wider than the terminal, with all that it has to say`() {
        var reading = reading
        reading.state = .stopping
        reading.rows = .max
        reading.counts[.accepted] = .max / 2
        reading.rowsPerSecond = .infinity
        reading.secondsLeft = .infinity
        reading.limitation = .connecting
        for width in -1...300 {
            #expect(ProgressLine(reading).live(width: width).count <= max(width, 0))
        }
    }

    @Test func `what is not known is left out`() {
        #expect(
            ProgressLine(ProgressReading()).live(width: 200)
                == "0 rows  0/s  0 in flight on 0 connections")
        var paused = ProgressReading()
        paused.state = .paused
        #expect(ProgressLine(paused).live(width: 30) == "paused  0 rows  0/s")
    }

    @Test func `what is only checked is told by what is wrong with it`() {
        var reading = ProgressReading()
        reading.rows = 1003
        reading.counts[.skipped] = 1000
        reading.counts[.invalid] = 3
        #expect(ProgressLine(reading).live(width: 40) == "1,003 rows  0/s  3 invalid  0 in flight")
        #expect(ProgressLine(reading).plain.hasSuffix(": 3 invalid"))
    }

    @Test func `rows that a provider finds good without sending are called valid`() {
        var reading = reading
        reading.counts[.skipped] = reading.counts[.accepted] + 2
        reading.valid = reading.counts[.accepted]
        reading.counts[.accepted] = 0
        reading.rows += 2
        #expect(
            ProgressLine(reading).plain.contains(
                ": 1,221,352 valid, 13,210 unregistered, 5 other, 2 skipped;"))
        #expect(ProgressLine(reading).live(width: 78).contains("98.9 % valid"))
        var first = ProgressReading()
        first.rows = 5
        first.counts[.skipped] = 5
        first.valid = 5
        #expect(ProgressLine(first).plain.hasSuffix(": 5 valid, 0 unregistered, 0 other"))
    }

    @Test(arguments: [(0.0, "0 %"), (0.999_99, "99 %"), (1.0, "100 %"), (1.5, "100 %")])
    func `all is done when all is done`(share: Double, text: String) {
        var reading = ProgressReading()
        reading.inputShare = share
        #expect(ProgressLine(reading).live(width: 6) == text)
    }

    @Test(
        arguments: [
            (0.2, "1 s left"), (42.0, "42 s left"), (90.0, "1 min 30 s left"),
            (5400.0, "1 h 30 min left"),
        ])
    func `the time left is told in units that matter`(seconds: Double, text: String) {
        var reading = ProgressReading()
        reading.secondsLeft = seconds
        #expect(ProgressLine(reading).live(width: 60).contains(text))
    }

    @Test func `a line for a log has it all`() {
        #expect(
            ProgressLine(reading).plain
                == "42 % done, 1,234,567 rows, 12,345/s, 640 in flight on 4 connections: "
                + "1,221,352 accepted, 13,210 unregistered, 5 other; "
                + "p50 42.0 ms, p99 250 ms in the last 2 s; 3 min 12 s left; "
                + "limited by stream limit")
    }

    @Test func `a provider that is waited for is told, with how long it is waited for`() throws {
        var reading = reading
        reading.trouble = ProviderTrouble(
            seconds: 40.4, patienceSeconds: 900, reason: "connection refused")
        #expect(
            ProgressLine(reading).plain.contains(
                "; no answer for 40.0 s (connection refused), giving up after 15 min 00 s; "))
        #expect(
            ProgressLine(reading).live(width: 49) == "42 %  1,234,567 rows  no answer for 40.0 s")
        let value = try #require(
            try JSONSerialization.jsonObject(with: Data(reading.json.utf8)) as? [String: Any])
        #expect(value["no_answer_seconds"] as? Double == 40.4)
    }

    /// The pause of FCM, whose next try is 40 s away.
    private static func pause(_ provider: String?, rows: Int, seconds: Int64 = 40) -> PauseReading {
        PauseReading(
            provider: provider,
            ProviderPause(
                .answer("503"), until: Instant(nanoseconds: seconds * 1_000_000_000), rows: rows),
            at: Instant(nanoseconds: 0))
    }

    @Test func `a provider that takes nothing for now is told, with its next try`() throws {
        var reading = reading
        reading.pauses = [Self.pause("fcm", rows: 4)]
        let text = "fcm answers 503; next try in 40 s (4 rows wait)"
        #expect(ProgressLine(reading).plain.contains("; \(text); "))
        #expect(ProgressLine(reading).live(width: 70).contains(text))
        #expect(ProgressLine(reading).live(width: 60).contains("fcm answers 503; next try in 40 s"))
        let value = try #require(
            try JSONSerialization.jsonObject(with: Data(reading.json.utf8)) as? [String: Any])
        let pauses = try #require(value["pauses"] as? [[String: Any]])
        #expect(pauses.count == 1 && pauses[0]["provider"] as? String == "fcm")
        #expect(pauses[0]["reason"] as? String == "answers 503")
        #expect(pauses[0]["next_try_seconds"] as? Double == 40)
        #expect(pauses[0]["waiting"] as? Int == 4)
    }

    @Test(
        arguments: [
            (1, Int64(75), "provider answers 503; next try in 1 min 15 s (1 row waits)"),
            (0, 1, "provider answers 503; next try in 1 s"),
            (2345, -1, "provider answers 503; trying again now (2,345 rows wait)"),
        ])
    func `one provider has no name, and may be asked just now`(
        rows: Int, seconds: Int64, text: String
    ) {
        var reading = ProgressReading()
        reading.pauses = [Self.pause(nil, rows: rows, seconds: seconds)]
        #expect(ProgressLine(reading).plain.contains(text))
    }

    @Test func `a program gets an object on a line`() throws {
        let text = reading.json
        #expect(text.hasSuffix("}\n") && text.dropLast().allSatisfy { !$0.isNewline })
        let value = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(value["schema"] as? String == "fanfare-progress/1")
        #expect(value["state"] as? String == "running")
        #expect(value["input_share"] as? Double == 0.43)
        #expect(value["rows"] as? Int == 1_234_567)
        let outcomes = try #require(value["outcomes"] as? [String: Int])
        #expect(outcomes["rejected"] == 5 && outcomes.count == Outcome.allCases.count)
        #expect(value["latency_p50_ms"] as? Double == 42)
        #expect(value["latency_p99_ms"] as? Double == 250.4)
        #expect(value["limited_by"] as? String == "stream_limit")
        #expect(value["seconds_left"] as? Double == 192)
        let empty = try #require(
            try JSONSerialization.jsonObject(with: Data(ProgressReading().json.utf8))
                as? [String: Any])
        #expect(empty["input_share"] is NSNull && empty["limited_by"] is NSNull)
        #expect(Set(empty.keys) == Set(value.keys))
    }
}
