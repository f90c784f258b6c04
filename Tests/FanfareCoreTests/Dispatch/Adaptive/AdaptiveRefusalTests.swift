import FanfareCore
import FanfareTestSupport
import Testing

/// The window's response to a provider that refuses requests beyond its limit, on a virtual clock.
@Suite struct AdaptiveRefusalTests {
    private func settled(
        _ provider: ModelProvider, lanes: Int = 1, seconds: Double = 5
    ) -> ModelJob.Observation {
        var job = ModelJob(
            provider, Array(repeating: .adaptive(AdaptiveWindow(lanes: lanes)), count: lanes))
        _ = job.run(seconds: 3)
        return job.run(seconds: seconds)
    }

    /// Refusals come as late as answers, or at once.
    @Test(arguments: [20, 1], [1, 2])
    func `it settles below a number in flight that is refused`(
        refusalLatency: Double, lanes: Int
    ) {
        var provider = ModelProvider()
        provider.inFlightMax = 300
        provider.refusalLatency = refusalLatency
        let seen = settled(provider, lanes: lanes)
        // 300 in 20 ms.
        #expect(seen.goodput >= 0.9 * 15_000)
        #expect(seen.refusedShare <= 0.02)
        if lanes == 1 { #expect(seen.swing <= 0.15) }
    }

    @Test(arguments: [20, 1])
    func `it settles below a rate that is refused`(refusalLatency: Double) {
        var provider = ModelProvider()
        provider.rateMax = 15_000
        provider.refusalLatency = refusalLatency
        let seen = settled(provider)
        #expect(seen.goodput >= 0.9 * 15_000)
        #expect(seen.refusedShare <= 0.02)
        #expect(seen.swing <= 0.15)
    }

    @Test func `a provider that takes five at a time is found`() {
        var provider = ModelProvider()
        provider.inFlightMax = 5
        provider.refusalLatency = 1
        let seen = settled(provider, seconds: 10)
        // 5 in 20 ms; one less is a fifth less.
        #expect(seen.goodput >= 0.75 * 250)
        #expect(seen.refusedShare <= 0.02)
    }

    /// A server for a part of the devices is down, which the window finds out within some seconds.
    @Test(
        arguments: [
            (0.01, 1), (0.03, 1), (0.05, 2), (0.1, 1), (0.2, 1), (0.2, 2), (0.3, 1), (0.3, 2),
        ])
    func `refusals that do not depend on it are put up with`(share: Double, lanes: Int) {
        for seed in UInt64(1)...2 {
            var provider = ModelProvider(seed: seed)
            provider.places = 300
            provider.sigma = 0.1
            provider.refusedShare = share
            var job = ModelJob(
                provider, Array(repeating: .adaptive(AdaptiveWindow(lanes: lanes)), count: lanes))
            _ = job.run(seconds: 7)
            // A refused request takes no place.
            #expect(job.run(seconds: 3).goodput >= 0.9 * 15_000)
        }
    }

    @Test(arguments: [0.2, 0.3], [5.0, 20])
    func `a lane with a pace keeps it among such refusals`(share: Double, latency: Double) {
        for seed in UInt64(1)...2 {
            var provider = ModelProvider(seed: seed)
            provider.latency = latency
            provider.refusalLatency = latency
            provider.refusedShare = share
            var job = ModelJob(provider)
            job.pace = 10_000
            #expect(job.run(seconds: 2).goodput >= 0.9 * (1 - share) * 10_000)
            #expect(job.run(seconds: 4).goodput >= 0.9 * (1 - share) * 10_000)
        }
    }

    @Test(arguments: [1, 2])
    func `what is too much is found beside what is refused in any case`(lanes: Int) {
        var provider = ModelProvider()
        provider.inFlightMax = 300
        provider.refusedShare = 0.2
        let seen = settled(provider, lanes: lanes, seconds: 10)
        #expect(seen.goodput >= 0.85 * 15_000)
        // Half as many again, and 3 %, are put up with.
        #expect(seen.refusedShare <= 0.33)
    }

    @Test func `capacity that is lost is not taken for such refusals`() {
        var provider = ModelProvider()
        provider.inFlightMax = 300
        var job = ModelJob(provider)
        _ = job.run(seconds: 3)
        job.provider.inFlightMax = 50
        _ = job.run(seconds: 2)
        let seen = job.run(seconds: 5)
        #expect(seen.goodput >= 0.85 * 2_500)
        #expect(seen.refusedShare <= 0.02)
    }

    @Test(arguments: [1, 5])
    func `an outage takes it down, and it is back within a second`(length: Double) {
        var provider = ModelProvider()
        provider.places = 300
        provider.sigma = 0.1
        var job = ModelJob(provider)
        _ = job.run(seconds: 2)
        job.provider.refusedShare = 1
        _ = job.run(seconds: length)
        #expect(job.run(seconds: 1).limits.allSatisfy { $0 <= 4 })
        job.provider.refusedShare = 0
        _ = job.run(seconds: 1)
        #expect(job.run(seconds: 1).goodput >= 0.9 * 15_000)
    }

    /// One request at a time, and after 64 answers without a refusal half of what there was.
    @Test func `after an outage of most of it, it is back within three seconds`() {
        var provider = ModelProvider()
        provider.places = 300
        provider.sigma = 0.1
        var job = ModelJob(provider)
        _ = job.run(seconds: 2)
        job.provider.refusedShare = 0.7
        _ = job.run(seconds: 4)
        #expect(job.run(seconds: 1).limits.allSatisfy { $0 <= 8 })
        job.provider.refusedShare = 0
        _ = job.run(seconds: 3)
        #expect(job.run(seconds: 1).goodput >= 0.9 * 15_000)
    }
}
