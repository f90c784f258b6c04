import FanfareCore
import Testing

@Suite struct SeriesSamplerTests {
    private static func add(_ outcome: Outcome, _ attempts: UInt16, to tally: inout Tally) {
        let reason = UnsafeBufferPointer<UInt8>.empty
        tally.record(outcome, status: 0, reason: reason, index: .unlisted, attempts: attempts)
    }

    @Test func `what came between two looks is between them`() {
        var sampler = SeriesSampler(now: 1_000_000)
        var (tally, latency) = (Tally(), LatencyHistogram())
        #expect(sampler.next == 1_000_100)
        for step in 1...10 {
            for _ in 0..<step { Self.add(.accepted, 2, to: &tally) }
            latency.record(nanoseconds: 5_000_000)
            // A few milliseconds late, as turns are.
            sampler.sample(
                at: 1_000_000 + Int64(step) * 100 + Int64(step % 3), tally, latency,
                levels: .init())
        }
        let buckets = sampler.series.buckets
        #expect(sampler.series.start == 1_000_000)
        #expect(buckets.map { $0.outcomes[.accepted] } == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(buckets.map(\.attempts) == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
        #expect(buckets.map(\.retries) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(buckets.allSatisfy { $0.latency.count == 1 })
    }

    @Test func `what comes after a long silence is at its end`() {
        var sampler = SeriesSampler(now: 0)
        var tally = Tally()
        Self.add(.failed, 1, to: &tally)
        sampler.sample(at: 5050, tally, LatencyHistogram(), levels: .init())
        let buckets = sampler.series.buckets
        #expect(sampler.series.start == 5000 && buckets.count == 1)
        #expect(buckets.last?.outcomes[.failed] == 1)
        #expect(sampler.series.total.outcomes.all == 1)
        #expect(sampler.next == 5100)
    }

    /// From two buckets' time on it is not known when they came.
    @Test(arguments: [(199, 0), (200, 200), (299, 200), (300, 300)] as [(Int64, Int64)])
    func `a silence is long that lasts for two buckets`(moment: Int64, start: Int64) {
        var sampler = SeriesSampler(now: 0)
        var tally = Tally()
        Self.add(.failed, 1, to: &tally)
        sampler.sample(at: moment, tally, LatencyHistogram(), levels: .init())
        #expect(sampler.series.start == start)
    }

    @Test func `levels hold until the lane has looked again`() {
        var sampler = SeriesSampler(now: 50)
        let (tally, latency) = (Tally(), LatencyHistogram())
        sampler.sample(
            at: 100, tally, latency,
            levels: .init(connections: 4, requestsInFlight: 10, requestsAllowed: 100))
        // Nothing before the first look, then 4 connections for 250 ms.
        sampler.sample(at: 350, tally, latency, levels: .init(connections: 1))
        sampler.sample(at: 400, tally, latency, levels: .init())
        sampler.sample(at: 900, tally, latency, levels: .init())
        let buckets = sampler.series.buckets
        #expect(buckets.map(\.connectionMilliseconds) == [0, 400, 400, 250, 0, 0, 0, 0, 0, 0])
        #expect(buckets.map(\.requestMilliseconds) == [0, 1000, 1000, 500, 0, 0, 0, 0, 0, 0])
        #expect(sampler.series.total.allowedMilliseconds == 25_000)
    }

    /// A day without a look: 2 connections times 86,400,000 ms, in any buckets.
    @Test func `levels of a long time lose nothing, and are spread over it`() {
        var sampler = SeriesSampler(now: 1_800_000_000_000)
        let (tally, latency) = (Tally(), LatencyHistogram())
        sampler.sample(at: 1_800_000_000_000, tally, latency, levels: .init(connections: 2))
        sampler.sample(at: 1_800_086_400_000, tally, latency, levels: .init())
        #expect(sampler.series.total.connectionMilliseconds == 172_800_000)
        let full = sampler.series.buckets.dropFirst().dropLast(2)
        #expect(full.count > 100)
        #expect(
            full.allSatisfy {
                $0.connectionMilliseconds == 2 * UInt64(sampler.series.width)
            })
    }

    @Test func `a clock that goes backwards does no harm`() {
        var sampler = SeriesSampler(now: 1000)
        var tally = Tally()
        Self.add(.accepted, 1, to: &tally)
        sampler.sample(at: 900, tally, LatencyHistogram(), levels: .init(connections: 1))
        sampler.sample(at: 950, tally, LatencyHistogram(), levels: .init())
        #expect(sampler.series.total.outcomes.all == 1)
        #expect(sampler.series.total.connectionMilliseconds == 0)
    }
}
