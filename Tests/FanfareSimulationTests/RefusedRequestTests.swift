import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Servers that refuse what is more than they take, beside answers.
@Suite struct RefusedRequestTests {
    private static let second = SimulationPlan.second

    /// A server that takes 500/s on a connection, ten at once, and refuses what comes beyond: at once, or when the
    /// answer would be due.
    private static func plan(
        rows: Int, refusesAtOnce: Bool, _ change: (inout SimulationPlan) -> Void = { _ in }
    ) -> SimulationPlan {
        .distant(rows: rows) {
            $0.provider.latency = .fixed(.milliseconds(20))
            $0.provider.scenario = .rule {
                $0.condition.rateLimit = Scenario.RateLimit(
                    nanosecondsPerRequest: 2_000_000, burst: 10, scope: .connection)
                $0.action.stream = .reset(errorCode: 7)
                if refusesAtOnce { $0.action.latency = LatencyModel.none }
            }
            change(&$0)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `REFUSED_STREAM beyond what a server takes leaves as many in flight as it takes`(
        refusesAtOnce: Bool, isAdaptive: Bool
    ) {
        let rows = 3_000
        let world = SimulatedWorld.run(
            Self.plan(rows: rows, refusesAtOnce: refusesAtOnce) { $0.isAdaptive = isAdaptive })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes == ["accepted": rows])
        // The first flight has a hundred, or without the adaptive window a thousand; then it is one of eleven or so.
        #expect(world.ledger.requestsReceived < rows * 13 / 10 + (isAdaptive ? 100 : 1_000))
        // Six seconds at the least, and none for rows that wait for their turn.
        #expect(world.elapsed < 12 * Self.second)
        #expect(world.links.count == 1)
    }

    @Test func `more connections are had where each one takes some`() {
        let rows = 12_000
        let world = SimulatedWorld.run(
            Self.plan(rows: rows, refusesAtOnce: true) { $0.connectionsMax = 8 })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes == ["accepted": rows])
        #expect(world.links.count > 1)
        // Twenty-four seconds on one.
        #expect(world.elapsed < 18 * Self.second)
    }
}
