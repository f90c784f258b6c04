import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs whose rows share requests, over HTTP/1.1, with faults on the wire and kills at any moment.
@Suite(.serialized)
struct BatchJobTests {
    /// Runs a plan, and records what speaks against it.
    private func run(_ plan: BatchPlan) throws -> BatchWorld {
        let world = try BatchWorld(plan: plan)
        world.run()
        for violation in world.ledger.violations { Issue.record(Comment(rawValue: violation)) }
        return world
    }

    private func outcomes(_ world: BatchWorld) -> [String: Int] {
        Dictionary(world.readReport().values.map { ($0.outcome, 1) }, uniquingKeysWith: +)
    }

    /// The seeds, from the environment; see `dev/README.md`.
    @Test func `each seed keeps the invariants of requests with several rows`() throws {
        let choice = SeedChoice(usual: 150)
        var (seeds, rows, requests, kills, doubts, failures) = (0, 0, 0, 0, 0, 0)
        for seed in choice.seeds {
            if choice.isOver || failures >= 5 { break }
            let plan = BatchPlan(seed: seed)
            let world = try BatchWorld(plan: plan)
            world.run()
            seeds += 1
            rows += plan.rowCount
            requests += world.ledger.requests
            kills += world.kills
            doubts += world.ledger.sharedDoubts
            guard !world.ledger.violations.isEmpty else { continue }
            failures += 1
            let violations = world.ledger.violations.map { "  * " + $0 }.joined(separator: "\n")
            Issue.record(
                """
                seed \(seed) breaks an invariant (dev/fuzz batches --seed \(seed)):
                \(violations)
                \(plan)
                """)
        }
        print(
            "batches: \(seeds) seeds, \(failures) failed; \(rows) rows in \(requests) requests, "
                + "\(kills) killed, \(doubts) requests in doubt as a whole")
        if choice.seeds.count >= 100 { #expect(kills > 0 && doubts > 0 && requests < rows) }
    }

    @Test(arguments: [3, 77, 1234] as [UInt64])
    func `the same seed gives the same run of requests with several rows`(seed: UInt64) throws {
        let runs = try (0..<2).map { _ in
            let world = try BatchWorld(plan: BatchPlan(seed: seed))
            world.run()
            return world.ledger.hash.value
        }
        #expect(runs[0] == runs[1])
    }

    @Test func `a request of a thousand that is cut in its answer leaves a thousand in doubt`()
        throws
    {
        var plan = BatchPlan(quiet: 1, rows: 1000)
        plan.rowsMax = 1000
        plan.batchRows = 1000...1000
        let whole = try run(plan)
        #expect(outcomes(whole) == ["accepted": 1000])
        #expect(whole.ledger.requests == 1)
        plan.cuts = 1
        // Behind the first hundreds of bytes, of some ten thousand.
        let cut = try run(plan)
        #expect(outcomes(cut) == ["unknown": 1000])
        #expect(cut.ledger.requests == 1)
    }

    @Test(arguments: Array(stride(from: 0, through: 1000, by: 25)))
    func `a kill at any moment has no row of a request sent twice, nor forgotten`(
        moment: Int
    ) throws {
        var plan = BatchPlan(quiet: 7, rows: 60, texts: 2)
        plan.rowsMax = 5
        plan.delay = 0...(5 * BatchPlan.millisecond)
        plan.latency = (20 * BatchPlan.millisecond)...(60 * BatchPlan.millisecond)
        plan.kills = [Kill(.time(moment * BatchPlan.millisecond))]
        plan.resumptionsMax = 2
        let world = try run(plan)
        let found = outcomes(world)
        // In doubt are rows on their way, and answered ones whose lines were not written yet.
        #expect(found["accepted", default: 0] + found["unknown", default: 0] == 60)
    }
}
