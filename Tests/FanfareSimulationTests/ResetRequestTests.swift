import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Servers that reset requests beside answers: each is a row in doubt.
@Suite struct ResetRequestTests {
    private static let second = SimulationPlan.second

    @Test func `resets beside some answers do not burn the list at full speed`() {
        // A thousand are accepted, and then one in ten.
        var taken = Scenario.Rule()
        taken.condition.everyNth = 10
        var reset = Scenario.Rule()
        reset.condition.afterRequests = 1_000
        reset.action.stream = .reset(errorCode: 2)
        let world = SimulatedWorld.run(
            .distant(rows: 20_000) {
                $0.drainsAfter = 10 * Self.second
                $0.provider.scenario = Scenario(rules: [taken, reset])
            })
        // Two flights while the window halves down to one, and then 25 a second.
        #expect(world.outcomes["unknown", default: 0] < 4_000)
        #expect(world.outcomes["accepted", default: 0] >= 1_000)
    }

    /// One in fifty, at every limit: less in flight would only be slower.
    @Test func `a few resets by chance cost no speed`() {
        let world = SimulatedWorld.run(
            .distant(rows: 20_000) {
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = 50
                    $0.action.stream = .reset(errorCode: 2)
                }
            })
        #expect(world.outcomes == ["accepted": 19_600, "unknown": 400])
        #expect(world.elapsed < 3 * Self.second)
    }
}
