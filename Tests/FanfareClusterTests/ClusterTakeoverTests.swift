import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

/// The rows that a killed worker was not granted, among workers that have much work of their own.
@Suite struct ClusterTakeoverTests {
    /// Three workers with a hundred rows each at ten rows a second in all: each has work for half a minute.
    private static func plan(seed: UInt64) -> ClusterPlan {
        var plan = ClusterPlan(seed: seed, workers: 3, rows: 900)
        plan.cutRows = 100
        plan.rate = 10 * ShareRule.unitsPerStart
        plan.patience.rangeCuts = 1
        plan.patience.cutAhead = 4
        plan.patience.blockRows = 4...4
        plan.patience.provingRows = 2
        plan.startTimes = [.zero, .milliseconds(200), .milliseconds(400)]
        plan.flaws = [.none, .none, .none]
        plan.faults = []
        plan.calmAfter = .seconds(120)
        plan.latency = 1...20
        (plan.lostRequests, plan.lostAnswers, plan.repeated) = (0, 0, 0)
        (plan.later, plan.doubtful, plan.asksForTime, plan.drift) = (0, 0, 0, 0)
        plan.window = 2...2
        return plan
    }

    @Test(arguments: UInt64(1)...20)
    func `its rows are granted again soon after it is lost`(seed: UInt64) throws {
        var plan = Self.plan(seed: seed)
        let death = Duration.seconds(12)
        plan.faults = [(at: death, .kill(worker: 1, returnsAfter: nil, losesPower: false))]
        let world = ClusterWorld(plan: plan)
        let dead = WorkerID(bits: 2)
        var left: [(key: RangeKey, granted: UInt64)] = []
        var grantedAt: [RangeKey: Instant] = [:]
        world.afterEach = { world in
            guard world.now >= Instant(nanoseconds: 0).advanced(by: death) else { return }
            let ranges = world.model.state.ranges
            if left.isEmpty {
                left = ranges.filter { $0.owner == dead && $0.granted < $0.end }.map {
                    ($0.key, $0.granted)
                }
            }
            for (key, granted) in left where grantedAt[key] == nil {
                if ranges.contains(where: {
                    $0.key == key && $0.owner != dead && $0.granted > granted
                }) {
                    grantedAt[key] = world.now
                }
            }
        }
        world.run()
        #expect(world.ledger.violations.isEmpty, "\(world.ledger.violations)")
        #expect(!left.isEmpty)
        // Its last beat was seen a second late at most, and the others look with each beat: 6 s + 1.1 s + 1.1 s. The next
        // block is asked for when half of the last one is used, which is 4 rows at three a second, and more.
        let latest = Instant(nanoseconds: 0).advanced(by: death + .seconds(11))
        for (key, _) in left {
            let moment = try #require(grantedAt[key])
            #expect(moment <= latest, "seed \(seed): after \(moment.nanoseconds(since: latest)) ns")
        }
    }
}
