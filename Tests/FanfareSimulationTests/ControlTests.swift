import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Jobs that are paused and paced anew while they run.
@Suite struct ControlTests {
    private static let second = SimulationPlan.second
    private static let millisecond = SimulationPlan.millisecond

    private static func pace(_ count: Int64) -> PaceSettings {
        PaceSettings(count: count, period: Int64(second), burst: 1)
    }

    @Test func `a pause starts nothing, answers what is in flight, and costs no turns`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 100
                $0.pace = Self.pace(100)
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("50ms")
                $0.pauses = [(505 * Self.millisecond, true), (8000 * Self.millisecond, false)]
            })
        #expect(world.outcomes == ["accepted": 100])
        // 51 have started by then. The next may start at once, and 48 more have to wait.
        let starts = world.starts.map { $0 / Self.millisecond }
        #expect(starts.count { $0 < 505 } == 51 && starts.count { $0 < 8000 } == 51)
        #expect(world.elapsed >= 8480 * Self.millisecond)
        #expect(world.elapsed < 8600 * Self.millisecond)
        #expect(world.turns < 100 * 8)
    }

    @Test func `retries that are due wait for the end of a pause, without a turn`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 20
                $0.streams = 20
                $0.provider.scenario = .answer(ScenarioAnswer(status: 503), toFirst: 1)
                $0.pauses = [(2 * Self.millisecond, true), (3600 * Self.second, false)]
            })
        #expect(world.outcomes == ["accepted": 20])
        #expect(world.elapsed >= 3600 * Self.second && world.turns < 400)
    }

    @Test func `a paused job ends at its deadline, with every row`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 50
                $0.pace = Self.pace(10)
                $0.until = 3 * Self.second
                $0.pauses = [(1050 * Self.millisecond, true)]
            })
        #expect(world.outcomes == ["accepted": 11, "skipped": 39])
        #expect(world.elapsed < 3100 * Self.millisecond)
    }

    @Test func `a paused job drains`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 50
                $0.pace = Self.pace(10)
                $0.drainsAfter = 2 * Self.second
                $0.pauses = [(1050 * Self.millisecond, true)]
            })
        #expect(world.outcomes == ["accepted": 11])
        #expect(world.elapsed < 2100 * Self.millisecond)
    }

    @Test func `a job gets its pace, another one, and none`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 400
                $0.streams = 1
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("5ms")
                $0.paceChanges = [
                    (503 * Self.millisecond, Self.pace(10)),
                    (2503 * Self.millisecond, Self.pace(100)),
                    (3503 * Self.millisecond, nil),
                ]
            })
        #expect(world.outcomes == ["accepted": 400])
        let starts = world.starts.map { $0 / Self.millisecond }
        // One at a time, each 5 ms and two ways of a microsecond: a hundred in half a second.
        #expect((98...101).contains(starts.count { $0 < 503 }))
        // Ten a second for two seconds, then a hundred a second for one.
        #expect((20...21).contains(starts.count { $0 >= 503 && $0 < 2503 }))
        #expect((99...101).contains(starts.count { $0 >= 2503 && $0 < 3503 }))
        #expect(world.elapsed < 4500 * Self.millisecond)
    }
}
