import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Whole jobs that choose how many connections they have.
@Suite struct ConnectionChoiceTests {
    private static let millisecond = SimulationPlan.millisecond

    /// 40 ms there and back, bodies of 1 KB.
    private static func far(
        rows: Int, connections: Int, most: Int, _ change: (inout SimulationPlan) -> Void = { _ in }
    ) -> SimulationPlan {
        .quiet {
            $0.rowCount = rows
            $0.payloadBytes = 1000...1000
            $0.batchRows = 500...500
            $0.streams = 1000
            $0.connections = connections
            $0.connectionsMax = most
            $0.network.delay = 20 * millisecond...20 * millisecond
            $0.network.upCapacity = 1 << 20
            $0.network.downCapacity = 1 << 20
            change(&$0)
        }
    }

    @Test func `a flow-control window of 64 KiB at 40 ms is told, and cured by connections`() {
        let fixed = SimulatedWorld.run(Self.far(rows: 8_000, connections: 16, most: 16))
        let chosen = SimulatedWorld.run(Self.far(rows: 8_000, connections: 1, most: 16))
        let alone = SimulatedWorld.run(Self.far(rows: 8_000, connections: 1, most: 1))
        #expect(chosen.engine.books.dispatcher.connectionDemand.target == 16)
        #expect(chosen.engine.books.dispatcher.connectionDemand.cause == .flowControl)
        for world in [fixed, chosen, alone] {
            #expect(world.outcomes == ["accepted": 8_000])
            #expect(world.engine.limits.times.ranked.first?.limitation == .flowControl)
            // Nothing of the lane's time is lost.
            #expect(world.engine.limits.times.total <= Int64(world.elapsed))
            #expect(
                world.engine.limits.times.total >= Int64(world.elapsed - 100 * Self.millisecond))
        }
        // Four steps of some 320 ms each until all 16 are there; one alone takes 16 times as long.
        #expect(chosen.elapsed < fixed.elapsed + 4 * 400 * Self.millisecond)
        #expect(alone.elapsed > 12 * fixed.elapsed)
    }

    @Test func `a stream limit is told, and cured by connections`() {
        let world = SimulatedWorld.run(
            Self.far(rows: 4_000, connections: 1, most: 8) {
                $0.payloadBytes = 50...50
                $0.provider.maxConcurrentStreams = 10
            })
        #expect(world.outcomes == ["accepted": 4_000])
        #expect(world.engine.books.dispatcher.connectionDemand.target == 8)
        #expect(world.engine.books.dispatcher.connectionDemand.cause == .streamLimit)
        #expect(world.engine.limits.times.ranked.first?.limitation == .streamLimit)
    }

    @Test func `a job at a pace opens no more than one connection, and says why`() {
        let world = SimulatedWorld.run(
            Self.far(rows: 1_000, connections: 1, most: 8) {
                $0.pace = PaceSettings(count: 500, period: 1_000_000_000, burst: nil, ramp: 0)
            })
        #expect(world.outcomes == ["accepted": 1_000])
        #expect(world.engine.books.report.tally.connectionsOpened == 1)
        #expect(world.engine.limits.times.ranked.first?.limitation == .pace)
    }

    @Test func `a slow input is told`() {
        let world = SimulatedWorld.run(
            Self.far(rows: 100, connections: 1, most: 8) {
                $0.batchRows = 1...1
                $0.batchGap = 50 * Self.millisecond...50 * Self.millisecond
            })
        #expect(world.engine.limits.times.ranked.first?.limitation == .input)
        #expect(world.engine.books.report.tally.connectionsOpened == 1)
    }
}
