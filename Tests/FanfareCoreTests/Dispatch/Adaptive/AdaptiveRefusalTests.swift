import FanfareCore
import Testing

/// What the window makes of a provider that refuses what is too much, on a virtual clock.
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

    /// A server for a tenth of the devices is down: until the first probe that looks like too many
    /// requests, and from then on it does not.
    @Test(arguments: [0.01, 0.05, 0.1])
    func `refusals that do not depend on it are put up with`(share: Double) {
        var provider = ModelProvider()
        provider.places = 300
        provider.sigma = 0.1
        provider.refusedShare = share
        var job = ModelJob(provider)
        _ = job.run(seconds: 7)
        #expect(job.run(seconds: 5).goodput >= 0.85 * 15_000)
    }

    @Test func `an outage takes it down, and it is back within two seconds`() {
        var provider = ModelProvider()
        provider.places = 300
        provider.sigma = 0.1
        var job = ModelJob(provider)
        _ = job.run(seconds: 2)
        job.provider.refusedShare = 1
        _ = job.run(seconds: 1)
        #expect(job.run(seconds: 1).limits.allSatisfy { $0 <= 4 })
        job.provider.refusedShare = 0
        _ = job.run(seconds: 1)
        #expect(job.run(seconds: 1).goodput >= 0.9 * 15_000)
    }
}
