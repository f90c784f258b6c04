import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The list that people have, at a provider that lowers its stream limit to one with each rejection and
/// raises it with the next success: against the same list where the limit stays.
@Suite struct OrdinaryListTests {
    /// A list of rows.
    struct List: CustomStringConvertible {
        var badShare: Double
        /// Bad tokens that follow one another.
        var run = 1
        var deadShare = 0.0
        var connections = 1
        var isPaced = true

        var description: String {
            "\(badShare) bad in runs of \(run), \(deadShare) dead, \(connections) connections, "
                + (isPaced ? "paced" : "unpaced")
        }

        func plan(fixedLimit: Bool) -> SimulationPlan {
            .quiet {
                $0.rowCount = isPaced ? 4000 : 5000
                $0.batchRows = 500...500
                $0.shortTokenShare = badShare
                $0.shortTokenRun = run
                $0.connections = connections
                $0.streams = isPaced ? 1000 : 200
                $0.isAdaptive = true
                $0.timeout = .seconds(30)
                $0.pace = isPaced ? PaceSettings(count: 5000, period: 1_000_000_000) : nil
                // Answers that all take as long would come in one flight after the other.
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("30ms..50ms")
                $0.provider.maxConcurrentStreams = UInt32($0.streams)
                $0.provider.fixedStreamLimit = fixedLimit
                $0.provider.scenario = .rule {
                    $0.condition.fraction = 0..<deadShare
                    $0.action.stream = .answer(
                        ScenarioAnswer(status: 410, reason: "Unregistered"))
                }
                $0.network.upCapacity = 10_000_000
                $0.network.downCapacity = 10_000_000
            }
        }
    }

    /// Some of each kind; `Benchmarks/ordinary` has all.
    private static let lists: [List] =
        [0.01, 0.1].map { List(badShare: $0) } + [
            List(badShare: 0.05, deadShare: 0.05),
            List(badShare: 0.1, run: 50),
            List(badShare: 0.1, run: 50, connections: 8),
            List(badShare: 0.01, connections: 8),
            List(badShare: 0.1, connections: 8, isPaced: false),
            List(badShare: 0.1, isPaced: false),
            List(badShare: 0.05, deadShare: 0.05, isPaced: false),
            List(badShare: 0.1, run: 50, isPaced: false),
        ]

    @Test(arguments: lists)
    func `bad tokens cost less than a twentieth of the pace`(list: List) {
        let moving = SimulatedWorld.run(list.plan(fixedLimit: false))
        let fixed = SimulatedWorld.run(list.plan(fixedLimit: true))
        #expect(moving.outcomes == fixed.outcomes)
        #expect(
            fixed.elapsed * 100 >= moving.elapsed * 95, "\(moving.elapsed) and \(fixed.elapsed)")
    }

    /// Ten batches, as an export sorted by age has them in front or at the end: at a row for each round trip
    /// they would take 20 s on one connection.
    @Test(arguments: [(0, 1), (2000, 1), (4500, 1), (0, 8)])
    func `five hundred bad tokens in a row cost ten round trips at most`(
        from first: Int, connections: Int
    ) {
        let list = List(badShare: 0, connections: connections, isPaced: false)
        func run(fixedLimit: Bool) -> SimulatedWorld {
            var plan = list.plan(fixedLimit: fixedLimit)
            plan.batchRows = 50...50
            plan.shortTokenRows = first..<first + 500
            return SimulatedWorld.run(plan)
        }
        let (moving, fixed) = (run(fixedLimit: false), run(fixedLimit: true))
        #expect(moving.outcomes == fixed.outcomes)
        #expect(
            moving.elapsed <= fixed.elapsed + 10 * 50 * SimulationPlan.millisecond,
            "\(moving.elapsed) and \(fixed.elapsed)")
    }
}
