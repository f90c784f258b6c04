import FanfareCore
import FanfareTestSupport
import Testing

/// The window's response to a provider whose latency rises beyond a knee, on a virtual clock.
@Suite struct AdaptiveLatencyTests {
    /// Latency is flat up to 300 in flight; 300 in 20 ms are 15,000 a second.
    private func knee(sigma: Double = 0.1, seed: UInt64 = 1) -> ModelProvider {
        var provider = ModelProvider(seed: seed)
        provider.places = 300
        provider.sigma = sigma
        return provider
    }

    private func lanes(_ count: Int) -> [ModelJob.Window] {
        Array(repeating: .adaptive(AdaptiveWindow(lanes: count)), count: count)
    }

    /// The smallest fixed window that gets within a hundredth of what any gets.
    private func bestFixed(_ provider: ModelProvider) -> ModelJob.Observation {
        let seen = [100, 200, 250, 300, 350, 400, 600, 1000].map { limit in
            var job = ModelJob(provider, [.fixed(limit)])
            _ = job.run(seconds: 1)
            return job.run(seconds: 1.5)
        }
        let most = seen.map(\.goodput).max() ?? 0
        return seen.first { $0.goodput >= 0.99 * most } ?? seen[0]
    }

    /// The deviations of the logarithm: a tenth, and p50 and p99 six times apart.
    @Test(arguments: [(0.1, 1), (0.1, 2), (0.1, 4), (0.1, 7), (0.788, 1), (0.788, 2)])
    func `it finds the knee`(sigma: Double, lanes count: Int) {
        let best = bestFixed(knee(sigma: sigma))
        var job = ModelJob(knee(sigma: sigma), lanes(count))
        _ = job.run(seconds: 4)
        let seen = job.run(seconds: 6)
        #expect(seen.goodput >= 0.9 * best.goodput)
        #expect(seen.percentile(0.99) <= 1.5 * best.percentile(0.99))
        if count == 1 { #expect(seen.swing <= 0.15) }
    }

    /// At seeds that were not chosen.
    @Test(arguments: 2...6)
    func `chance does not lead it away from the knee`(seed: UInt64) {
        var job = ModelJob(knee(sigma: 0.788, seed: seed))
        _ = job.run(seconds: 4)
        let seen = job.run(seconds: 4)
        // 300 answers in 20 ms × e^(0.788²/2).
        #expect(seen.goodput >= 0.9 * 300 / 0.02728)
        #expect(seen.meanLimit < 450)
    }

    /// Four connections of 1,000 streams, 40 ms to an answer.
    @Test(arguments: [0, 0.788])
    func `slow start reaches 4,000 within half a second and stays`(sigma: Double) {
        var provider = ModelProvider()
        provider.latency = 40
        provider.sigma = sigma
        var job = ModelJob(provider)
        let start = job.run(seconds: 0.5)
        #expect(start.limits.contains { $0 >= 4000 })
        #expect(job.limit >= 4000)
    }

    @Test func `it follows a provider that loses capacity and gets it back`() {
        var job = ModelJob(knee())
        _ = job.run(seconds: 2)
        job.provider.places = 150
        _ = job.run(seconds: 1)
        let half = job.run(seconds: 1)
        #expect(half.goodput >= 0.9 * 7500 && half.percentile(0.99) < 40)
        job.provider.places = 300
        _ = job.run(seconds: 1)
        #expect(job.run(seconds: 1).goodput >= 0.9 * 15_000)
    }

    /// Another route: three times the latency, and no queue.
    ///
    /// The window shrinks at first, for it cannot know; but to no less than a quarter, and the probe
    /// that comes after 128 latencies, or up to twice as many, tells.
    @Test func `latency that is not of its making does not starve it`() {
        var provider = ModelProvider()
        provider.sigma = 0.1
        provider.places = 600
        var job = ModelJob(provider)
        _ = job.run(seconds: 2)
        job.provider.latency = 60
        let first = job.run(seconds: 4)
        #expect(first.goodput >= 0.2 * 10_000)
        _ = job.run(seconds: 8)
        #expect(job.run(seconds: 2).goodput >= 0.9 * 10_000)
    }

    /// A server on loopback: microseconds, until the machine has something else to do.
    @Test func `some milliseconds of waiting are put up with`() {
        var provider = ModelProvider()
        provider.latency = 0.5
        provider.sigma = 0.1
        provider.places = 20
        var job = ModelJob(provider)
        _ = job.run(seconds: 0.5)
        // 40 answers in a millisecond: a third of 10 ms are 133 in the queue.
        #expect(job.run(seconds: 1).limits.allSatisfy { $0 >= 133 })
    }

    @Test func `a lane bound by its pace does not grow its window`() {
        var job = ModelJob(knee())
        job.pace = 1000
        // 20 in flight.
        #expect(job.run(seconds: 3).limits.max() == 100)
    }
}
