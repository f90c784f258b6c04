import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import Testing

/// The view of a load test while it runs.
@Suite struct LoadViewTests {
    private var reading: ProgressReading {
        var reading = ProgressReading()
        reading.rows = 10_500
        reading.counts[.accepted] = 10_488
        reading.counts[.rejected] = 12
        reading.inFlight = 20
        reading.rowsPerSecond = 448.2
        reading.latency = .init(p50: 41_000_000, p99: 253_000_000)
        return reading
    }

    private var stage: LoadStage {
        var stage = LoadStage()
        stage.number = 2
        stage.count = 5
        stage.load = .open(from: 450, to: 450)
        stage.started = Instant(nanoseconds: 5_000_000_000)
        stage.length = 6_000_000_000
        stage.before = (ended: 10_000, good: 10_000)
        return stage
    }

    private func lines(
        _ reading: ProgressReading, _ stage: LoadStage, _ terminal: Int, color: Bool = false
    ) -> [String] {
        // Four seconds into the step.
        LoadView(reading, stage, at: Instant(nanoseconds: 9_000_000_000), usesColor: color)
            .lines(terminal: terminal)
    }

    @Test(arguments: [
        (
            120,
            "step 2/5  at 450/s  448 answers/s  p50 41.0 ms  p99 253 ms  errors 12 (2.4 %)  20 s left"
        ),
        (80, "step 2/5  at 450/s  p50 41.0 ms  p99 253 ms  errors 12 (2.4 %)  20 s left"),
        (60, "step 2/5  p99 253 ms  errors 12 (2.4 %)  20 s left"),
        (20, "errors 12 (2.4 %)"),
    ])
    func `a step says what matters most in the room that there is`(columns: Int, line: String) {
        #expect(lines(reading, stage, columns) == [line])
    }

    @Test func `no line is wider than the terminal`() {
        var stage = stage
        stage.tries = (1...40).map { .init(rate: Double($0) * 1000, isKept: $0 < 20) }
        for columns in 2...250 {
            for line in lines(reading, stage, columns) { #expect(line.count < columns, "\(line)") }
        }
    }

    @Test func `a search shows its tries, the last ones first of all`() {
        var stage = stage
        stage.count = nil
        stage.number = 4
        stage.tries = [
            .init(rate: 1000, isKept: true), .init(rate: 2000, isKept: true),
            .init(rate: 4000, isKept: false),
        ]
        let shown = lines(reading, stage, 120)
        #expect(shown[0].hasPrefix("try 4  at 450/s  "))
        // The number of steps to come is not known.
        #expect(shown[0].hasSuffix("  2 s left"))
        #expect(shown[1] == "tried  1,000/s kept  2,000/s kept  4,000/s too much")
        #expect(lines(reading, stage, 79).count == 1)
        stage.tries += (1...40).map { .init(rate: Double($0) * 1000, isKept: true) }
        #expect(lines(reading, stage, 120)[1].hasSuffix("  39,000/s kept  40,000/s kept"))
    }

    @Test func `a single step has no number, and a number of requests its own end`() {
        var stage = LoadStage()
        stage.number = 1
        stage.count = 1
        stage.load = .closed
        stage.requests = 20_000
        let shown = lines(reading, stage, 120)
        #expect(
            shown == [
                "20 in flight  448 answers/s  p50 41.0 ms  p99 253 ms  errors 12 (0.1 %)  22 s left"
            ])
        var ramp = self.stage
        ramp.load = .open(from: 1000, to: 20_000)
        #expect(lines(reading, ramp, 120)[0].contains("  from 1,000/s to 20,000/s  "))
    }

    @Test func `before anything has happened it says little`() {
        #expect(
            lines(ProgressReading(), LoadStage(), 80) == ["connecting  0 answers/s  errors 0"])
    }

    @Test func `errors are red, and none are green`() {
        #expect(lines(reading, stage, 120, color: true)[0].contains("\u{1B}[31merrors 12"))
        var good = reading
        good.counts[.accepted] = good.rows
        #expect(lines(good, stage, 120, color: true)[0].contains("\u{1B}[32merrors 0\u{1B}[0m"))
        let plain = lines(reading, stage, 120, color: true)
            .map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") }
        #expect(plain == lines(reading, stage, 120))
    }
}
