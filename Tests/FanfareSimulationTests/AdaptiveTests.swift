import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Whole jobs against a provider that can do so much and no more: 100 requests in 20 ms.
@Suite struct AdaptiveTests {
    private static let millisecond = SimulationPlan.millisecond
    private static let rows = 10_000
    /// The least time of the job, at 5,000 a second.
    private static let least = 2000 * millisecond

    private static func plan(isAdaptive: Bool, refusesMore: Bool) -> SimulationPlan {
        .quiet {
            $0.rowCount = rows
            $0.batchRows = 500...500
            $0.streams = 1000
            $0.attemptsMax = 50
            $0.timeout = .seconds(10)
            $0.isAdaptive = isAdaptive
            $0.provider.latency = .fixed(.milliseconds(20))
            guard refusesMore else {
                $0.provider.knee = 100
                return
            }
            $0.provider.scenario = .rule {
                $0.condition.rateLimit = Scenario.RateLimit(
                    nanosecondsPerRequest: 200_000, burst: 100)
                $0.action.stream = .answer(
                    ScenarioAnswer(status: 503, reason: "ServiceUnavailable"))
            }
        }
    }

    @Test func `a job keeps to the knee of its provider`() {
        let world = SimulatedWorld.run(Self.plan(isAdaptive: true, refusesMore: false))
        #expect(world.outcomes == ["accepted": Self.rows])
        #expect(world.elapsed < Self.least * 11 / 10)
        let median = world.place.pointee.connections.latency.percentile(50)
        #expect(median < 45 * Int64(Self.millisecond))
        #expect(world.engine.limits.times.ranked.first?.limitation == .inFlightLatency)
    }

    @Test func `without it, as many requests wait as streams allow`() {
        let world = SimulatedWorld.run(Self.plan(isAdaptive: false, refusesMore: false))
        #expect(world.outcomes == ["accepted": Self.rows])
        // A thousand at 5,000 a second.
        let median = world.place.pointee.connections.latency.percentile(50)
        #expect(median > 190 * Int64(Self.millisecond))
        #expect(world.engine.limits.times.ranked.first?.limitation == .streamLimit)
    }

    @Test func `a provider that refuses what is too much gets little that is too much`() {
        let world = SimulatedWorld.run(Self.plan(isAdaptive: true, refusesMore: true))
        #expect(world.outcomes == ["accepted": Self.rows])
        #expect(world.elapsed < Self.least * 13 / 10)
        #expect(world.ledger.requestsReceived < Self.rows * 105 / 100)
        #expect(world.engine.limits.times.ranked.first?.limitation == .inFlightRefusals)
    }
}
