import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The search for the knee with the engine and the simulated provider, on the virtual clock.
@Suite struct KneeTests {
    /// One step of a search; what the server did not take up in time is left.
    private func step(
        _ rate: Double, _ change: (inout SimulationPlan) -> Void
    ) throws -> LoadStep {
        let schedule = LoadSchedule(.open(from: rate, to: rate), duration: .milliseconds(250))
        let due = schedule.count(before: .max)
        let plan = SimulationPlan.quiet {
            // More than are due: rows must not be what ends it.
            $0.rowCount = Int(due) + 100
            $0.batchRows = 1000...1000
            $0.streams = 1000
            $0.attemptsMax = 1
            $0.timeout = .seconds(10)
            $0.load = schedule
            $0.network.upCapacity = 10_000_000
            $0.network.downCapacity = 10_000_000
            change(&$0)
        }
        // The ledger wants an outcome for each row.
        let world = SimulatedWorld(plan: plan)
        world.run()
        let meter = world.engine.books.observer.meter
        var figures = try #require(meter).figures
        #expect(figures.identityViolation() == nil)
        figures.leftUnstarted(schedule, due: due, until: schedule.length)
        #expect(figures.due == UInt64(due))
        return LoadStep(
            schedule.load, inFlight: nil, measuredNanoseconds: schedule.length, figures: figures,
            processorNanoseconds: 0, busyShare: 0, connections: 1)
    }

    private func knee(
        from first: Double, p99: Int64, _ change: (inout SimulationPlan) -> Void
    ) throws -> Double {
        let bounds = KneeSearch.Bounds(p99: p99, errorShare: 0.01)
        var search = KneeSearch(first: first, precision: 0.02)
        while let rate = search.rate {
            search.tried(isWithinBounds: bounds.areKept(by: try step(rate, change)))
        }
        return try #require(search.kept)
    }

    /// With S requests at a time and L for each the capacity is S ÷ L, and what is more queues: with
    /// 3 % more than that the last ones of 250 ms wait 8 ms.
    @Test(arguments: [(20, 2000.0), (90, 9000)])
    func `a provider that takes so many at a time`(streams: UInt32, capacity: Double) throws {
        let found = try knee(from: capacity / 1.7, p99: 18_000_000) {
            $0.provider.maxConcurrentStreams = streams
            // swift-format-ignore: NeverUseForceTry
            $0.provider.latency = try! LatencyModel("10ms")
        }
        #expect(abs(found - capacity) <= 0.05 * capacity, "\(found)")
    }

    @Test(arguments: [2000.0, 9000])
    func `a provider that refuses what is more`(capacity: Double) throws {
        let found = try knee(from: capacity / 1.7, p99: 250_000_000) {
            $0.provider.scenario = .rule {
                $0.condition.rateLimit = .init(nanosecondsPerRequest: 1e9 / capacity, burst: 2)
                $0.action.stream = .answer(ScenarioAnswer(status: 429))
            }
        }
        #expect(abs(found - capacity) <= 0.05 * capacity, "\(found)")
    }
}
