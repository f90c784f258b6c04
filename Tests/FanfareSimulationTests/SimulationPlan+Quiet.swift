import FanfareSimulator
import Testing

@testable import Fanfare

extension SimulationPlan {
    /// A quiet world: nothing goes wrong unless the test says so.
    static func quiet(
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
        plan.connectionsMax = 1
        plan.streams = 10
        plan.firstRequestAlone = false
        plan.resendsInDoubt = false
        plan.until = nil
        plan.expiration = nil
        plan.usesTokens = false
        plan.clockSkewSeconds = 0
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
        plan.network.refusedWrites = 0
        plan.network.failedWrites = 0
        plan.network.refusedDials = 0
        plan.network.hangingDials = 0
        plan.network.cuts = 0
        plan.network.silences = 0
        plan.network.noticesSilence = false
        plan.network.outage = 0..<0
        plan.reportBlocksMax = 8
        plan.writeTime = 0...0
        plan.isDurable = false
        plan.hasSideFiles = false
        plan.reportEnding = ""
        plan.sideEnding = ""
        plan.partBytesMax = nil
        plan.room = nil
        plan.hasOwnDisk = false
        plan.kills = []
        plan.resumptionsMax = 0
        plan.downTime = 1000...1000
        plan.drainsAfter = nil
        plan.abortsAfter = nil
        plan.pace = nil
        plan.provesRoute = false
        plan.isAdaptive = false
        change(&plan)
        plan.connectionsMax = max(plan.connectionsMax, plan.connections)
        return plan
    }

    /// The defaults of a job, 40 ms away from a provider that says no to nothing.
    static func distant(
        rows: Int, _ change: (inout SimulationPlan) -> Void
    ) -> SimulationPlan {
        quiet {
            $0.rowCount = rows
            $0.batchRows = 500...500
            $0.streams = 1000
            $0.timeout = .seconds(30)
            $0.connectTimeout = .seconds(10)
            $0.firstDelay = .milliseconds(500)
            $0.delayMax = .seconds(60)
            $0.patience = .seconds(15 * 60)
            $0.isAdaptive = true
            $0.provesRoute = true
            $0.network.delay = millisecond...millisecond
            $0.network.upCapacity = 1 << 20
            $0.network.downCapacity = 1 << 20
            $0.provider.maxConcurrentStreams = 1000
            $0.provider.latency = .fixed(.milliseconds(40))
            change(&$0)
        }
    }
}

extension SimulatedWorld {
    /// Runs a plan, and records what the ledger has against it.
    static func run(_ plan: SimulationPlan) -> SimulatedWorld {
        let world = SimulatedWorld(plan: plan)
        world.run()
        for violation in world.ledger.violations { Issue.record(Comment(rawValue: violation)) }
        return world
    }

    /// The outcomes of a run, by name.
    var outcomes: [String: Int] {
        Dictionary(ledger.lines.values.map { ($0.outcome, 1) }, uniquingKeysWith: +)
    }
}

extension Scenario {
    /// A scenario of one rule.
    static func rule(_ change: (inout Scenario.Rule) -> Void) -> Scenario {
        var rule = Scenario.Rule()
        change(&rule)
        return Scenario(rules: [rule])
    }

    /// A scenario that gives an answer to the first requests of each token.
    static func answer(_ answer: ScenarioAnswer, toFirst count: UInt64 = .max) -> Scenario {
        rule {
            $0.condition.attempts = 1...count
            $0.action.stream = .answer(answer)
        }
    }
}
