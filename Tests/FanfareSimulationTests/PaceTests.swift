import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Whole jobs at a pace; the ledger looks at every window.
@Suite struct PaceTests {
    private static let second = SimulationPlan.second
    private static let millisecond = SimulationPlan.millisecond

    private static func pace(
        _ count: Int64, burst: Int64? = nil, ramp: Int = 0
    ) -> PaceSettings {
        PaceSettings(count: count, period: Int64(second), burst: burst, ramp: Int64(ramp))
    }

    @Test func `a job takes the time of its pace`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 500
                $0.pace = Self.pace(100)
            })
        #expect(world.outcomes == ["accepted": 500])
        // The first at once, the others every 10 ms.
        #expect(world.elapsed >= 4990 * Self.millisecond)
        #expect(world.elapsed < 5000 * Self.millisecond)
        #expect(world.lanePace.lateStarts == 0)
    }

    @Test func `at a high rate the lane sleeps for milliseconds, and keeps it`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 5000
                $0.batchRows = 500...500
                $0.streams = 50
                $0.pace = Self.pace(10_000)
            })
        #expect(world.outcomes == ["accepted": 5000])
        #expect(world.elapsed >= 499 * Self.millisecond && world.elapsed < 505 * Self.millisecond)
        // Every 4 ms a turn, and for each batch its way there and back in pieces.
        #expect(world.turns < 125 * 8)
    }

    @Test func `the rate rises in a line`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 101
                $0.pace = Self.pace(100, ramp: 2 * Self.second)
            })
        // 100 × t² ÷ 4 permits come until t, so the 100th after the first comes at 2 s.
        #expect(world.elapsed >= 2 * Self.second)
        #expect(world.elapsed < 2 * Self.second + Self.millisecond)
    }

    @Test func `retries count like first attempts`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 400
                $0.pace = Self.pace(100)
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = 5
                    $0.action.stream = .answer(ScenarioAnswer(status: 503))
                }
            })
        let requests = world.ledger.requestsReceived
        #expect(requests > 480)
        #expect(world.elapsed >= (requests - 1) * 10 * Self.millisecond)
        #expect(world.elapsed < (requests + 5) * 10 * Self.millisecond)
    }

    @Test func `an attempt that was provably not processed has used its permit`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 50
                $0.pace = Self.pace(100)
                $0.provider.scenario = .rule {
                    $0.condition.attempts = 1...1
                    $0.action.stream = .reset(errorCode: 7)
                }
            })
        #expect(world.outcomes == ["accepted": 50])
        #expect(world.engine.books.report.tally.attempts == 50)
        #expect(world.elapsed >= 990 * Self.millisecond && world.elapsed < 1000 * Self.millisecond)
    }

    @Test func `what a slow provider has kept from starting is late, and not made up for`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 100
                $0.streams = 1
                $0.pace = Self.pace(100)
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("100ms")
            })
        #expect(world.outcomes == ["accepted": 100])
        #expect(world.elapsed >= 10 * Self.second)
        // Nine of ten, but for those that the bucket holds.
        let late = world.lanePace.lateStarts ?? 0
        #expect((880...892).contains(late))
    }

    @Test func `a job that waits for its pace stops when it is told to`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.pace = PaceSettings(count: 1, period: 86_400 * Int64(Self.second))
                $0.drainsAfter = Self.second
            })
        #expect(world.outcomes == ["accepted": 1])
        #expect(world.engine.books.rowsLeft == 0 && world.elapsed < 2 * Self.second)
    }

    @Test func `rows that the pace keeps from starting by the deadline are skipped`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.pace = Self.pace(1)
                $0.until = 3500 * Self.millisecond
            })
        #expect(world.outcomes == ["accepted": 4, "skipped": 6])
    }
}
