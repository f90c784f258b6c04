import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

/// The first second of a worker that was stopped for longer than all time-outs.
@Suite struct ClusterWakeTests {
    private static let rate = 30.0
    private static let workers = 3.0

    /// Three workers at thirty rows a second in all, each with rows in hand that wait for their permits.
    private static func plan(seed: UInt64) -> ClusterPlan {
        var plan = ClusterPlan(quiet: seed, workers: 3, rows: 2_400)
        plan.cutRows = 200
        plan.rate = Int64(rate) * ShareRule.unitsPerStart
        plan.patience.blockRows = 8...8
        plan.window = 8...8
        return plan
    }

    @Test(arguments: UInt64(1)...20)
    func `it starts nothing before it has heard, and then no more than its part`(
        seed: UInt64
    ) throws {
        var plan = Self.plan(seed: seed)
        let (stop, length) = (Duration.seconds(12), Duration.seconds(30))
        plan.faults = [(at: stop, .freeze(worker: 1, length))]
        let world = ClusterWorld(plan: plan)
        world.run()
        #expect(world.ledger.violations.isEmpty, "\(world.ledger.violations)")
        let woken = Instant(nanoseconds: 0).advanced(by: stop + length)
        let second = woken..<woken.advanced(by: .seconds(1))
        let worker = try #require(world.workers.first { $0.disk.number == 1 })
        let all = world.ledger.startTimes.filter { second.contains($0.at) }
        let own = all.filter { $0.process == worker.number }
        #expect(world.ledger.startTimes.contains { $0.process == worker.number && $0.at < woken })
        // It may have been stopped between its look and one write. Its thread asks the engine from here on.
        #expect(own.count { $0.at < worker.threadUntil } <= 1, "seed \(seed)")
        // A bucket has one permit and a fiftieth of a second of its share.
        let share = Self.rate / Self.workers
        #expect(Double(own.count) <= 1 + share + 1 + share / 50, "seed \(seed)")
        #expect(
            Double(all.count) <= 1 + Self.rate + Self.workers + Self.rate / 50, "seed \(seed)")
        // All while the others use its part of the rate, too: more than their own ones in ten seconds, and two buckets.
        let before = woken.advanced(by: .seconds(-10))..<woken
        let others = world.ledger.startTimes.count { before.contains($0.at) }
        #expect(Double(others) > 2 * (10 * share + 1 + share / 50), "seed \(seed): \(others)")
    }
}
