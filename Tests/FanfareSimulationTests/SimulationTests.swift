import Testing

/// The whole engine against the whole provider, on a virtual clock, with seeded faults.
@Suite(.serialized)
struct SimulationTests {
    /// The seeds, from the environment; see `dev/README.md`.
    @Test
    func `each seed keeps the invariants`() {
        let summary = Fuzzer().run()
        print(summary.text)
        for failure in summary.failures {
            Issue.record(Comment(rawValue: failure))
        }
    }

    @Test(arguments: [3, 77, 1234] as [UInt64])
    func `the same seed gives the same run, byte for byte`(seed: UInt64) {
        let runs = (0..<2).map { _ in
            let world = SimulatedWorld(plan: SimulationPlan(seed: seed))
            world.run()
            return world.ledger.hash.value
        }
        #expect(runs[0] == runs[1])
    }

    @Test
    func `different seeds give different runs`() {
        let hashes = (1...20).map { seed in
            let world = SimulatedWorld(plan: SimulationPlan(seed: UInt64(seed)))
            world.run()
            return world.ledger.hash.value
        }
        #expect(Set(hashes).count == hashes.count)
    }
}
