import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Faults that seeds have found, each with the plainest plan that shows it.
@Suite struct MendedFaultTests {
    /// A quiet world: nothing goes wrong unless the test says so.
    private func quiet(
        seed: UInt64 = 1, _ change: (inout SimulationPlan) -> Void = { _ in }
    ) -> SimulationPlan {
        var plan = SimulationPlan(seed: seed)
        plan.rowCount = 3
        plan.badRowShare = 0
        plan.shortTokenShare = 0
        plan.payloadBytes = 100...100
        plan.batchRows = 10...10
        plan.batchGap = 0...0
        plan.connections = 1
        plan.streams = 10
        plan.firstRequestAlone = false
        plan.attemptsMax = 3
        plan.timeout = .seconds(1)
        plan.connectTimeout = .seconds(1)
        plan.firstDelay = .milliseconds(10)
        plan.delayMax = .seconds(1)
        plan.provider = SimulatorConfiguration()
        plan.provider.logsRequests = true
        plan.provider.fixedStreamLimit = true
        plan.network.grain = 1
        plan.network.delay = 1000...1000
        plan.network.pieces = .whole
        plan.network.upCapacity = 100_000
        plan.network.downCapacity = 100_000
        plan.network.partialWrites = 0
        plan.network.refusedDials = 0
        plan.network.hangingDials = 0
        plan.network.cuts = 0
        plan.network.silences = 0
        plan.network.noticesSilence = false
        plan.reportBlocksMax = 8
        plan.writeTime = 0...0
        plan.drainsAfter = nil
        plan.abortsAfter = nil
        change(&plan)
        return plan
    }

    private func run(_ plan: SimulationPlan) -> SimulatedWorld {
        let world = SimulatedWorld(plan: plan)
        world.run()
        for violation in world.ledger.violations { Issue.record(Comment(rawValue: violation)) }
        return world
    }

    private func rule(_ change: (inout Scenario.Rule) -> Void) -> Scenario {
        var rule = Scenario.Rule()
        change(&rule)
        return Scenario(rules: [rule])
    }

    @Test func `a quiet world accepts every row at the first attempt`() {
        let world = run(quiet())
        #expect(world.engine.tally.count(.accepted) == 3)
        #expect(world.engine.tally.attempts == 3)
        #expect(world.links.count == 1)
    }

    @Test func `a connection in the clear is counted`() {
        #expect(run(quiet()).engine.tally.connectionsOpened == 1)
    }

    @Test func `a request whose time is over on a blocked transport does not hang the lane`() {
        // The first answer never comes, and the transport is full by then.
        let world = run(
            quiet {
                $0.network.upCapacity = 150
                $0.provider.scenario = rule { $0.action.stallsConnection = true }
            })
        #expect(world.engine.tally.count(.unknown) > 0)
    }

    @Test func `a provider that reads nothing is left, though nothing is in flight`() {
        // Not even the first SETTINGS fit, so the rows that come later cannot start, nor be late.
        let world = run(
            quiet {
                $0.rowCount = 30
                $0.batchGap = 2 * SimulationPlan.second...2 * SimulationPlan.second
                $0.network.upCapacity = 20
                $0.network.silences = 1
                $0.network.cutTime = 0...0
            })
        #expect(world.engine.stop?.kind == .refused)
    }

    @Test func `a job that ends while it dials takes its dial back`() {
        let world = run(
            quiet {
                $0.network.hangingDials = 1
                $0.drainsAfter = 1000
            })
        #expect(world.current.isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `an answer that is there when the job is aborted counts`(seed: UInt64) {
        // Moments are so coarse that answer and abort often come to the engine before one turn; the
        // ledger knows whether the answer had come.
        let millisecond = SimulationPlan.millisecond
        _ = run(
            quiet(seed: seed) {
                $0.rowCount = 30
                $0.network.grain = 10 * millisecond
                $0.network.delay = 0...10 * millisecond
                $0.drainsAfter = 60 * millisecond
                $0.abortsAfter = 0
            })
    }

    @Test func `half an answer is no verdict on the credential`() {
        // Frames come one by one. With some of these timeouts the head that says 403 is in time, and
        // the body that would say why is not.
        let halves = (20...80).count { timeout in
            let world = run(
                quiet {
                    $0.rowCount = 1
                    $0.attemptsMax = 1
                    $0.timeout = .milliseconds(timeout)
                    $0.network.downCapacity = 1
                    $0.network.delay = 10_000_000...10_000_000
                    $0.provider.scenario = rule {
                        $0.action.stream = .answer(
                            ScenarioAnswer(status: 403, reason: "InvalidProviderToken"))
                    }
                })
            guard let line = world.ledger.lines[1], line.status == 403 else { return false }
            return line.outcome == "failed" && world.engine.stop == nil
        }
        #expect(halves > 0)
    }

    @Test func `a draining connection that is lost before any answer is a failed one`() {
        // Each connection takes one request, says GOAWAY, and closes without an answer.
        let world = run(
            quiet {
                $0.rowCount = 30
                $0.streams = 1
                $0.provider.scenario = rule {
                    $0.action.stream = .stall
                    var goAway = Scenario.GoAway()
                    goAway.errorCode = 0
                    $0.action.goAway = goAway
                }
            })
        #expect(world.engine.stop?.kind == .refused)
        // Each failure may bring a second dial that was under way: they count as one.
        #expect(world.links.count <= 2 * DialPolicy().failuresMaxLater)
    }
}
