import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Faults that seeds have found, each with the plainest plan that shows it.
@Suite struct MendedFaultTests {
    @Test func `a quiet world accepts every row at the first attempt`() {
        let world = SimulatedWorld.run(SimulationPlan.quiet())
        #expect(world.engine.books.report.tally.count(.accepted) == 3)
        #expect(world.engine.books.report.tally.attempts == 3)
        #expect(world.links.count == 1)
    }

    @Test func `a connection in the clear is counted`() {
        #expect(
            SimulatedWorld.run(SimulationPlan.quiet()).engine.books.report.tally.connectionsOpened
                == 1)
    }

    @Test func `a request whose time is over on a blocked transport does not hang the lane`() {
        // The first answer never comes, and the transport is full by then.
        let world = SimulatedWorld.run(
            .quiet {
                $0.network.upCapacity = 150
                $0.provider.scenario = Scenario.rule { $0.action.stallsConnection = true }
            })
        #expect(world.engine.books.report.tally.count(.unknown) > 0)
    }

    @Test func `a provider that reads nothing is left, though nothing is in flight`() {
        // Not even the first SETTINGS fit, so the rows that come later cannot start, nor be late.
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 30
                $0.batchGap = 2 * SimulationPlan.second...2 * SimulationPlan.second
                $0.network.upCapacity = 20
                $0.network.silences = 1
                $0.network.cutTime = 0...0
            })
        #expect(world.engine.stop?.kind == .refused)
    }

    @Test func `a job that ends while it dials takes its dial back`() {
        let world = SimulatedWorld.run(
            .quiet {
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
        _ = SimulatedWorld.run(
            SimulationPlan.quiet(seed: seed) {
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
            let world = SimulatedWorld.run(
                .quiet {
                    $0.rowCount = 1
                    $0.attemptsMax = 1
                    $0.timeout = .milliseconds(timeout)
                    $0.network.downCapacity = 1
                    $0.network.delay = 10_000_000...10_000_000
                    $0.provider.scenario = Scenario.rule {
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
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 30
                $0.streams = 1
                $0.provider.scenario = Scenario.rule {
                    $0.action.stream = .stall
                    var goAway = Scenario.GoAway()
                    goAway.errorCode = 0
                    $0.action.goAway = goAway
                }
            })
        #expect(world.engine.stop?.kind == .refused)
        // With the back-off they come more and more slowly; each failure may bring a second dial that
        // was under way, and counts as one.
        #expect(world.links.count <= 2 * 30)
        #expect(world.elapsed < 90 * SimulationPlan.second)
    }
}
