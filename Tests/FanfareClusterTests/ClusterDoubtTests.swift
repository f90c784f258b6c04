import FanfareBase
import Testing

@testable import FanfareCore

/// The rows that are in doubt when a worker's machine dies, and what keeps them few.
@Suite struct ClusterDoubtTests {
    private static func near(_ count: Int) -> [Duration] {
        Array(repeating: .milliseconds(5), count: count)
    }

    /// A block is 0.3 s, and is asked for when 0.1 s is left.
    ///
    /// Lanes have 0.4 s; an answer and its line take 0.15 s; and lines are told with each block, so 0.3 s later at most. Looks
    /// and steps add a hundredth here and there.
    @Test(arguments: [(3, 900), (5, 10_000), (4, 200)] as [(Int, Int64)])
    func `a worker has a second and a third of its share in doubt, and keeps it`(
        count: Int, rate: Int64
    ) {
        var world = SteadyWorkers(steps: Self.near(count), rate: rate)
        // The first 1,000 rows prove the job, and shares change hands with beats.
        world.run(.seconds(16))
        let share = UInt64(rate) / UInt64(count)
        for worker in world.workers { (worker.doubtMax, worker.taken) = (0, 0) }
        world.run(.seconds(8))
        // At a slow pace single rows count.
        let (most, least) = (share * 4 / 3 + 12, share * 8 * 97 / 100)
        for worker in world.workers {
            #expect(worker.doubtMax <= most)
            #expect(worker.taken >= least)
        }
    }

    /// A worker that proves a job alone has all of the rate, and soon a part of it.
    @Test func `the prover has no more in its hands than its part will be`() {
        var world = SteadyWorkers(steps: Self.near(8), rate: 800)
        world.run(.seconds(1), workers: 1)
        world.run(.milliseconds(1_500))
        #expect(world.model.state.job?.state == .running)
        world.run(.seconds(8))
        let doubt = world.doubt(of: world.workers[0])
        #expect(doubt <= 100 * 4 / 3 + 12)
    }

    @Test func `what a worker has in hand falls with its share at once`() {
        var world = SteadyWorkers(steps: Self.near(8), rate: 800)
        world.run(.seconds(5), workers: 1)
        #expect(world.workers[0].member.pace == 800 * ShareRule.unitsPerStart)
        #expect(world.workers[0].doubtMax <= 800 * 4 / 3)
        world.run(.seconds(4))
        #expect(world.workers[0].member.pace == 100 * ShareRule.unitsPerStart)
        let before = world.model.state.ranges.map(\.granted)
        // It has had more than its share for a moment, and asks for nothing before that has gone.
        world.run(.seconds(8))
        #expect(world.doubt(of: world.workers[0]) <= 100 * 4 / 3 + 12)
        #expect(before != world.model.state.ranges.map(\.granted))
    }

    @Test func `far workers keep their shares: a block grows with the time of a step`() {
        // A step is two round trips, of 200 ms here, and of 600 ms for one worker of three.
        for steps in [
            Array(repeating: Duration.milliseconds(400), count: 10),
            [.milliseconds(5), .milliseconds(5), .milliseconds(1_200)],
        ] {
            var world = SteadyWorkers(steps: steps, rate: 900)
            // It is proved by one of them, and shares change hands with beats.
            world.run(.seconds(20))
            for worker in world.workers { worker.taken = 0 }
            world.run(.seconds(20))
            let taken = world.workers.map(\.taken)
            let least = 18_000 / UInt64(steps.count) * 80 / 100
            let all: UInt64 = taken.reduce(0, +)
            #expect(all >= 900 * 20 * 95 / 100)
            for count in taken { #expect(count >= least) }
        }
    }

    @Test func `one slow answer makes no worker a far one`() {
        var steps = StepTime()
        for milliseconds in [5, 4_000, 6, 4_000, 7] as [Int64] {
            steps.note(nanoseconds: milliseconds * 1_000_000)
        }
        #expect(steps.value == .milliseconds(7))
        for _ in 0..<3 { steps.note(nanoseconds: 900_000_000) }
        #expect(steps.value == .milliseconds(900))
    }
}
