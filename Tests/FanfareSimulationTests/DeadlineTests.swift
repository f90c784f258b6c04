import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The deadlines of an attempt, a row and a job; nothing starts behind them.
@Suite struct DeadlineTests {
    private static let second = SimulationPlan.second
    private static let millisecond = SimulationPlan.millisecond

    private static func reasons(_ world: SimulatedWorld) -> [String: Int] {
        Dictionary(world.ledger.lines.values.map { ($0.reason, 1) }, uniquingKeysWith: +)
    }

    @Test func `a notification that has expired before the job began is never sent`() {
        let world = SimulatedWorld.run(.quiet { $0.expiration = -10 * Self.second })
        #expect(world.outcomes == ["skipped": 3])
        #expect(Self.reasons(world) == ["expiration has passed": 3])
        #expect(world.ledger.requestsReceived == 0)
    }

    @Test func `rows whose turn comes after their expiration are skipped`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 60
                $0.expiration = 3 * Self.second
                $0.pace = PaceSettings(count: 10, period: Int64(Self.second), burst: 1)
            })
        // One at once and then one every 100 ms, for three seconds.
        #expect(world.outcomes == ["accepted": 30, "skipped": 30])
        #expect(world.starts.allSatisfy { $0 < 3 * Self.second })
        #expect(world.elapsed < 3200 * Self.millisecond)
    }

    @Test func `rows that wait in a pause expire there`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 20
                $0.expiration = 3 * Self.second
                $0.provider.scenario = .rule {
                    $0.condition.attempts = 1...1
                    $0.action.stream = .reset(errorCode: 7)
                }
                $0.pauses = [(1, true), (4 * Self.second, false)]
            })
        #expect(world.outcomes == ["skipped": 20])
        #expect(Self.reasons(world) == ["expiration has passed": 20])
    }

    @Test func `a row that was refused each time is not sent again behind its expiration`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.expiration = 2 * Self.second
                $0.firstDelay = .seconds(5)
                $0.delayMax = .seconds(5)
                $0.provider.scenario = .rule { $0.action.stream = .reset(errorCode: 7) }
            })
        // Provably unprocessed, so nothing was sent in the end.
        #expect(world.outcomes == ["skipped": 3])
        #expect(Self.reasons(world) == ["expiration has passed": 3])
    }

    @Test func `the deadline comes first if it is the first`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.until = 1 * Self.second
                $0.expiration = 30 * Self.second
                $0.network.hangingDials = 1
                $0.connectTimeout = .seconds(60)
            })
        #expect(Self.reasons(world) == ["deadline has passed": 3])
    }

    @Test func `an attempt in flight at the deadline is answered, and has its own timeout`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.streams = 10
                $0.timeout = .seconds(5)
                $0.until = 1 * Self.second
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("3s")
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.elapsed >= 3 * Self.second)
    }
}
