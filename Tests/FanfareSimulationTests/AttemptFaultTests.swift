import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Each way in which an attempt can end, in an otherwise quiet world.
@Suite struct AttemptFaultTests {
    private static let second = SimulationPlan.second

    @Test func `REFUSED_STREAM - the row is sent again, and no attempt counts`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.attemptsMax = 1
                $0.provider.scenario = .rule {
                    $0.condition.attempts = 1...1
                    $0.action.stream = .reset(errorCode: 7)
                }
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.engine.books.report.tally.attempts == 3)
        #expect(world.ledger.requestsReceived == 6)
    }

    @Test(arguments: [0, 1, 2, 8, 11, 13] as [UInt32])
    func `another reset - the row is in doubt`(code: UInt32) {
        let world = SimulatedWorld.run(
            .quiet { $0.provider.scenario = .rule { $0.action.stream = .reset(errorCode: code) } })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.requestsReceived == 3)
    }

    private func goAway(
        _ last: Scenario.GoAway.LastStream, error: UInt32 = 0, reason: String = ""
    ) -> Scenario {
        .rule {
            $0.condition.connections = 1...1
            $0.condition.afterRequests = 2
            $0.action.stream = .stall
            var goAway = Scenario.GoAway()
            goAway.errorCode = error
            goAway.lastStream = last
            goAway.reason = reason
            $0.action.goAway = goAway
        }
    }

    @Test func `GOAWAY above the last id - the rows go elsewhere, and no attempt counts`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.attemptsMax = 1
                $0.provider.scenario = goAway(.beforeThis)
            })
        #expect(world.outcomes == ["accepted": 10])
        #expect(world.engine.books.report.tally.attempts == 10)
        #expect(world.links.count == 2)
    }

    @Test func `GOAWAY not above the last id - rows whose answer does not come are in doubt`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.provider.scenario = goAway(.received)
            })
        // The first two were answered; of the eight that were on their way nothing is known.
        #expect(world.outcomes == ["accepted": 2, "unknown": 8])
    }

    @Test func `GOAWAY graceful - nothing is lost and nothing in doubt`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 100
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = 20
                    $0.action.goAway = Scenario.GoAway()
                }
            })
        #expect(world.outcomes == ["accepted": 100])
        #expect(world.links.count > 2)
    }

    @Test func `GOAWAY that refuses the credentials - the job stops`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.provider.scenario = goAway(.received, error: 0, reason: "BadCertificate")
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.engine.stop?.message.contains("BadCertificate") == true)
    }

    @Test func `connection lost before the request left - it is sent again`() {
        // The first bytes are the preface and SETTINGS, of which 20 get through; no request leaves.
        let world = SimulatedWorld.run(
            .quiet {
                $0.attemptsMax = 1
                $0.network.upCapacity = 20
                $0.network.cuts = 1
                $0.network.cutTime = 0...0
                $0.network.cutBytes = 0...20
            })
        #expect(world.ledger.requestsReceived == 0)
        #expect(world.outcomes["unknown"] == nil)
        #expect(world.engine.stop?.kind == .refused)
    }

    @Test func `connection lost while the request was written - it is sent again`() {
        // A body of 4,000 bytes through a transport that takes 300 at a time is cut on its way.
        let worlds = (1...20 as ClosedRange<UInt64>).map { seed in
            SimulatedWorld.run(
                .quiet(seed: seed) {
                    $0.rowCount = 20
                    $0.streams = 1
                    $0.attemptsMax = 1
                    $0.payloadBytes = 4000...4000
                    $0.network.upCapacity = 300
                    $0.network.cuts = 0.7
                    $0.network.cutTime = 0...3_000_000
                    $0.network.cutBytes = 4000...50_000
                })
        }
        // Rows whose first bytes had left and which were nevertheless accepted at their one attempt.
        let resumed = worlds.map { world in
            world.ledger.attempts.count { keys in
                keys.count > 1
                    && keys.contains {
                        world.ledger.streams[$0]?.wasSent == true
                            && world.ledger.streams[$0]?.wasSentWhole == false
                            && world.ledger.streams[$0]?.isDisowned == false
                    }
            }
        }
        #expect(resumed.reduce(0, +) > 0)
    }

    @Test func `connection lost after the request left - the row is in doubt`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.provider.scenario = .rule {
                    $0.action.stream = .stall
                    $0.action.closesConnection = true
                }
            })
        #expect((world.outcomes["unknown"] ?? 0) > 0)
        #expect(world.ledger.lines.values.allSatisfy { $0.reason == "connection lost" })
    }

    @Test func `connection lost behind the beginning of an answer - the answer counts`() {
        // An answer of 410 is two frames; the wire is cut somewhere in the answers.
        let worlds = (1...40 as ClosedRange<UInt64>).map { seed in
            SimulatedWorld.run(
                .quiet(seed: seed) {
                    $0.rowCount = 10
                    $0.attemptsMax = 1
                    $0.provider.scenario = .rule {
                        $0.action.stream = .answer(
                            ScenarioAnswer(status: 410, reason: "Unregistered"))
                    }
                    $0.network.pieces = .small
                    $0.network.cuts = 1
                    $0.network.cutTime = 0...1_000_000
                    $0.network.cutBytes = 60...1000
                })
        }
        var halves = 0
        for world in worlds {
            for (row, line) in world.ledger.lines {
                guard let last = world.ledger.tries(of: row).last else { continue }
                guard last.answerBegan && !last.answerEnded else { continue }
                halves += 1
                // Half of a 410 is no verdict on a token.
                #expect(line.outcome == "suspect" && line.status == 410)
            }
        }
        #expect(halves > 0)
    }

    @Test func `no answer in time from a peer that lives - only that row is in doubt`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 300
                $0.streams = 10
                $0.batchRows = 1...1
                $0.batchGap = 20 * SimulationPlan.millisecond...20 * SimulationPlan.millisecond
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = 100
                    $0.action.stream = .stall
                }
            })
        #expect(world.outcomes == ["accepted": 297, "unknown": 3])
        #expect(world.links.count == 1)
    }

    @Test func `no sign of life - a PING finds out before the time for an answer is over`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.timeout = .seconds(600)
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.action.stream = .stall
                    $0.action.stallsConnection = true
                }
            })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.reason == "no sign of life" })
        #expect(world.elapsed < 21 * Self.second)
    }

    @Test func `a slow answer - a PING keeps the connection`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.timeout = .seconds(600)
                $0.provider.scenario = .rule {
                    // swift-format-ignore: NeverUseForceTry
                    $0.action.latency = try! LatencyModel("100s")
                    $0.action.stream = .answer(ScenarioAnswer(status: 200))
                }
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.links.count == 1)
    }

    @Test func `at-least-once - a row in doubt is sent again, and that counts`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.resendsInDoubt = true
                $0.provider.scenario = .rule {
                    $0.condition.attempts = 1...1
                    $0.action.stream = .reset(errorCode: 8)
                }
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.attempts == 2 })
    }

    @Test func `at-least-once - a row that was in doubt is never called failed`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.resendsInDoubt = true
                var reset = Scenario.Rule()
                reset.condition.attempts = 1...1
                reset.action.stream = .reset(errorCode: 8)
                var later = Scenario.Rule()
                later.action.stream = .answer(ScenarioAnswer(status: 503))
                $0.provider.scenario = Scenario(rules: [reset, later])
            })
        #expect(world.outcomes == ["unknown": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.status == 503 && $0.attempts == 3 })
    }
}
