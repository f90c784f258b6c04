import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import Testing

/// The view at the bottom of a terminal.
@Suite struct LiveViewTests {
    private var reading: ProgressReading {
        var reading = ProgressReading()
        reading.inputShare = 0.4299
        reading.rows = 1_234_567
        reading.counts[.accepted] = 1_221_300
        reading.counts[.unregistered] = 13_210
        reading.counts[.suspect] = 52
        reading.counts[.failed] = 5
        reading.inFlight = 640
        reading.connections = 4
        reading.recentSeconds = 2.02
        reading.rowsPerSecond = 12_345.4
        reading.latency = .init(p50: 42_000_000, p99: 250_400_000)
        reading.limitation = .streamLimit
        reading.secondsLeft = 192
        return reading
    }

    private func lines(_ reading: ProgressReading, _ terminal: Int) -> [String] {
        LiveView(reading, usesColor: false).lines(terminal: terminal)
    }

    @Test(arguments: [40, 60, 79])
    func `a narrow terminal has the one line`(columns: Int) {
        #expect(lines(reading, columns) == [ProgressLine(reading).live(width: columns - 1)])
    }

    @Test func `80 columns have three lines, without what the latencies are about`() {
        #expect(
            lines(reading, 80) == [
                "[========>            ]  42 %  1,234,567 rows  12,345/s  3 min 12 s left",
                "1,221,300 accepted  13,210 unregistered  5 failed  52 suspect",
                "640 in flight on 4 connections  p50 42.0 ms, p99 250 ms  limit: stream limit",
            ])
    }

    @Test func `wider ones have it all`() {
        #expect(
            lines(reading, 120) == [
                "[=============>                   ]  42 %  1,234,567 rows  12,345/s  3 min 12 s left",
                "1,221,300 accepted  13,210 unregistered  5 failed  52 suspect",
                "640 in flight on 4 connections  p50 42.0 ms, p99 250 ms in the last 2 s  "
                    + "limit: stream limit",
            ])
        #expect(
            lines(reading, 200)[0]
                == "[" + String(repeating: "=", count: 23) + ">"
                + String(repeating: " ", count: 33) + "]"
                + "  42 %  1,234,567 rows  12,345/s  3 min 12 s left")
    }

    @Test func `what does not fit is added up, and what went wrong goes last`() {
        var reading = reading
        for outcome in Outcome.allCases { reading.counts[outcome] = 1_111_111 }
        reading.rows = 9_999_999
        #expect(
            lines(reading, 100)[1]
                == "1,111,111 accepted  1,111,111 unregistered  1,111,111 failed  "
                + "1,111,111 unknown  5,555,555 other")
        #expect(lines(reading, 200)[1].hasSuffix("1,111,111 skipped"))
    }

    @Test func `no line is wider than the terminal`() {
        var reading = reading
        for outcome in Outcome.allCases { reading.counts[outcome] = .max / 16 }
        reading.rows = .max
        reading.state = .stopping
        reading.rowsPerSecond = .infinity
        reading.trouble = ProviderTrouble(
            seconds: 40.4, patienceSeconds: 900, reason: "connection refused")
        for columns in 1...250 {
            for line in lines(reading, columns) { #expect(line.count < columns, "\(line)") }
        }
    }

    @Test func `a state and a provider that is waited for come first`() {
        var reading = reading
        reading.state = .paused
        reading.trouble = ProviderTrouble(
            seconds: 40.4, patienceSeconds: 900, reason: "connection refused")
        let shown = lines(reading, 120)
        #expect(shown[0].hasPrefix("paused  ["))
        #expect(shown[2].hasPrefix("no answer for 40.0 s (connection refused), giving up after"))
    }

    @Test func `what is only checked is told by what is wrong with it`() {
        var reading = ProgressReading()
        reading.rows = 1003
        reading.counts[.skipped] = 1000
        reading.counts[.invalid] = 3
        #expect(lines(reading, 120) == ["1,003 rows  0/s", "3 invalid"])
    }

    @Test func `without a known end there is no bar`() {
        var reading = reading
        reading.inputShare = nil
        reading.secondsLeft = nil
        #expect(lines(reading, 120)[0] == "1,234,567 rows  12,345/s")
    }

    @Test func `color changes the color only`() {
        let colored = LiveView(reading, usesColor: true).lines(terminal: 120)
        #expect(colored[1].hasPrefix("\u{1B}[32m1,221,300 accepted\u{1B}[0m  "))
        #expect(colored[1].contains("\u{1B}[31m52 suspect\u{1B}[0m"))
        let plain = colored.map { $0.replacing(/\u{1B}\[[0-9]+m/, with: "") }
        #expect(plain == lines(reading, 120))
    }
}

/// The drawing of a view in the place of the one before.
@Suite struct LiveBlockTests {
    @Test func `a line and lines are taken away`() {
        #expect(LiveBlock().erasure(columns: 80).isEmpty)
        #expect(LiveBlock(["a"]).erasure(columns: 80) == "\r\u{1B}[K")
        #expect(LiveBlock(["a", "b", "c"]).erasure(columns: 80) == "\r\u{1B}[2A\u{1B}[J")
        #expect(LiveBlock(["a", "b"]).drawing == "a\nb")
    }

    @Test func `lines that a narrower terminal has broken are all taken away`() {
        let line = String(repeating: "x", count: 100)
        #expect(LiveBlock([line]).erasure(columns: 100) == "\r\u{1B}[K")
        #expect(LiveBlock([line]).erasure(columns: 99) == "\r\u{1B}[1A\u{1B}[J")
        // Two, three and one rows.
        let lines = [String(repeating: "x", count: 80), line + line.prefix(20), ""]
        #expect(LiveBlock(lines).erasure(columns: 40) == "\r\u{1B}[5A\u{1B}[J")
    }

    @Test func `what is not seen takes no room`() {
        let line = "\u{1B}[31m" + String(repeating: "x", count: 40) + "\u{1B}[0m"
        #expect(LiveBlock([line]).erasure(columns: 40) == "\r\u{1B}[K")
    }
}
