import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs to two providers of which one has faults: the other one's rows know nothing of them.
@Suite(.serialized)
struct TwoRoutesTests {
    private static let second = SimulationPlan.second
    private static let millisecond = SimulationPlan.millisecond

    /// Runs a plan, and records what speaks against it.
    private func run(_ plan: TwoRoutePlan) throws -> TwoRouteWorld {
        let world = try TwoRouteWorld(plan: plan)
        world.run()
        for violation in world.violations { Issue.record(Comment(rawValue: violation)) }
        return world
    }

    /// A plan with half of the rows for each, and a first lane without faults but those that are said.
    private static func plan(
        rows: Int, _ change: (inout SimulationPlan) -> Void
    ) -> TwoRoutePlan {
        TwoRoutePlan(
            seed: 1,
            troubled: .quiet {
                $0.patience = .seconds(60)
                change(&$0)
            }, rowCount: rows, calmShare: 0.5)
    }

    private func goodRows(_ world: TwoRouteWorld, of lane: Int) -> Int {
        world.lanes[lane].ledger.rows.count { $0.kind == .good }
    }

    // MARK: Seeds

    /// The seeds, from the environment; see `dev/README.md`.
    ///
    /// By default there are fewer than for one route: each costs three times as much, and
    /// `dev/fuzz routes` runs thousands.
    @Test func `each seed keeps the invariants of both routes`() throws {
        let choice = SeedChoice(usual: 500)
        var (seeds, rows, processes, kills, waited, unfinished) = (0, 0, 0, 0, 0, 0)
        var failures = 0
        for seed in choice.seeds {
            if choice.isOver || failures >= 5 { break }
            let world = try TwoRouteWorld(plan: TwoRoutePlan(seed: seed))
            world.run()
            seeds += 1
            rows += world.plan.rows.count
            processes += world.process.number + 1
            kills += world.kills
            if world.hadWaiting { waited += 1 }
            if world.lanes[0].ledger.lines.count < world.plan.rows.count { unfinished += 1 }
            guard !world.violations.isEmpty else { continue }
            failures += 1
            let violations = world.violations.map { "  * " + $0 }.joined(separator: "\n")
            Issue.record(
                """
                seed \(seed) breaks an invariant (dev/fuzz routes --seed \(seed)):
                \(violations)
                \(world.plan.lanes[0])
                """)
        }
        print(
            "two routes: \(seeds) seeds, \(failures) failed; \(rows) rows, \(processes) processes, "
                + "\(kills) killed, in \(waited) jobs rows waited in a file, \(unfinished) unfinished"
        )
        if choice.seeds.count >= 100 { #expect(waited > 0 && kills > 0) }
    }

    @Test(arguments: [3, 77, 1234] as [UInt64])
    func `the same seed gives the same run of both routes`(seed: UInt64) throws {
        let runs = try (0..<2).map { _ in
            let world = try TwoRouteWorld(plan: TwoRoutePlan(seed: seed))
            world.run()
            return world.lanes.map(\.ledger.hash.value)
        }
        #expect(runs[0] == runs[1])
    }

    // MARK: One fault each

    @Test func `a provider that answers nothing keeps no row of the other one`() throws {
        let world = try run(
            Self.plan(rows: 200) {
                $0.timeout = .seconds(30)
                $0.provider.scenario = .rule { $0.action.stream = .stall }
            })
        #expect(world.isCalmDone && world.hadWaiting)
        #expect(world.outcomes(of: 1)["accepted"] == goodRows(world, of: 1))
        #expect(world.outcomes(of: 0)["accepted"] == nil)
        // It is put up with for a minute from its first request on, or from the last answer of the other one.
        #expect(world.process.stop?.kind == .refused)
        #expect(world.elapsed >= 60 * Self.second && world.elapsed < 95 * Self.second)
    }

    @Test func `rows that wait for a slow provider are all sent in the end`() throws {
        let world = try run(
            Self.plan(rows: 200) {
                $0.pace = PaceSettings(count: 20, period: Int64(Self.second))
            })
        #expect(world.isCalmDone && world.hadWaiting && world.process.stop == nil)
        for lane in 0...1 {
            #expect(world.outcomes(of: lane)["accepted"] == goodRows(world, of: lane))
        }
        // The first two at once, the others every 50 ms.
        let slow = goodRows(world, of: 0) - 2
        #expect(world.elapsed >= slow * 50 * Self.millisecond)
        #expect(world.elapsed < (slow + 4) * 50 * Self.millisecond + Self.second)
    }

    @Test(arguments: Array(stride(from: 0, through: 2000, by: 50)))
    func `a kill at any moment has nothing sent twice, nor forgotten`(moment: Int) throws {
        var plan = Self.plan(rows: 80) {
            $0.pace = PaceSettings(count: 20, period: Int64(Self.second))
        }
        plan.kills = [Kill(.time(moment * Self.millisecond))]
        plan.resumptionsMax = 2
        let world = try run(plan)
        #expect(world.process.stop == nil)
        for lane in 0...1 {
            // A request on its way is in doubt, and has been received once.
            let outcomes = world.outcomes(of: lane)
            let known = outcomes["accepted", default: 0] + outcomes["unknown", default: 0]
            #expect(known == goodRows(world, of: lane))
            #expect(world.lanes[lane].ledger.requestsReceived <= known)
        }
    }
}
