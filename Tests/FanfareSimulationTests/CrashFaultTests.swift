import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The states that a kill, a loss of power or a full disk may leave behind, each by itself.
@Suite struct CrashFaultTests {
    private static let millisecond = SimulationPlan.millisecond

    /// Three rows that the provider has, and a kill before its answers come.
    private func stalled(
        seed: UInt64 = 1, _ change: (inout SimulationPlan) -> Void = { _ in }
    ) -> SimulationPlan {
        .quiet(seed: seed) {
            $0.kills = [Kill(.time(100 * Self.millisecond))]
            // Answered in the second run.
            $0.provider.scenario = Scenario.rule {
                $0.condition.connections = 1...1
                $0.action.stream = .stall
            }
            change(&$0)
        }
    }

    @Test func `what was on the wire at a kill is unknown and not sent again`() {
        // Without the marks the second run would send it.
        let world = SimulatedWorld.run(stalled())
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.reason == "interrupted" })
        #expect(world.ledger.requestsReceived == 3)
    }

    @Test func `what was on the wire at a kill is sent again if it may be`() {
        let world = SimulatedWorld.run(stalled { $0.resendsInDoubt = true })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.attempts == 2 })
    }

    @Test func `what the provider will not have at the time of a kill is sent by the next run`() {
        // Without taking the marks back it would be unknown.
        let world = SimulatedWorld.run(
            .quiet {
                $0.kills = [Kill(.time(100 * Self.millisecond))]
                $0.firstDelay = .seconds(10)
                $0.delayMax = .seconds(10)
                $0.provider.scenario = .answer(
                    ScenarioAnswer(status: 503, reason: "ServiceUnavailable"), toFirst: 1)
            })
        #expect(world.kills == 1)
        #expect(world.outcomes == ["accepted": 3])
    }

    @Test func `an answer whose line is lost leaves its row unknown`() {
        // Two are accepted, and the block with their lines waits for more when the kill comes.
        let world = SimulatedWorld.run(
            .quiet {
                $0.kills = [Kill(.time(50 * Self.millisecond))]
                $0.provider.scenario = Scenario.rule {
                    $0.condition.everyNth = 3
                    $0.action.stream = .stall
                }
            })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.requestsReceived == 3)
    }

    @Test func `a report torn anywhere keeps its whole lines and is gone on with`() {
        for side in [false, true] {
            var found: Set<Int> = []
            for units in stride(from: 0, through: 900, by: 5) {
                let world = SimulatedWorld.run(
                    .quiet {
                        $0.hasSideFiles = side
                        $0.kills = [Kill(.writes(units))]
                    })
                #expect(world.kills == 1 || units > 300)
                #expect(world.ledger.requestsReceived == 3)
                found.insert(world.outcomes["accepted"] ?? 0)
            }
            // With files beside the report the lines of a torn write cannot be told apart; and a
            // write that was whole counts, although no record calls it certain.
            #expect(found == (side ? [0, 3] : [0, 1, 2, 3]))
        }
    }

    @Test func `a row in doubt from before a kill is never called failed or throttled`() {
        let world = SimulatedWorld.run(
            stalled {
                $0.resendsInDoubt = true
                $0.provider.scenario.rules.append(
                    Scenario.answer(ScenarioAnswer(status: 429, reason: "TooManyRequests")).rules[0]
                )
            })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.status == 429 })
    }

    @Test func `a row in doubt from before a kill is not sent again after its expiration`() {
        let world = SimulatedWorld.run(
            stalled {
                $0.resendsInDoubt = true
                $0.expiration = 1000 * Self.millisecond
                $0.downTime = 5000 * Self.millisecond...5000 * Self.millisecond
            })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.requestsReceived == 3)
    }

    @Test(arguments: [false, true])
    func `the report's head outlives a loss of power`(isDurable: Bool) {
        // At any time: a job that has hardly begun has nothing on the disk but its head.
        for time in [0, 1, 50] {
            for seed in 1...5 as ClosedRange<UInt64> {
                let world = SimulatedWorld.run(
                    SimulationPlan.quiet(seed: seed) {
                        $0.isDurable = isDurable
                        $0.resendsInDoubt = true
                        $0.kills = [Kill(.time(time * Self.millisecond), losesPower: true)]
                    })
                #expect(world.ledger.lines.count == 3)
            }
        }
    }

    @Test func `lines found after a kill are on the disk before they are called certain`() {
        for units in stride(from: 1, to: 750, by: 10) {
            let world = SimulatedWorld.run(
                SimulationPlan.quiet(seed: UInt64(units)) {
                    $0.isDurable = true
                    $0.kills = [
                        Kill(.writes(units)),
                        // Behind its first record, which takes 107 units with what comes before it.
                        Kill(.writes(110), losesPower: true),
                    ]
                })
            #expect(world.ledger.lines.count == 3)
        }
    }

    @Test func `a job at rest that was carried on is not at rest for a loss of power`() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let world = SimulatedWorld.run(
                stalled(seed: seed) {
                    // The first process stops before it has sent anything.
                    $0.drainsAfter = 0
                    $0.batchGap = Self.millisecond...Self.millisecond
                    $0.resumptionsMax = 1
                    // The second has sent everything, and reported nothing.
                    $0.kills = [
                        Kill(.time(SimulationPlan.second)),
                        Kill(.time(50 * Self.millisecond), losesPower: true),
                    ]
                })
            #expect(world.refused)
            #expect(world.ledger.requestsReceived == 3)
        }
    }

    @Test func `rows below the reservation are in doubt after a loss of power`() {
        let world = SimulatedWorld.run(
            stalled {
                $0.isDurable = true
                $0.kills = [Kill(.time(100 * Self.millisecond), losesPower: true)]
            })
        #expect(world.outcomes == ["unknown": 3])
    }

    @Test func `without a reservation a loss of power leaves doubt, and nothing is sent`() {
        let world = SimulatedWorld.run(
            stalled { $0.kills = [Kill(.time(100 * Self.millisecond), losesPower: true)] })
        #expect(world.refused)
        #expect(world.ledger.requestsReceived == 3)
    }

    @Test(arguments: [false, true])
    func `a full disk stops the job with whole rows and it goes on when there is room`(
        hasSideFiles: Bool
    ) {
        for room in stride(from: 0, to: 1000, by: 41) {
            let world = SimulatedWorld.run(
                .quiet {
                    $0.rowCount = 6
                    $0.hasSideFiles = hasSideFiles
                    $0.room = room
                    $0.resumptionsMax = 1
                    $0.provider.scenario = Scenario.rule {
                        $0.condition.everyNth = 2
                        $0.action.stream = .answer(
                            ScenarioAnswer(
                                status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
                    }
                })
            #expect(world.ledger.lines.count == 6)
            #expect(world.ledger.requestsReceived == 6)
        }
    }

    @Test func `a kill while a full disk is tidied up leaves files that belong together`() {
        for room in [0, 100] {
            for units in stride(from: 400, to: 1000, by: 7) {
                let world = SimulatedWorld.run(
                    .quiet {
                        $0.hasSideFiles = true
                        // On a disk of their own.
                        $0.room = room
                        $0.hasOwnDisk = true
                        $0.kills = [Kill(.writes(units))]
                        $0.resumptionsMax = 2
                        $0.provider.scenario = .answer(
                            ScenarioAnswer(
                                status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
                    })
                #expect(world.ledger.lines.count == 3)
            }
        }
    }
}
