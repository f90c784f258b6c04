import FanfareBase
import FanfareSimulator
import Testing

@testable import Fanfare

/// Rows that make the provider cut the connection: a hundredth of them.
@Suite struct PoisonedRowTests {
    private static let second = SimulationPlan.second

    private static func job(
        rows: Int, _ change: @escaping (inout SimulationPlan) -> Void
    ) -> SimulatedWorld {
        SimulatedWorld.run(
            .distant(rows: rows) {
                $0.attemptsMax = 5
                $0.provider.latency = .fixed(.milliseconds(20))
                $0.provider.scenario = .rule {
                    $0.condition.fraction = 0..<0.01
                    $0.action.closesConnection = true
                }
                change(&$0)
            })
    }

    @Test func `where rows go again they alone are in doubt, and the others do not wait for them`()
    {
        let world = Self.job(rows: 2_000) { $0.resendsInDoubt = true }
        #expect(world.engine.stop == nil)
        let poisoned = world.outcomes["unknown", default: 0]
        // Twenty are expected: 2,000 · 0.01, and the deviation is four.
        #expect((8...32).contains(poisoned))
        #expect(world.outcomes == ["accepted": 2_000 - poisoned, "unknown": poisoned])
        // Five attempts each, of which the last two go alone.
        #expect(world.links.count <= 5 * poisoned + 5)
        #expect(world.elapsed < 120 * Self.second, "\(world.elapsed / Self.second)")
    }

    @Test func `where rows do not go again, as many go at a time as the cuts allow`() {
        let world = Self.job(rows: 3_000) { _ in }
        #expect(world.engine.stop == nil)
        // The first flights, then three with each cut.
        #expect(world.outcomes["unknown", default: 0] <= 200 + 4 * 45)
        // One at a time would take 60 s.
        #expect(world.elapsed < 45 * Self.second, "\(world.elapsed / Self.second)")
    }
}
