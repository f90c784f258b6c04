import FanfareCore
import Glibc

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

/// Says which seed it was when the process dies or hangs in the middle of one.
enum CrashNote {
    // Read by the signal handler; written by the one test that runs seeds.
    nonisolated(unsafe) private static var text: [UInt8] = []

    /// Longer than any seed takes, even in a debug build under a sanitizer.
    private static let secondsMax: UInt32 = 120

    private static let signals = [SIGTRAP, SIGILL, SIGSEGV, SIGABRT, SIGALRM]
    nonisolated(unsafe) private static var before: [Int32: sigaction] = [:]

    static func begin(_ seed: UInt64) {
        text = Array("\nsimulation: died or hung in seed \(seed)\n".utf8)
        alarm(secondsMax)
    }

    static func install() {
        for signal in signals {
            var action = sigaction()
            var old = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                _ = write(2, CrashNote.text, CrashNote.text.count)
                // The handlers that were there before get the same fault when it is met again.
                CrashNote.remove()
                if signal == SIGALRM { abort() }
            }
            sigaction(signal, &action, &old)
            before[signal] = old
        }
    }

    static func remove() {
        alarm(0)
        for (signal, var old) in before { sigaction(signal, &old, nil) }
        before = [:]
    }
}
