import FanfareBase
import FanfareCLI
import Testing

@Suite struct TimeReaderTests {
    private func fault<Value>(
        _ text: String, _ read: (String) throws(ValueFault) -> Value
    ) -> ValueFault? {
        do throws(ValueFault) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    private func duration(_ text: String) throws(ValueFault) -> Duration {
        try ValueReader.duration(text)
    }

    @Test(
        arguments: [
            ("1ns", 1), ("2us", 2_000), ("20ms", 20_000_000), ("1.5s", 1_500_000_000),
            ("2m", 120_000_000_000), ("1h", 3_600_000_000_000), ("30d", 2_592_000_000_000_000),
            ("0.25h", 900_000_000_000), ("1_000ms", 1_000_000_000), ("0.000000001s", 1),
            ("7\u{B5}s", 7_000), ("7\u{3BC}s", 7_000), (".5s", 500_000_000), ("5.s", 5_000_000_000),
        ] as [(String, Int64)])
    func `a duration is a number and a unit`(text: String, nanoseconds: Int64) throws {
        #expect(try duration(text) == .nanoseconds(nanoseconds))
    }

    @Test(arguments: [
        "", "s", "1", "1.5", "-1s", "+1s", "1 s", "1sec", "1S", "1h30m", "1..s", ".s", ".", "0s",
        "0.1ns", "1_s", "200000d", "1s ",
    ])
    func `what is not a duration is refused`(text: String) {
        #expect(fault(text, duration) != nil)
    }

    @Test func `a bare number is advised to take a unit`() {
        #expect(fault("30", duration) == ValueFault("has no unit", example: "30s"))
        #expect(fault("0", duration) == ValueFault("has no unit"))
    }

    @Test func `zero needs no unit where it makes sense`() throws {
        #expect(try ValueReader.duration("0", allowsZero: true) == .zero)
        #expect(try ValueReader.duration("0s", allowsZero: true) == .zero)
        let found = fault("00") { text throws(ValueFault) in
            try ValueReader.duration(text, allowsZero: true)
        }
        #expect(found == ValueFault("has no unit", example: "00s"))
    }

    @Test func `a range has two durations in order`() throws {
        func range(_ text: String) throws(LatencyText.Fault) -> LatencyText {
            try LatencyText(text, max: .seconds(60))
        }
        #expect(try range("20ms..80ms") == .uniform(.milliseconds(20) ... .milliseconds(80)))
        #expect(try range("1.5s..1.5s") == .uniform(.milliseconds(1500) ... .milliseconds(1500)))
        #expect(try range("0..5s") == .uniform(.zero ... .seconds(5)))
        #expect(throws: LatencyText.Fault.reversed("80ms", "20ms")) { try range("80ms..20ms") }
        #expect(throws: LatencyText.Fault.tooLong("61s")) { try range("1s..61s") }
        #expect(fault("80ms..20ms", ValueReader.latency)?.example == "20ms..80ms")
        for text in ["20ms..", "..20ms", "20..80ms", "1ms..2ms..3ms", "1ms...2ms", "1ms...5s"] {
            #expect(fault(text, ValueReader.latency) != nil, "\(text)")
        }
    }

    @Test func `a latency is fixed, uniform or log-normal`() throws {
        func latency(_ text: String) throws(LatencyText.Fault) -> LatencyText {
            try LatencyText(text, max: .seconds(60))
        }
        #expect(try latency("0ms") == .fixed(.zero))
        #expect(try latency("0") == .fixed(.zero))
        #expect(try latency("20ms") == .fixed(.milliseconds(20)))
        let range: ClosedRange<Duration> = .zero ... .milliseconds(80)
        #expect(try latency("0ms..80ms") == .uniform(range))
        let normal = LatencyText.logNormal(p50: .milliseconds(40), p99: .milliseconds(250))
        #expect(try latency("lognormal:p50=40ms,p99=250ms") == normal)
        #expect(try latency("lognormal:p99=250ms,p50=40ms") == normal)
        #expect(
            fault("61m", ValueReader.latency) == ValueFault("has a delay of more than 1h"))
        #expect(
            fault("20", ValueReader.latency) == ValueFault("has no unit", example: "20s"))
        for text in [
            "", "20", "lognormal", "lognormal:", "lognormal:p50=40ms", "lognormal:p50=40,p99=250",
            "lognormal:p50=250ms,p99=40ms", "lognormal:p50=0ms,p99=40ms",
            "lognormal:p50=1ms,p50=2ms", "lognormal:p50=1ms,p99=2ms,p999=3ms", "normal:p50=1ms",
        ] {
            #expect(fault(text, ValueReader.latency) != nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("5000/s", 5_000, 1_000_000_000), ("90k/m", 90_000, 60_000_000_000),
            ("100/15s", 100, 15_000_000_000), ("10/h", 10, 3_600_000_000_000),
            ("1/100ms", 1, 100_000_000), ("1.5k/s", 1_500, 1_000_000_000),
            ("1/d", 1, 86_400_000_000_000), ("2M/s", 2_000_000, 1_000_000_000),
            ("1.5/s", 3, 2_000_000_000), (".5/m", 1, 120_000_000_000),
            ("0.001k/s", 1, 1_000_000_000), ("5000", 5_000, 1_000_000_000),
        ] as [(String, Int64, Int64)])
    func `a rate is a number per time`(text: String, count: Int64, nanoseconds: Int64) throws {
        let expected = RateText(count: count, nanoseconds: nanoseconds)
        #expect(try ValueReader.rate(text) == expected)
    }

    @Test func `what is not a rate is refused, with advice`() {
        #expect(fault("0", ValueReader.rate) == ValueFault("is not a rate", example: "5000/s"))
        #expect(fault("fast", ValueReader.rate) == ValueFault("is not a rate", example: "5000/s"))
        #expect(fault("5/15", ValueReader.rate)?.example == "5/s")
        for text in [
            "", "/", "/s", "5/", "0/s", "5/0s", "-1/s", "5/s/s", "5 /s", "5/sec", "0.0/s",
            "99999999999999999999/s", "0.000000000000000001/d",
        ] {
            #expect(fault(text, ValueReader.rate) != nil, "\(text)")
        }
    }

    /// The examples of RFC 3339 §5.8, and seconds from `date -u +%s -d …` of GNU coreutils.
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("1985-04-12T23:20:50.52Z", 482_196_050),
            ("1996-12-19T16:39:57-08:00", 851_042_397),
            ("1990-12-31T23:59:60Z", 662_688_000),
            ("1990-12-31T15:59:60-08:00", 662_688_000),
            ("1937-01-01T12:00:27+00:20", -1_041_337_173),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("2026-12-01 09:00:00z", 1_796_115_600),
            ("2100-03-01t00:00:00Z", 4_107_542_400),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func `a time of RFC 3339 becomes UNIX seconds`(text: String, seconds: Int64) throws {
        #expect(try ValueReader.rfc3339(text) == seconds)
    }

    @Test(arguments: [
        "", "2026", "2026-12-01", "2026-12-01T09:00Z", "2026-12-01T09:00:00",
        "2026-13-01T09:00:00Z",
        "2026-00-01T09:00:00Z", "2026-02-29T09:00:00Z", "2100-02-29T09:00:00Z",
        "2026-04-31T09:00:00Z", "2026-12-00T09:00:00Z", "2026-12-01T24:00:00Z",
        "2026-12-01T09:60:00Z", "2026-12-01T09:00:61Z", "2026-12-01T09:00:00.Z",
        "2026-12-01T09:00:00+1:00", "2026-12-01T09:00:00+24:00", "2026-12-01T09:00:00ZZ",
        "2026-12-1T09:00:00Z",
    ])
    func `what is not such a time is refused`(text: String) {
        #expect(fault(text, ValueReader.rfc3339) != nil)
    }

    @Test func `an expiration is nothing kept, a moment, or a time from now`() throws {
        #expect(try ValueReader.expiration("0") == .once)
        #expect(try ValueReader.expiration("1796115600") == .at(unixSeconds: 1_796_115_600))
        #expect(
            try ValueReader.expiration("2026-12-01T09:00:00Z") == .at(unixSeconds: 1_796_115_600))
        #expect(try ValueReader.expiration("+1h") == .after(.seconds(3600)))
    }

    @Test func `a moment is the same without the nothing`() throws {
        #expect(try ValueReader.moment("1796115600") == .at(unixSeconds: 1_796_115_600))
        #expect(
            try ValueReader.moment("2026-12-01T10:00:00+01:00") == .at(unixSeconds: 1_796_115_600))
        #expect(try ValueReader.moment("+90m") == .after(.seconds(5400)))
        #expect(fault("0", ValueReader.moment)?.example == "+1h")
        #expect(fault("2h", ValueReader.moment)?.example == "+2h")
    }

    @Test(arguments: [
        ("3600", "+3600s"), ("1h", "+1h"), ("1796115600000", "1796115600"), ("+3600", "+3600s"),
        ("+1ms", "+1h"), ("+0s", "+1h"), ("tomorrow", "+1h"), ("", "+1h"),
        ("2026-12-01T09:00:00", "2026-12-01T09:00:00Z"),
    ])
    func `a likely mistake in an expiration is corrected`(text: String, example: String) {
        #expect(fault(text, ValueReader.expiration)?.example == example)
    }
}
