import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

/// Workers against the model of the engine, on a virtual clock, with seeded faults.
@Suite(.serialized)
struct ClusterSimulationTests {
    /// The seeds, from the environment; see `dev/README.md`.
    @Test
    func `each seed keeps the invariants`() {
        let choice = SeedChoice(usual: 1000)
        var figures = Figures()
        CrashNote.install()
        for seed in choice.seeds {
            if choice.isOver || figures.failures.count >= 5 { break }
            CrashNote.begin(seed)
            figures.add(ClusterPlan(seed: seed), keepsTrace: choice.keepsTrace)
        }
        CrashNote.remove()
        print(figures.text)
        for failure in figures.failures { Issue.record(Comment(rawValue: failure)) }
        guard figures.seeds >= 1000 else { return }
        for state in ClusterWorld.ReturnState.allCases {
            #expect(
                figures.returned[state] != nil, "no worker comes back to a job that is \(state)")
        }
    }

    /// The same number of seeds for each, if the environment names one.
    @Test(arguments: [
        ClusterPlan.DenseKinds(drains: true, forgets: true), .init(forgets: true),
        .init(drains: true, clones: true),
    ])
    func `faults that come close together keep the invariants`(kinds: ClusterPlan.DenseKinds) {
        let choice = SeedChoice(usual: 15)
        var figures = Figures()
        for seed in choice.seeds where !choice.isOver && figures.failures.count < 5 {
            figures.add(ClusterPlan(dense: seed, kinds), keepsTrace: choice.keepsTrace)
        }
        print(figures.text)
        for failure in figures.failures { Issue.record(Comment(rawValue: failure)) }
    }

    @Test(arguments: [3, 77, 1234] as [UInt64])
    func `the same seed gives the same run`(seed: UInt64) {
        let runs = (0..<2).map { _ in
            let world = ClusterWorld(plan: ClusterPlan(seed: seed))
            world.run()
            return [world.ledger.hash, UInt64(world.events)]
        }
        #expect(runs[0] == runs[1])
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a hundred workers keep the invariants`(seed: UInt64) {
        var figures = Figures()
        figures.add(ClusterPlan(seed: seed, workers: 100, rows: 1500))
        print(figures.text)
        for failure in figures.failures { Issue.record(Comment(rawValue: failure)) }
    }

    struct Figures {
        var seeds = 0
        var events = 0
        var requests = 0
        var starts = 0
        var excused = 0
        var (reboots, rowsInDoubt) = (0, 0)
        var ends: [String: Int] = [:]
        var returned: [ClusterWorld.ReturnState: Int] = [:]
        var leftAfterReturn: [ClusterWorld.ReturnState: Int] = [:]
        var failures: [String] = []

        mutating func add(_ plan: ClusterPlan, keepsTrace: Bool = false) {
            let world = ClusterWorld(plan: plan, keepsTrace: keepsTrace)
            world.run()
            seeds += 1
            events += world.events
            requests += world.requests
            starts += world.ledger.starts
            excused += world.ledger.excused
            reboots += world.reboots
            rowsInDoubt += world.rowsInDoubt
            returned.merge(world.returned, uniquingKeysWith: +)
            leftAfterReturn.merge(world.leftAfterReturn, uniquingKeysWith: +)
            ends[world.model.state.job.map { "\($0.state)" } ?? "no job", default: 0] += 1
            if let trace = world.ledger.trace { print(trace.joined(separator: "\n")) }
            guard !world.ledger.violations.isEmpty else { return }
            failures.append(
                """
                seed \(plan.seed) breaks an invariant (dev/fuzz cluster --seed \(plan.seed)):
                \(world.ledger.violations.map { "  * " + $0 }.joined(separator: "\n"))
                """)
        }

        private static func text(_ counts: [ClusterWorld.ReturnState: Int]) -> String {
            ClusterWorld.ReturnState.allCases.map { "\($0) \(counts[$0] ?? 0)" }
                .joined(separator: ", ")
        }

        var text: String {
            let ends = ends.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "cluster: \(seeds) seeds, \(failures.count) failed; \(events) events, "
                + "\(requests) requests, \(starts) rows started, \(excused) of them a second time "
                + "after the engine had forgotten a worker that was away; \(reboots) reboots, "
                + "\(rowsInDoubt) rows in doubt; jobs: "
                + ends.joined(separator: ", ") + "; workers that came back: "
                + Self.text(returned) + "; that left before they started a row: "
                + Self.text(leftAfterReturn)
        }
    }
}
