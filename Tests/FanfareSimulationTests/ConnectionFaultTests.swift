import FanfareBase
import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The faults of connections over their life.
@Suite struct ConnectionFaultTests {
    private static let second = SimulationPlan.second
    private static let minute = 60 * SimulationPlan.second

    /// A row every two minutes for three hours, with provider tokens.
    private func longJob(_ change: (inout SimulationPlan) -> Void = { _ in }) -> SimulatedWorld {
        SimulatedWorld.run(
            .quiet {
                $0.rowCount = 90
                $0.batchRows = 1...1
                $0.batchGap = 2 * Self.minute...2 * Self.minute
                $0.usesTokens = true
                $0.firstRequestAlone = true
                change(&$0)
            })
    }

    @Test func `a token grows old - its connection goes before APNs minds`() {
        let world = longJob()
        #expect(world.outcomes == ["accepted": 90])
        // One attempt each: no token was ever called expired. Three hours are four times 45 minutes.
        #expect(world.engine.books.report.tally.attempts == 90)
        #expect((4...5).contains(world.links.count))
    }

    @Test func `a connection without a token grows old - it makes room`() {
        let world = longJob {
            $0.usesTokens = false
            $0.firstRequestAlone = false
        }
        #expect(world.outcomes == ["accepted": 90])
        #expect((3...4).contains(world.links.count))
    }

    @Test func `ExpiredProviderToken - the row goes back, with a new token`() {
        // The provider's clock is 20 minutes ahead, so a token dies at 40.
        let world = longJob { $0.clockSkewSeconds = 20 * 60 }
        #expect(world.outcomes == ["accepted": 90])
        #expect(world.engine.books.report.tally.attempts > 90)
    }

    @Test func `ExpiredProviderToken for a new token - the job stops and asks for the clock`() {
        let world = longJob { $0.clockSkewSeconds = 50 * 60 }
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.engine.stop?.message.contains("clock") == true)
    }

    @Test func `TooManyProviderTokenUpdates - the token stays, and there is a pause`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.usesTokens = true
                $0.firstRequestAlone = true
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.action.stream = .answer(
                        ScenarioAnswer(status: 429, reason: "TooManyProviderTokenUpdates"))
                }
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.links.count == 2)
        #expect(world.elapsed >= 10 * Self.second)
    }

    @Test func `the limit falls to one and comes back - the window follows`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 60
                // swift-format-ignore: NeverUseForceTry
                $0.provider.latency = try! LatencyModel("10ms")
                var down = Scenario.Rule()
                down.condition.afterRequests = 10
                down.condition.everyNth = 20
                down.action.maxConcurrentStreams = 1
                var up = Scenario.Rule()
                up.condition.afterRequests = 25
                up.condition.everyNth = 7
                up.action.maxConcurrentStreams = 100
                $0.provider.scenario = Scenario(rules: [down, up])
            })
        #expect(world.outcomes == ["accepted": 60])
        #expect(world.links.count == 1)
    }

    @Test func `a limit of no streams at all - the job does not hang`() {
        let world = SimulatedWorld.run(.quiet { $0.provider.maxConcurrentStreams = 0 })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.engine.stop?.message.contains("no streams") == true)
        #expect(world.engine.books.rowsLeft + UInt64(world.ledger.lines.count) <= 3)
        #expect(world.elapsed < 20 * Self.minute)
    }

    /// The first connection is given up after 30 s, and the job by the clock: not with the second one, after 60 s.
    @Test func `a limit of no streams at all counts from its beginning`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.patience = .seconds(50)
                $0.provider.maxConcurrentStreams = 0
            })
        #expect(world.engine.stop?.message.contains("no streams") == true)
        #expect((50..<51).contains(world.elapsed / Self.second), "\(world.elapsed)")
    }

    @Test func `a limit of no streams, with nothing to send - the lane does not mind`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 2
                $0.batchRows = 1...1
                $0.batchGap = 10 * Self.minute...10 * Self.minute
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.action.maxConcurrentStreams = 0
                    $0.action.stream = .answer(ScenarioAnswer(status: 200))
                }
            })
        #expect(world.outcomes == ["accepted": 2])
        #expect(world.links.count == 2)
    }

    @Test func `a graceful GOAWAY at every answer - dials keep to their rate`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 200
                $0.streams = 1
                $0.provider.scenario = .rule { $0.action.goAway = Scenario.GoAway() }
            })
        #expect(world.outcomes == ["accepted": 200])
        let free = 5 + world.ledger.requestsReceived / Limits.answersPerDial
        let timed = world.elapsed / Int(Limits.dialInterval.wholeNanoseconds)
        #expect(world.links.count <= free + timed + 1)
    }

    @Test(arguments: 1...20)
    func `requests left unread behind GOAWAY - what was answered counts, the rest goes again`(
        seed: UInt64
    ) {
        let world = SimulatedWorld.run(
            .quiet(seed: seed) {
                $0.rowCount = 300
                $0.streams = 50
                $0.network.upCapacity = 5000
                $0.network.pieces = .any
                $0.provider.scenario = .rule {
                    $0.condition.afterRequests = 19
                    $0.action.stream = .answer(ScenarioAnswer(status: 200))
                    $0.action.goAway = Scenario.GoAway()
                    $0.action.goAway?.errorCode = 0
                    $0.action.goAway?.lastStream = .throughThis
                    $0.action.closesConnection = true
                    $0.action.leavesUnread = true
                }
            })
        #expect(world.outcomes == ["accepted": 300])
        #expect(world.ledger.requestsReceived == 300)
    }

    @Test func `all connections down - rows wait, and none of them fails`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 500
                $0.batchRows = 1...1
                $0.batchGap = 20 * SimulationPlan.millisecond...20 * SimulationPlan.millisecond
                $0.network.outage = Self.second..<20 * Self.second
                $0.patience = .seconds(60)
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.stream = .answer(ScenarioAnswer(status: 200))
                    $0.action.closesConnection = true
                }
            })
        #expect(world.outcomes == ["accepted": 500])
        #expect(world.elapsed > 20 * Self.second)
    }

    @Test func `a provider that never comes back - the job stops, and the rows are left`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.network.outage = 0..<Int.max / 2
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.ledger.lines.isEmpty)
    }

    /// Another lane may have a connection, and then the job ends without this one.
    @Test(arguments: [false, true])
    func `a lane on which nothing can be sent takes no rows`(isUp: Bool) {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 10
                $0.network.outage = isUp ? 0..<0 : 0..<Int.max / 2
                $0.provider.maxConcurrentStreams = 0
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.process.batchesTaken == 0)
    }

    @Test func `a lane in trouble leaves its rows to the others, and takes them again`() {
        let world = SimulatedWorld.run(
            .distant(rows: 3_000) {
                $0.lanes = 2
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.network.outage = Self.second..<20 * Self.second
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.closesConnection = true
                }
            })
        #expect(world.engine.stop == nil)
        #expect(world.process.batchesHandedBack > 0)
        // 1,000/s for 42 ms were on the way.
        #expect(world.outcomes["accepted", default: 0] >= 2_950)
    }
}
