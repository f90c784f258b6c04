import FanfareBase
import FanfareCore
import Testing

@Suite struct RejectionRunTests {
    private func run(after answers: [Bool]) -> RejectionRun {
        var run = RejectionRun()
        for isRejection in answers { run.answered(isRejection: isRejection) }
        return run
    }

    /// 1 - (15/16)¹⁰ is under a half, and 1 - (15/16)¹¹ over it.
    @Test func `eleven rejections are a run, and ten are none`() {
        #expect(!run(after: Array(repeating: true, count: 10)).isOn)
        #expect(run(after: Array(repeating: true, count: 11)).isOn)
    }

    @Test func `a tenth of bad tokens is no run, by turns and by chance`() {
        var turns = RejectionRun()
        var chance = RejectionRun()
        var generator = SplitMix64(seed: 1)
        for index in 0..<100_000 {
            turns.answered(isRejection: index % 10 == 0)
            chance.answered(isRejection: generator.next() % 10 == 0)
            #expect(!turns.isOn && !chance.isOn)
        }
    }

    @Test func `good rows that are mixed in do not end it, and good rows alone do`() {
        var run = run(after: Array(repeating: true, count: 100))
        for index in 0..<10_000 { run.answered(isRejection: index % 2 == 0) }
        #expect(run.isOn)
        for _ in 0..<64 { run.answered(isRejection: false) }
        #expect(!run.isOn)
    }

    @Test func `a run that has shown itself otherwise ends as others do`() {
        var run = RejectionRun()
        run.begin()
        #expect(run.isOn)
        // (15/16)³² is an eighth.
        for _ in 0..<30 { run.answered(isRejection: false) }
        #expect(run.isOn)
        for _ in 0..<4 { run.answered(isRejection: false) }
        #expect(!run.isOn)
    }
}
