import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Servers that end each connection after so many answers.
@Suite struct GoAwayTests {
    private static let millisecond = SimulationPlan.millisecond

    /// Answers 100 requests on each connection after 40 ms, refuses the others by GOAWAY, and closes.
    private static func plan(rows: Int) -> SimulationPlan {
        .distant(rows: rows) {
            $0.provider.scenario = .rule {
                $0.condition.afterRequests = 100
                var goAway = Scenario.GoAway()
                goAway.errorCode = 0
                goAway.lastStream = .beforeThis
                $0.action.goAway = goAway
            }
        }
    }

    @Test func `rows refused by GOAWAY wait for no back-off while connections answer`() {
        let rows = 2_000
        let world = SimulatedWorld.run(Self.plan(rows: rows))
        #expect(world.outcomes == ["accepted": rows])
        // One connection after the other: 20 for 100 rows each, of 45 ms.
        #expect(world.elapsed < (rows / 100 + 1) * 45 * Self.millisecond)
    }
}
