import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Load tests on the virtual clock: what the server holds up is measured, and who was to blame.
@Suite struct LoadTests {
    private static let millisecond: Int64 = 1_000_000

    private func figures(
        _ change: (inout SimulationPlan) -> Void
    ) throws -> (LoadFigures, SimulatedWorld) {
        let world = SimulatedWorld.run(.quiet(change))
        let meter = world.engine.books.observer.meter
        let figures = try #require(meter).figures
        #expect(figures.identityViolation() == nil)
        return (figures, world)
    }

    private func step(_ figures: LoadFigures) -> LoadStep {
        LoadStep(
            .open(from: 100, to: 100), inFlight: nil, measuredNanoseconds: 10_000_000_000,
            figures: figures, processorNanoseconds: 0, busyShare: 0, connections: 1)
    }

    @Test func `a server that stalls for a second shows in the response times`() throws {
        let (figures, world) = try figures {
            $0.rowCount = 1000
            $0.batchRows = 100...100
            $0.streams = 1
            $0.timeout = .seconds(5)
            $0.load = LoadSchedule(.open(from: 100, to: 100), count: 1000)
            $0.provider.scenario = .rule {
                $0.condition.everyNth = 600
                // swift-format-ignore: NeverUseForceTry
                $0.action.latency = try! LatencyModel("1s")
            }
        }
        #expect(world.outcomes == ["accepted": 1000])
        #expect(figures.started == 1000 && figures.statuses == [200: 1000])
        // Request 600 takes a second, and those due meanwhile wait 0.99 s, 0.98 s, …: the eleventh
        // largest of 1,000 is 0.9 s.
        #expect(abs(figures.response.percentile(99) - 900 * Self.millisecond) < 10_000_000)
        #expect(abs(figures.response.percentile(90.5) - 50 * Self.millisecond) < 10_000_000)
        // A reader who looks at the wire alone sees one slow request of a thousand.
        #expect(figures.service.percentile(99.8) < Self.millisecond)
        #expect(figures.service.max >= 1000 * Self.millisecond)
        // Late by 10 ms at least: all but the last of the hundred.
        #expect((98...100).contains(figures.lateStarts) && figures.ownLateStarts == 0)
        let step = step(figures)
        #expect(step.hasHeldUpStarts && step.generatorLimit == nil)
    }

    @Test func `a server that keeps up has the same times on both`() throws {
        let (figures, world) = try figures {
            $0.rowCount = 500
            $0.load = LoadSchedule(.open(from: 100, to: 100), count: 500)
            // swift-format-ignore: NeverUseForceTry
            $0.provider.latency = try! LatencyModel("20ms")
        }
        #expect(world.elapsed >= 4990 * Int(Self.millisecond))
        #expect(figures.lateStarts == 0)
        for histogram in [figures.service, figures.response] {
            #expect(histogram.count == 500)
            #expect(histogram.min >= 20 * Self.millisecond)
            #expect(histogram.max < 21 * Self.millisecond)
        }
        #expect(!step(figures).hasHeldUpStarts)
    }

    @Test func `what starts late though the server has room is our own fault`() throws {
        let (figures, _) = try figures {
            $0.rowCount = 100
            $0.batchRows = 10...10
            // Rows for 10 requests each 200 ms, where 20 are due.
            $0.batchGap = 200 * SimulationPlan.millisecond...200 * SimulationPlan.millisecond
            $0.load = LoadSchedule(.open(from: 100, to: 100), count: 100)
        }
        #expect(figures.started == 100)
        #expect(figures.lateStarts >= 50 && figures.ownLateStarts == figures.lateStarts)
        #expect(step(figures).generatorLimit == .lateStarts)
    }

    @Test func `a closed loop keeps its number in flight`() throws {
        let (figures, world) = try figures {
            $0.rowCount = 30
            $0.connections = 2
            $0.load = LoadSchedule(.closed, count: 30)
            $0.inFlight = 3
            // swift-format-ignore: NeverUseForceTry
            $0.provider.latency = try! LatencyModel("100ms")
        }
        #expect(figures.statuses == [200: 30])
        // Ten times three, each a tenth of a second.
        #expect(world.elapsed >= 1000 * Int(Self.millisecond))
        #expect(world.elapsed < 1010 * Int(Self.millisecond))
        #expect(figures.response.percentile(50) == figures.service.percentile(50))
    }

    @Test func `a request without an answer in time has waited that long at the least`() throws {
        let (figures, world) = try figures {
            $0.rowCount = 20
            $0.attemptsMax = 1
            $0.timeout = .seconds(1)
            $0.load = LoadSchedule(.open(from: 10, to: 10), count: 20)
            $0.provider.scenario = .rule {
                $0.condition.everyNth = 10
                $0.action.stream = .stall
            }
        }
        #expect(world.outcomes == ["accepted": 18, "unknown": 2])
        // Behind the last one the server says nothing more.
        #expect(figures.answered == 18)
        #expect(figures.failures == ["no answer in time": 1, "no sign of life": 1])
        #expect(figures.response.count == 20)
        #expect(figures.response.percentile(91) >= 1000 * Self.millisecond)
    }

    /// Answers 100 requests on each connection, and sends the others back by GOAWAY.
    private static func leaving(_ plan: inout SimulationPlan) {
        plan.rowCount = 300
        plan.batchRows = 100...100
        plan.streams = 50
        plan.inFlight = 20
        plan.provider.latency = .fixed(.milliseconds(40))
        plan.provider.scenario = .rule {
            $0.condition.afterRequests = 100
            var goAway = Scenario.GoAway()
            goAway.errorCode = 0
            goAway.lastStream = .beforeThis
            $0.action.goAway = goAway
        }
    }

    @Test(arguments: [LoadSchedule.Load.closed, .open(from: 400, to: 400)])
    func `a request that a GOAWAY sends back is sent again, and is one request`(
        load: LoadSchedule.Load
    ) throws {
        let (figures, world) = try figures {
            Self.leaving(&$0)
            $0.load = LoadSchedule(load, count: 300)
        }
        #expect(world.outcomes == ["accepted": 300])
        #expect(world.links.count >= 3)
        #expect(figures.started == 300 && figures.statuses == [200: 300])
        #expect(figures.failures.isEmpty && figures.unfinished == 0)
    }

    @Test func `what waits to be sent again when a test is broken off is unfinished`() throws {
        let (figures, world) = try figures {
            Self.leaving(&$0)
            $0.load = LoadSchedule(.closed, count: 300)
            $0.network.outage = 100 * SimulationPlan.millisecond..<Int.max / 2
            $0.drainsAfter = 2 * SimulationPlan.second
        }
        #expect(world.engine.stop?.kind == .interrupted)
        // A hundred, and what came with the request that was one too many.
        #expect((100...120).contains(figures.statuses[200] ?? 0) && figures.statuses.count == 1)
        #expect(figures.identityViolation() == nil)
        #expect((1...20).contains(figures.unfinished))
    }

    @Test func `what is in flight when a test is broken off is unfinished`() throws {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 50
                $0.attemptsMax = 1
                $0.timeout = .seconds(60)
                $0.load = LoadSchedule(.open(from: 10, to: 10), duration: .seconds(10))
                $0.provider.scenario = .rule { $0.action.stream = .stall }
                $0.drainsAfter = 500 * SimulationPlan.millisecond
                $0.abortsAfter = 1
            })
        let meter = world.engine.books.observer.meter
        let figures = try #require(meter).figures
        // Due at 0, 100, …, 400 ms; the one at 500 ms may or may not have gone.
        #expect((5...6).contains(figures.started))
        #expect(figures.unfinished == figures.started)
        #expect(figures.identityViolation() == nil)
        #expect(figures.response.max >= 490 * Self.millisecond)
    }
}
