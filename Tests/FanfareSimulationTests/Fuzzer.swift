import FanfareCore
import FanfareTestSupport

@testable import Fanfare

/// Runs seeds one after the other and collects those that break an invariant.
struct Fuzzer {
    struct Summary {
        var seeds = 0
        var rows = 0
        var requests = 0
        var dials = 0
        var failedWrites = 0
        var closings = [0, 0, 0]
        var stopped = 0
        var processes = 0
        var kills = 0
        var fullDisks = 0
        /// Jobs that could not be carried on after a loss of power.
        var refused = 0
        var outcomes: [String: Int] = [:]
        var failures: [String] = []

        var text: String {
            let outcomes = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "simulation: \(seeds) seeds, \(failures.count) failed; \(rows) rows, "
                + "\(requests) requests received, \(dials) dials, \(stopped) jobs unfinished; "
                + "\(failedWrites) writes failed, the provider closed \(closings[0]) times with FIN, "
                + "\(closings[1]) with RST, \(closings[2]) with requests unread; "
                + "\(processes) processes, \(kills) killed, \(fullDisks) disks full, "
                + "\(refused) jobs refused after a loss of power; "
                + outcomes.joined(separator: ", ")
        }
    }

    private static let failuresMax = 5

    private let choice = SeedChoice()

    func run() -> Summary {
        var summary = Summary()
        CrashNote.install()
        for seed in choice.seeds {
            if choice.isOver || summary.failures.count >= Self.failuresMax { break }
            run(seed, &summary)
        }
        CrashNote.remove()
        return summary
    }

    private func run(_ seed: UInt64, _ summary: inout Summary) {
        CrashNote.begin(seed)
        let plan = SimulationPlan(seed: seed)
        let world = SimulatedWorld(plan: plan, keepsTrace: choice.keepsTrace)
        world.run()
        summary.seeds += 1
        summary.rows += plan.rowCount
        summary.requests += world.ledger.requestsReceived
        summary.dials += world.links.count
        summary.failedWrites += world.failedWrites
        for end in world.closings.indices { summary.closings[end] += world.closings[end] }
        summary.kills += world.kills
        summary.fullDisks += world.disk.fullCount
        summary.processes += world.process.number + 1
        if world.refused { summary.refused += 1 }
        let lines = world.ledger.lines.values
        summary.stopped += lines.count == plan.rowCount ? 0 : 1
        for outcome in Outcome.allCases {
            let name = outcome.name.description
            summary.outcomes[name, default: 0] += lines.count { $0.outcome == name }
        }
        if let trace = world.ledger.trace { print(trace.joined(separator: "\n")) }
        guard !world.ledger.violations.isEmpty else { return }
        summary.failures.append(
            """
            seed \(seed) breaks an invariant (dev/fuzz simulation --seed \(seed)):
            \(world.ledger.violations.map { "  * " + $0 }.joined(separator: "\n"))
              \(world.state)
            \(plan)
            """)
    }
}
