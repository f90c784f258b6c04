import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

/// A worker that was dead while the engine lost its last grants, and others were granted the same rows.
@Suite struct ClusterGrantedTwiceTests {
    private static func run(_ seed: UInt64) -> ClusterWorld {
        var plan = ClusterPlan(quiet: seed, workers: 3, rows: 240)
        plan.cutRows = 20
        plan.rate = 12 * ShareRule.unitsPerStart
        plan.patience.blockRows = 4...8
        plan.window = 2...2
        plan.faults = [
            (
                at: .milliseconds(5000),
                .kill(worker: 1, returnsAfter: .seconds(14), losesPower: false)
            ),
            (
                at: .milliseconds(5100),
                .goBack(writes: Int(6 + seed % 12), tells: true, .milliseconds(50))
            ),
        ]
        let world = ClusterWorld(plan: plan)
        world.run()
        return world
    }

    /// The advice of `docs/several-machines.md`: let the job go on, and start all workers again.
    @Test func `after rows were granted twice the job goes on, and none of them is sent again`() {
        var resumed = 0
        for seed in UInt64(1)...60 {
            let world = Self.run(seed)
            #expect(world.ledger.violations.isEmpty, "seed \(seed): \(world.ledger.violations)")
            guard world.ledger.hasGoneOn else { continue }
            resumed += 1
            #expect(world.model.state.job?.state == .finished, "seed \(seed)")
        }
        #expect(resumed >= 10, "\(resumed) jobs")
    }
}
