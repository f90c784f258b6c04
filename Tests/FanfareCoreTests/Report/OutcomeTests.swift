import FanfareCore
import Testing

@Suite struct OutcomeTests {
    /// Checkpoints and reports hold these.
    @Test(
        arguments: [
            (UInt8(0), "accepted", true), (1, "unregistered", true), (2, "suspect", true),
            (3, "rejected", true), (4, "throttled", false), (5, "failed", false),
            (6, "unknown", false), (7, "invalid", true), (8, "skipped", true),
        ])
    func `an outcome has its number, its name, and is definite or not`(
        number: UInt8, name: String, isDefinite: Bool
    ) throws {
        let outcome = try #require(Outcome(rawValue: number))
        #expect(outcome.name.description == name)
        #expect(outcome.isDefinite == isDefinite)
        #expect(Outcome(name: name) == outcome)
    }

    @Test func `there are nine outcomes`() {
        #expect(Outcome.allCases.count == 9)
        #expect(Outcome.count == 9)
        #expect(Outcome(name: "lost") == nil)
    }
}
