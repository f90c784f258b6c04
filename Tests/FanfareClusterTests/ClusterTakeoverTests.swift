import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

/// The rows that a killed worker was not granted, among workers that have much work of their own.
@Suite struct ClusterTakeoverTests {
    /// Three workers with a hundred rows each at ten rows a second in all: each has work for half a minute.
    private static func plan(seed: UInt64) -> ClusterPlan {
        var plan = ClusterPlan(quiet: seed, workers: 3, rows: 900)
        plan.cutRows = 100
        plan.rate = 10 * ShareRule.unitsPerStart
        plan.patience.blockRows = 4...4
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

    /// Eight workers with two hundred rows each at 24 rows a second in all, of which a half die at once.
    @Test(arguments: UInt64(1)...20)
    func `the rows of several lost workers are shared by those that are left`(
        seed: UInt64
    ) throws {
        var plan = ClusterPlan(quiet: seed, workers: 8, rows: 1_600)
        plan.cutRows = 200
        plan.rate = 24 * ShareRule.unitsPerStart
        plan.patience.blockRows = 4...4
        plan.window = 2...2
        let death = Duration.seconds(12)
        let dead = 4..<8
        plan.faults = dead.map {
            (at: death, .kill(worker: $0, returnsAfter: nil, losesPower: false))
        }
        let world = ClusterWorld(plan: plan)
        let lost = dead.map { WorkerID(bits: UInt128($0 + 1)) }
        var left: [RangeKey: UInt64] = [:]
        var takers: [RangeKey: WorkerID] = [:]
        var grantedAt: [RangeKey: Instant] = [:]
        world.afterEach = { world in
            guard world.now >= Instant(nanoseconds: 0).advanced(by: death) else { return }
            for range in world.model.state.ranges where grantedAt[range.key] == nil {
                let isLost = range.owner.map { lost.contains($0) } ?? false
                if isLost && range.granted < range.end {
                    left[range.key] = range.granted
                } else if let granted = left[range.key], let owner = range.owner, !isLost {
                    takers[range.key] = takers[range.key] ?? owner
                    if range.granted > granted { grantedAt[range.key] = world.now }
                }
            }
        }
        world.run()
        #expect(world.ledger.violations.isEmpty, "\(world.ledger.violations)")
        #expect(left.count == 4 && takers.count == 4)
        // The first of those that are left sees a beat for the last time 1.1 s before the last one does, at most, and
        // looks 1.1 s before that one, at most. So within 2.2 s each has looked once, and none takes a third range within
        // two times 1.8 s.
        let counts = takers.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(counts.values.allSatisfy { $0 <= 2 }, "seed \(seed): \(counts)")
        // 6 s until the beat counts as missed, these 2.2 s, 2.2 s until a second take, and then a block of four rows,
        // of which it asks for the next one when two are left: at 3 rows a second after less than 2 s.
        let latest = Instant(nanoseconds: 0).advanced(by: death + .seconds(13))
        for key in left.keys {
            let moment = try #require(grantedAt[key], "seed \(seed)")
            #expect(moment <= latest, "seed \(seed): after \(moment.nanoseconds(since: latest)) ns")
        }
    }
}
